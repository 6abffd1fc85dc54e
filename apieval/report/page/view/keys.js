// What single keys do, and who may have them.

/** The keys, which work unless one writes, or has switched them off. */
class Keys {
  constructor(view) {
    this.view = view;
    this.help = view.part("rv-keys");
    this.on = view.part("rv-keys-on");
  }

  listen() {
    addEventListener("keydown", (event) => this.pressed(event));
    this.view.part("rv-help").addEventListener("click", () => this.help.showModal());
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || this.help.open) return;
    const { view } = this;
    const q = view.form.elements.q;
    const inList = view.list.contains(event.target);
    const acts = { Escape: () => this.escape(event.target, q) };
    if (inList) {
      acts.ArrowDown = () => view.step(1, "list");
      acts.ArrowUp = () => view.step(-1, "list");
    }
    if (this.on.checked && !event.target.closest?.("input, select, textarea, [contenteditable]")) {
      const focus = view.pane.contains(event.target) ? "item" : "list";
      acts.j = () => view.step(1, focus);
      acts.k = () => view.step(-1, focus);
      acts["/"] = () => q.focus();
      acts["?"] = () => this.help.showModal();
    }
    const act = Object.hasOwn(acts, event.key) ? acts[event.key] : null;
    if (act && act() !== false) event.preventDefault();
  }

  escape(target, q) {
    const { view } = this;
    if (target === q) {
      if (!q.value) return q.blur();
      q.value = "";
      return view.filter(false);
    }
    return view.state.item !== null && view.root.contains(target) ? view.close() : false;
  }
}
