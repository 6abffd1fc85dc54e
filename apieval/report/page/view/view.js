// The view: it reads the address, shows what it says, and changes it with what the user does.

class View {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.search = new Search(data);
    this.state = nothing();
    this.found = [];
    this.wanted = null; // the address of what was found
    this.listed = null; // the address of what the list shows
    this.open = null; // the item that is shown
    this.asking = 0; // counts what is asked, so that an answer that comes late is known
    this.form = this.part("rv-filters");
    this.list = this.part("rv-list");
    this.pane = this.part("rv-item");
    this.help = this.part("rv-keys");
  }

  part(name) {
    return this.root.querySelector(`.${name}`);
  }

  /** Fill what is the same whatever is shown, and listen to the user. */
  begin() {
    const { data, form } = this;
    const notices = this.part("rv-notices");
    notices.append(...data.index.notices.map((notice) => make("li", visible(notice))));
    notices.hidden = !data.index.notices.length;
    for (const [name, options] of Object.entries(choices(data))) {
      // an option holds no elements
      form.elements[name].append(...options.map(([value, text]) => new Option(visible(text).textContent, value)));
      form.elements[name].parentElement.hidden = options.length < 3 && name !== "solved";
    }
    const clicks = {
      "rv-clear": () => {
        form.reset();
        form.elements.q.focus(); // the button goes
      },
      "rv-before": () => this.turn(-1),
      "rv-after": () => this.turn(1),
      "rv-help": () => this.help.showModal(),
      "rv-list": (event) => this.clicked(event),
    };
    for (const [name, act] of Object.entries(clicks)) this.part(name).addEventListener("click", act);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("change", (event) => event.target.name !== "q" && this.filter(true));
    form.addEventListener("input", (event) => event.target.name === "q" && this.typed());
    form.addEventListener("reset", () => setTimeout(() => this.filter(true)));
    for (const name of ["popstate", "hashchange"]) addEventListener(name, () => this.follow());
    addEventListener("keydown", (event) => this.pressed(event));
    this.part("rv-all").hidden = false;
    form.hidden = this.part("rv-panes").hidden = !data.size;
    const state = stateOf(location.hash);
    const arrived = Boolean(location.hash && state && location.hash !== PLAIN);
    return this.show(state ?? nothing(), { arrived });
  }

  /** Go where the address leads: back, forward, or by a link. */
  follow() {
    const state = stateOf(location.hash);
    if (state && hashOf(state) !== hashOf(this.state)) this.show(state, { arrived: Boolean(state.item) });
  }

  /** Go to a state, with an entry in the history, or in place of the present one. */
  go(changes, { push = true, focus = null } = {}) {
    const state = { ...this.state, ...changes };
    const hash = hashOf(state);
    if (hash !== location.hash) history[push ? "pushState" : "replaceState"](null, "", hash);
    return this.show(state, { focus });
  }

  typed() {
    this.root.setAttribute("aria-busy", "true");
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.filter(false), 150);
  }

  filter(push) {
    clearTimeout(this.typing);
    const given = new FormData(this.form);
    const chosen = Object.fromEntries(FILTERS.map((name) => [name, given.get(name) ?? ""]));
    const item = this.data.found(this.state.item) === null ? null : this.state.item;
    return this.go({ ...chosen, raw: given.has("raw") ? "1" : "", page: 1, item }, { push });
  }

  /** Show a state, and say where that fails. */
  async show(state, how = {}) {
    try {
      await this.draw(state, how);
    } catch (error) {
      this.say(`This cannot be shown: ${error.message}.`);
      this.root.removeAttribute("aria-busy");
    }
  }

  /** Draw a state: the items it wants, its page of them, and its item. */
  async draw(state, { focus = null, arrived = false }) {
    const asking = (this.asking += 1);
    const stale = () => asking !== this.asking;
    this.state = state;
    this.root.setAttribute("aria-busy", "true");
    for (const name of FILTERS) {
      const field = this.form.elements[name];
      if (name === "raw") field.checked = state.raw === "1";
      else if (field.value !== state[name]) field.value = state[name]; // what no option has wants nothing
    }
    const wanted = hashOf({ ...state, item: null, page: 1 });
    if (wanted !== this.wanted) {
      const found = await this.search.found(state, stale, (text) => this.say(text));
      if (stale()) return;
      this.found = found;
      this.wanted = wanted;
    }
    const item = this.data.found(state.item);
    const at = this.found.indexOf(item);
    const pages = Math.max(1, Math.ceil(this.found.length / PAGE));
    state.page = Math.min(at < 0 ? state.page : Math.floor(at / PAGE) + 1, pages);
    this.drawList(item, pages);
    this.part("rv-gone").replaceChildren(...(state.item && item === null ? lost(state.item) : []));
    await this.drawItem(item);
    if (stale()) return;
    if (arrived) (item === null ? this.root : this.part("rv-panes")).scrollIntoView();
    if (focus === "item") this.pane.querySelector("h3")?.focus();
    if (focus === "list") this.focusEntry(item);
    this.root.dataset.ready = hashOf(state);
    this.root.removeAttribute("aria-busy");
  }

  drawList(open, pages) {
    const { found, state, data, list } = this;
    const listed = hashOf({ ...state, item: null });
    if (listed !== this.listed) {
      // else the entries stay, and with them the focus
      this.listed = listed;
      const begin = (state.page - 1) * PAGE;
      const link = (item) => hashOf({ ...state, page: 1, item: data.address(item) });
      const shown = found.slice(begin, begin + PAGE);
      list.replaceChildren(...shown.map((item, at) => entry(data, item, begin + at, found.length, link(item))));
      list.parentElement.scrollTop = 0;
    }
    this.mark(open);
    const items = `${data.size === 1 ? "item" : "items"}, of ${number(data.index.rows.length)} rebuses`;
    this.say(data.index.none ?? `${number(found.length)} of ${number(data.size)} ${items}`);
    list.hidden = !found.length;
    this.part("rv-nothing").hidden = found.length > 0;
    this.part("rv-pages").hidden = pages === 1;
    this.part("rv-page").textContent = `page ${number(state.page)} of ${number(pages)}`;
    this.part("rv-before").disabled = state.page === 1;
    this.part("rv-after").disabled = state.page === pages;
  }

  say(text) {
    const count = this.part("rv-count");
    if (count.textContent !== text) count.textContent = text;
  }

  linkOf(item) {
    return this.list.querySelector(`a[data-item="${item}"]`);
  }

  focusEntry(item) {
    this.linkOf(item)?.focus();
  }

  /** Mark the open item in the list, and bring it to where the list shows it. */
  mark(item) {
    const box = this.list.parentElement;
    this.list.querySelector("a[aria-current]")?.removeAttribute("aria-current");
    const link = this.linkOf(item);
    if (!link) return;
    link.setAttribute("aria-current", "true");
    const top = link.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
    if (top < box.scrollTop || top + link.offsetHeight > box.scrollTop + box.clientHeight - 60) {
      box.scrollTop = Math.max(0, top - box.clientHeight / 3);
    }
  }

  async drawItem(item) {
    if (item === this.open && item !== null) return;
    this.open = item;
    this.root.toggleAttribute("data-open", item !== null);
    this.pane.hidden = item === null;
    this.part("rv-none").hidden = item !== null || !this.found.length;
    if (item === null) return void this.pane.replaceChildren();
    const { data } = this;
    const [answers, texts] = await Promise.all([data.steps.of(item), data.texts.of(item)]);
    if (this.open !== item) return; // another one was opened meanwhile
    const shown = [stepsOf(data, item, answers), answersOf(data, item, answers, texts)];
    this.pane.replaceChildren(headOf(data, item, this.buttons()), ...shown);
    this.pane.scrollTop = 0;
  }

  buttons() {
    const button = (text, label, act) => {
      const made = make("button", { type: "button", "aria-label": label }, text);
      made.addEventListener("click", act);
      return made;
    };
    return make(
      "span.rv-item-buttons",
      button("↑", "previous rebus", () => this.step(-1, "item")),
      button("↓", "next rebus", () => this.step(1, "item")),
      button("Close", "close this rebus", () => this.close()),
    );
  }

  clicked(event) {
    const link = event.target.closest("a");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    this.choose(Number(link.dataset.item), "item");
  }

  /** Open an item; from one to the next the history keeps one entry. */
  choose(item, focus) {
    return this.go({ item: this.data.address(item) }, { push: this.state.item === null, focus });
  }

  /** Go some items on from the open one, else from the one that has the focus. */
  step(by, focus) {
    const focused = document.activeElement?.closest?.(".rv-entry")?.dataset.item;
    const at = this.found.indexOf(this.open ?? Number(focused ?? NaN));
    const to = at < 0 ? (this.state.page - 1) * PAGE : at + by;
    if (to < 0 || to >= this.found.length) return null;
    const item = this.found[to];
    if (this.open !== null) return this.choose(item, focus);
    // nothing is open: the focus goes along the list, from page to page
    const page = Math.floor(to / PAGE) + 1;
    if (page === this.state.page) return this.focusEntry(item);
    return this.go({ page }, { push: false }).then(() => this.focusEntry(item));
  }

  close() {
    const item = this.open;
    this.go({ item: null }).then(() => this.focusEntry(item));
  }

  async turn(by) {
    await this.go({ page: this.state.page + by, item: null });
    this.list.querySelector("a")?.focus();
  }

  /** Do what a key is for; single ones unless one writes, or has switched them off. */
  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || this.help.open) return;
    const { target } = event;
    const q = this.form.elements.q;
    const acts = { Escape: () => this.escape(target, q) };
    if (this.list.contains(target)) {
      acts.ArrowDown = () => this.step(1, "list");
      acts.ArrowUp = () => this.step(-1, "list");
    }
    if (this.part("rv-keys-on").checked && !target.closest?.("input, select, textarea, [contenteditable]")) {
      const focus = this.pane.contains(target) ? "item" : "list";
      acts.j = () => this.step(1, focus);
      acts.k = () => this.step(-1, focus);
      acts["/"] = () => q.focus();
      acts["?"] = () => this.help.showModal();
    }
    const act = Object.hasOwn(acts, event.key) ? acts[event.key] : null;
    if (act && act() !== false) event.preventDefault();
  }

  escape(target, q) {
    if (target === q) {
      if (!q.value) return q.blur();
      q.value = "";
      return this.filter(false);
    }
    return this.state.item !== null && this.root.contains(target) ? this.close() : false;
  }
}

/** Say that the item an address names is not here; the list is shown in its place. */
function lost({ item, in: setting, sample }) {
  const named = [`row ${item}`, setting, sample && `sample ${sample}`].filter(Boolean).join(", ");
  return ["The address names an item that is not here: ", visible(named), "."];
}

async function begin() {
  const root = document.getElementById("rebus-view");
  if (!root) return;
  const told = root.querySelector(".rv-begin");
  told.hidden = false;
  told.textContent = "Unpacking…";
  try {
    if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old to unpack it");
    const data = new Data(await unpacked("index"));
    told.hidden = true;
    await new View(root, data).begin();
  } catch (error) {
    told.hidden = false;
    told.textContent = `The rebuses cannot be shown: ${error.message}.`;
  }
}

begin();
