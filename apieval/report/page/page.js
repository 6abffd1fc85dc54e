"use strict";
(() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const say = () => {
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", dark() ? "Use light colours" : "Use dark colours");
  };
  // a page opened from disk may have no storage
  const kept = (what) => {
    try {
      return what();
    } catch {
      return null;
    }
  };
  const before = kept(() => sessionStorage.getItem("theme"));
  if (before === "light" || before === "dark") root.dataset.theme = before;
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    kept(() => sessionStorage.setItem("theme", root.dataset.theme));
    say();
  });
  system.addEventListener("change", say);
  say();

  // what a link leads to is unfolded, with all around it
  const unfold = () => {
    const found = document.getElementById(location.hash.slice(1));
    if (!found) return;
    for (let each = found; each; each = each.parentElement) {
      if (each.matches("details.fold")) each.open = true;
    }
    if (found.matches("details.fold")) found.scrollIntoView();
  };
  window.addEventListener("hashchange", unfold);
  unfold();

  // paper cannot be unfolded
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details.fold:not([open])")];
    for (const each of folded) each.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const each of folded) each.open = false;
  });
})();
