// What the view shows, as it stands in the page's address: filters, page, and the item that is open.

const FILTERS = ["q", "raw", "model", "setting", "subset", "outcome", "broke", "solved"];
const ITEM = ["item", "in", "sample", "data"];
const PLAIN = "#rebus-view"; // the view with nothing chosen
const OWN = new Set([...FILTERS, ...ITEM, "page"]);

function nothing() {
  return { ...Object.fromEntries(FILTERS.map((name) => [name, ""])), page: 1, item: null };
}

/** Return the state an address stands for; null for one of another part of the page. */
function stateOf(hash) {
  const said = hash.replace(/^#/, "");
  if (!said || hash === PLAIN) return nothing();
  const given = new URLSearchParams(said);
  if (![...given.keys()].some((name) => OWN.has(name)) || !said.includes("=")) return null;
  const state = nothing();
  for (const name of FILTERS) state[name] = given.get(name) ?? "";
  state.page = Math.max(1, Number.parseInt(given.get("page") ?? "1", 10) || 1);
  if (given.has("item")) {
    state.item = Object.fromEntries(ITEM.filter((n) => given.has(n)).map((n) => [n, given.get(n)]));
  }
  return state;
}

/** Return the address of a state; what is as usual is not in it. */
function hashOf(state) {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(state.item ?? {})) said.set(name, value);
  for (const name of FILTERS) if (state[name]) said.set(name, state[name]);
  if (state.page > 1) said.set("page", String(state.page));
  return said.size ? `#${said}` : PLAIN;
}
