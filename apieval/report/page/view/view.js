// The view: it reads the address, shows what it says, and changes it with what the user does.

class View {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.search = new Search(data);
    this.state = nothing();
    this.found = [];
    this.wants = null; // the address of what was found
    this.listed = null; // the address of what the list shows
    this.open = null; // the item that is shown
    this.asking = 0; // counts what is asked, so that an answer that comes late is known
    this.form = this.part("rv-filters");
    this.list = this.part("rv-list");
    this.pane = this.part("rv-item");
  }

  part(name) {
    return this.root.querySelector(`.${name}`);
  }

  /** Fill what is the same whatever is shown, and listen to the user. */
  begin() {
    this.tell("rv-notices", this.data.index.notices);
    for (const [name, options] of Object.entries(choices(this.data))) {
      const select = this.form.elements[name];
      select.append(...options.map(([value, text]) => new Option(readable(text), value)));
      select.parentElement.hidden = options.length < 3 && name !== "solved";
    }
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("change", (event) => event.target.name !== "q" && this.filter(true));
    this.form.addEventListener("input", (event) => event.target.name === "q" && this.typed());
    this.form.addEventListener("reset", () => setTimeout(() => this.filter(true)));
    this.part("rv-clear").addEventListener("click", () => {
      this.form.reset();
      this.form.elements.q.focus(); // the button goes
    });
    this.list.addEventListener("click", (event) => this.clicked(event));
    this.part("rv-before").addEventListener("click", () => this.turn(-1));
    this.part("rv-after").addEventListener("click", () => this.turn(1));
    addEventListener("popstate", () => this.follow());
    addEventListener("hashchange", () => this.follow());
    new Keys(this).listen();
    this.part("rv-all").hidden = false;
    this.form.hidden = !this.data.size;
    this.part("rv-panes").hidden = !this.data.size;
    const state = stateOf(location.hash);
    return this.show(state ?? nothing(), { arrived: Boolean(location.hash && state && location.hash !== PLAIN) });
  }

  tell(name, lines) {
    const list = this.part(name);
    list.replaceChildren(...lines.map((line) => make("li", "", visible(line))));
    list.hidden = !lines.length;
  }

  /** Go where the address leads: back, forward, or by a link. */
  follow() {
    const state = stateOf(location.hash);
    if (state && hashOf(state) !== hashOf(this.state)) this.show(state, { arrived: Boolean(state.item) });
  }

  /** Go to a state, with an entry in the history, or in place of the present one. */
  go(state, { push = true, ...how } = {}) {
    const hash = hashOf(state);
    if (hash !== location.hash) history[push ? "pushState" : "replaceState"](null, "", hash);
    return this.show(state, how);
  }

  typed() {
    this.root.setAttribute("aria-busy", "true");
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.filter(false), 150);
  }

  filter(push) {
    clearTimeout(this.typing);
    const given = new FormData(this.form);
    const state = { ...this.state, page: 1, item: this.lost(this.state) ? null : this.state.item };
    for (const name of FILTERS) state[name] = String(given.get(name) ?? "");
    state.raw = given.has("raw") ? "1" : "";
    return this.go(state, { push });
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
    this.fill(state);
    const wanted = hashOf({ ...state, item: null, page: 1 });
    if (wanted !== this.wants) {
      const found = await this.search.found(state, stale, (text) => this.say(text));
      if (stale()) return;
      this.found = found;
      this.wants = wanted;
    }
    const item = state.item ? this.data.found(state.item) : null;
    const at = this.found.indexOf(item);
    if (at >= 0) state.page = Math.floor(at / PAGE) + 1;
    state.page = Math.min(state.page, pages(this.found));
    this.drawList(item);
    this.tellLost(state);
    await this.drawItem(item);
    if (stale()) return;
    if (arrived) (item === null ? this.root : this.part("rv-panes")).scrollIntoView();
    if (focus === "item") this.pane.querySelector("h3")?.focus();
    if (focus === "list") this.focusEntry(item);
    this.root.dataset.ready = hashOf(state);
    this.root.removeAttribute("aria-busy");
  }

  fill(state) {
    for (const name of FILTERS) {
      const field = this.form.elements[name];
      if (name === "raw") field.checked = state.raw === "1";
      else if (field.value !== state[name]) field.value = state[name];
      // a value that the data does not have stands in no option, and wants nothing
    }
  }

  drawList(open) {
    const { found, state, data } = this;
    const listed = hashOf({ ...state, item: null });
    if (listed !== this.listed) {
      // else the entries stay, and with them the focus
      this.listed = listed;
      const begin = (state.page - 1) * PAGE;
      const shown = found.slice(begin, begin + PAGE);
      this.list.replaceChildren(...shown.map((item, at) => entry(data, item, begin + at, found.length, this.link(item))));
      this.list.parentElement.scrollTop = 0;
    }
    this.current(open);
    const items = `${data.size === 1 ? "item" : "items"}, of ${number(data.index.rows.length)} rebuses`;
    this.say(data.index.none ?? `${number(found.length)} of ${number(data.size)} ${items}`);
    this.part("rv-nothing").hidden = found.length > 0;
    this.list.hidden = !found.length;
    this.part("rv-pages").hidden = pages(found) === 1;
    this.part("rv-page").textContent = `page ${number(state.page)} of ${number(pages(found))}`;
    this.part("rv-before").disabled = state.page === 1;
    this.part("rv-after").disabled = state.page === pages(found);
  }

  say(text) {
    const count = this.part("rv-count");
    if (count.textContent !== text) count.textContent = text;
  }

  link(item) {
    return hashOf({ ...this.state, page: 1, item: this.data.address(item) });
  }

  /** Mark the open item in the list, and bring it to where the list shows it. */
  current(item) {
    const box = this.list.parentElement;
    this.list.querySelector("a[aria-current]")?.removeAttribute("aria-current");
    const link = item === null ? null : this.list.querySelector(`a[data-item="${item}"]`);
    if (!link) return;
    link.setAttribute("aria-current", "true");
    const top = link.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
    if (top < box.scrollTop || top + link.offsetHeight > box.scrollTop + box.clientHeight - 60) {
      box.scrollTop = Math.max(0, top - box.clientHeight / 3);
    }
  }

  async drawItem(item) {
    if (item === this.open && item !== null) return;
    this.root.toggleAttribute("data-open", item !== null);
    this.pane.hidden = item === null;
    this.part("rv-none").hidden = item !== null || !this.found.length;
    this.open = item;
    if (item === null) {
      this.pane.replaceChildren();
      return;
    }
    const [answers, texts] = await Promise.all([this.data.steps.of(item), this.data.texts.of(item)]);
    if (this.open !== item) return; // another one was opened meanwhile
    this.pane.replaceChildren(
      headOf(this.data, item, this.buttons()),
      stepsOf(this.data, item, answers),
      answersOf(this.data, item, answers, texts),
    );
    this.pane.scrollTop = 0;
  }

  /** Say whether a state names an item that is not here. */
  lost(state) {
    return state.item !== null && this.data.found(state.item) === null;
  }

  /** Say that the item an address names is not here; the list is shown in its place. */
  tellLost(state) {
    const told = this.part("rv-gone");
    if (!this.lost(state)) return told.replaceChildren();
    const { item, in: setting, sample } = state.item;
    const named = [`row ${item}`, setting, sample && `sample ${sample}`].filter(Boolean).join(", ");
    return told.replaceChildren("The address names an item that is not here: ", visible(named), ".");
  }

  buttons() {
    const button = (text, label, act) => {
      const made = make("button", "", text);
      made.type = "button";
      made.setAttribute("aria-label", label);
      made.addEventListener("click", act);
      return made;
    };
    return make(
      "span",
      "rv-item-buttons",
      button("↑", "previous rebus", () => this.step(-1, "item")),
      button("↓", "next rebus", () => this.step(1, "item")),
      button("Close", "close this rebus", () => this.close()),
    );
  }

  clicked(event) {
    const link = event.target.closest("a");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    this.choose(Number(link.dataset.item), { focus: "item" });
  }

  /** Open an item; from one to the next the history keeps one entry. */
  choose(item, { focus }) {
    const push = this.state.item === null;
    return this.go({ ...this.state, item: this.data.address(item) }, { push, focus });
  }

  /** Go some items on from the open one, else from the one that has the focus. */
  step(by, focus) {
    const focused = document.activeElement?.closest?.(".rv-entry")?.dataset.item;
    const from = this.open ?? (focused === undefined ? null : Number(focused));
    const at = this.found.indexOf(from);
    const begin = (this.state.page - 1) * PAGE;
    const to = from === null || at < 0 ? begin : at + by;
    if (to < 0 || to >= this.found.length) return null;
    if (this.open !== null) return this.choose(this.found[to], { focus });
    // nothing is open: the focus goes along the list, from page to page
    const page = Math.floor(to / PAGE) + 1;
    if (page === this.state.page) return this.focusEntry(this.found[to]);
    return this.go({ ...this.state, page }, { push: false }).then(() => this.focusEntry(this.found[to]));
  }

  focusEntry(item) {
    this.list.querySelector(`a[data-item="${item}"]`)?.focus();
  }

  close() {
    const item = this.open;
    this.go({ ...this.state, item: null }).then(() => this.focusEntry(item));
  }

  async turn(by) {
    await this.go({ ...this.state, page: this.state.page + by, item: null });
    this.list.querySelector("a")?.focus();
  }
}

/** Return a name as an option can show it, which holds no elements. */
function readable(text) {
  return visible(text).textContent;
}

async function begin() {
  const root = document.getElementById("rebus-view");
  if (!root) return;
  const told = root.querySelector(".rv-begin");
  try {
    if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old to unpack it");
    told.hidden = false;
    told.textContent = "Unpacking…";
    const data = asked(await unpacked("index"));
    told.hidden = true;
    await new View(root, data).begin();
  } catch (error) {
    told.hidden = false;
    told.textContent = `The rebuses cannot be shown: ${error.message}.`;
  }
}

begin();
