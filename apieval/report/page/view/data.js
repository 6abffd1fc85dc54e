// What the page holds: an index, and chunks that are unpacked when they are needed; and what the
// view shows of it, as it stands in the page's address: filters, page, and the item that is open.

const KEPT = 6; // chunks of a kind that are kept unpacked
const FILTERS = ["q", "raw", "model", "setting", "subset", "outcome", "broke", "solved"];
const ITEM = ["item", "in", "sample", "data"];
const PLAIN = "#rebus-view"; // the view with nothing chosen

async function unpacked(name) {
  const text = document.getElementById(`rebuses-${name}`)?.textContent;
  if (text === undefined) throw new Error(`the page has no data block ${name}`);
  const bytes = Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

class Chunks {
  constructor(kind, starts) {
    this.kind = kind;
    this.starts = starts;
    this.kept = new Map();
  }

  /** Return what is held of an item; the few last chunks stay at hand. */
  async of(item) {
    const place = this.starts.findLastIndex((first) => first <= item);
    const chunk = this.kept.get(place) ?? unpacked(`${this.kind}-${place}`);
    this.kept.delete(place);
    this.kept.set(place, chunk);
    if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value);
    return (await chunk)[item - this.starts[place]];
  }

  /** Yield each chunk's first item and what is held from it on, and keep none. */
  async *all() {
    for (const [place, first] of this.starts.entries()) {
      yield [first, await (this.kept.get(place) ?? unpacked(`${this.kind}-${place}`))];
    }
  }
}

/** The index, and what it says of an item by its number. */
class Data {
  constructor(index) {
    this.index = index;
    this.size = index.items.row.length;
    this.names = index.models.map((model) => model.name);
    this.steps = new Chunks("steps", index.chunks.steps);
    this.texts = new Chunks("texts", index.chunks.texts);
    this.places = new Map();
    for (let item = this.size - 1; item >= 0; item -= 1) {
      const address = this.address(item);
      this.places.set(keyed({ ...address, in: "" }), item); // the first one stands for its row
      this.places.set(keyed(address), item);
    }
  }

  row(item) {
    return this.index.rows[this.index.items.row[item]];
  }

  setting(item) {
    return this.index.settings[this.index.items.setting[item]];
  }

  sample(item) {
    return this.index.items.sample?.[item] ?? 0;
  }

  rebus(item) {
    return this.row(item)[this.setting(item)];
  }

  /** Return the letter that stands for what is known of a run's answer, a dash where nothing is. */
  letter(kind, model, item) {
    return this.index.answers[model][kind][item];
  }

  /** Return what tells an item apart, as it stands in an address. */
  address(item) {
    const { id, data } = this.row(item);
    const address = { item: String(id), in: this.setting(item) };
    if (this.sample(item)) address.sample = String(this.sample(item));
    if (this.index.data.length > 1 && data) address.data = String(data);
    return address;
  }

  /** Return the number of the item an address names, null where there is none. */
  found(address) {
    return address && (this.places.get(keyed(address)) ?? null);
  }
}

function keyed(address) {
  return JSON.stringify([address.item, address.in ?? "", address.sample ?? "0", address.data ?? "0"]);
}

function nothing() {
  return { ...Object.fromEntries(FILTERS.map((name) => [name, ""])), page: 1, item: null };
}

/** Return the state an address stands for; null for one of another part of the page. */
function stateOf(hash) {
  if (!hash || hash === "#" || hash === PLAIN) return nothing();
  const given = new URLSearchParams(hash.slice(1));
  if (!hash.includes("=") || ![...FILTERS, ...ITEM, "page"].some((name) => given.has(name))) return null;
  const state = nothing();
  for (const name of FILTERS) state[name] = given.get(name) ?? "";
  state.page = Math.max(1, Number.parseInt(given.get("page"), 10) || 1);
  const item = ITEM.filter((name) => given.has(name)).map((name) => [name, given.get(name)]);
  if (given.has("item")) state.item = Object.fromEntries(item);
  return state;
}

/** Return the address of a state; what is as usual is not in it. */
function hashOf(state) {
  const given = new URLSearchParams(state.item ?? {});
  for (const name of FILTERS) if (state[name]) given.set(name, state[name]);
  if (state.page > 1) given.set("page", String(state.page));
  return given.size ? `#${given}` : PLAIN;
}
