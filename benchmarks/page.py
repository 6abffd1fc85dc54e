"""What a report's page takes in a real browser: until the list is there, to filter, search, scroll."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, sync_playwright

_ARGUMENTS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--enable-precise-memory-info",
    "--js-flags=--expose-gc",
)
_FIELD: Final = """([name, value]) => {
  const field = document.querySelector(".rv-filters").elements[name];
  if (field.type === "checkbox") return field.click();
  field.value = value;
  field.dispatchEvent(new Event(name === "q" ? "input" : "change", { bubbles: true }));
}"""
_DONE: Final = """async () => {
  const view = document.querySelector(".rv");
  while (view.hasAttribute("aria-busy")) await new Promise((done) => setTimeout(done, 1));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
_STEPS: Final = """async () => {
  const view = document.querySelector(".rv");
  let worst = 0;
  for (let n = 0; n < 100; n += 1) {
    const begun = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
    while (view.hasAttribute("aria-busy")) await new Promise((done) => setTimeout(done, 0));
    worst = Math.max(worst, performance.now() - begun);
  }
  return worst;
}"""
_SCROLL: Final = """async () => {
  const list = document.querySelector(".rv-found");
  let last = performance.now();
  let worst = 0;
  for (let top = 0; top < list.scrollHeight; top += 60) {
    list.scrollTop = top;
    await new Promise(requestAnimationFrame);
    worst = Math.max(worst, performance.now() - last);
    last = performance.now();
  }
  return worst;
}"""
_HEAP: Final = "gc(), gc(), performance.memory.usedJSHeapSize / 1e6"


def in_browser(path: Path, chromium: str) -> dict[str, Any]:
    """Return what the page's rebus view takes, by name."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(_ARGUMENTS))
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        begun = time.perf_counter()
        page.goto(path.as_uri())
        page.wait_for_selector(".rv[data-ready]")
        found: dict[str, Any] = {"first list, s": time.perf_counter() - begun}
        found["heap then, MB"] = page.evaluate(_HEAP)
        found["filter, ms"] = _timed(page, "solved", "only:gamma")
        found["no filter, ms"] = _timed(page, "solved", "")
        found["first search, ms"] = _timed(page, "q", "tra")
        found["next search, ms"] = _timed(page, "q", "stra")
        found["search in raw answers, ms"] = _timed(page, "raw", "1")
        found["no search, ms"] = _timed(page, "q", "")
        page.click(".rv-entry")
        found["from rebus to rebus, worst of 100, ms"] = page.evaluate(_STEPS)
        found["longest frame in scrolling, ms"] = page.evaluate(_SCROLL)
        found["heap at the end, MB"] = page.evaluate(_HEAP)
        browser.close()
    return found


def _timed(page: Page, name: str, value: str) -> float:
    """Return how long a filter takes until what it finds is drawn, the wait for more typing included."""
    begun = time.perf_counter()
    page.evaluate(_FIELD, [name, value])
    page.evaluate(_DONE)
    return 1e3 * (time.perf_counter() - begun)
