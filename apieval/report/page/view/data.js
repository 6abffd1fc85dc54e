// The data that the page holds: an index, and chunks that are unpacked when they are needed.

const KEPT = 6; // chunks of a kind that are kept unpacked

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

async function unpacked(name) {
  const element = document.getElementById(`rebuses-${name}`);
  if (!element) throw new Error(`the page has no data block ${name}`);
  const stream = new Blob([bytesOf(element.textContent)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

class Chunks {
  constructor(kind, starts) {
    this.kind = kind;
    this.starts = starts;
    this.kept = new Map();
  }

  /** Return the place of the chunk that has an item. */
  place(item) {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= item) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Return what a chunk holds, by item; the few last ones asked for are at hand. */
  chunk(place) {
    const known = this.kept.get(place) ?? unpacked(`${this.kind}-${place}`);
    this.kept.delete(place);
    this.kept.set(place, known);
    if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value);
    return known;
  }

  async of(item) {
    const place = this.place(item);
    return (await this.chunk(place))[item - this.starts[place]];
  }

  /** Yield every item's number and what is held of it, chunk by chunk, and keep none. */
  async *all() {
    for (let place = 0; place < this.starts.length; place += 1) {
      const values = await (this.kept.get(place) ?? unpacked(`${this.kind}-${place}`));
      yield [this.starts[place], values];
    }
  }
}

/** Return the index with ways to ask it of an item by its number. */
function asked(index) {
  const { row, setting, sample } = index.items;
  const steps = new Chunks("steps", index.chunks.steps);
  const texts = new Chunks("texts", index.chunks.texts);
  const places = new Map();
  const several = index.data.length > 1;
  const data = {
    index,
    size: row.length,
    steps,
    texts,
    row: (item) => index.rows[row[item]],
    setting: (item) => index.settings[setting[item]],
    sample: (item) => (sample ? sample[item] : 0),
    letter: (kind, model, item) => index.answers[model][kind][item],
    rebus: (item) => data.row(item)[data.setting(item)],
    /** Return what tells an item apart, as it stands in an address. */
    address(item) {
      const named = { item: String(data.row(item).id), in: data.setting(item) };
      if (data.sample(item)) named.sample = String(data.sample(item));
      if (several && data.row(item).data) named.data = String(data.row(item).data);
      return named;
    },
    /** Return the number of the item an address names, null where there is none. */
    found(named) {
      return places.get(keyed(named)) ?? null;
    },
  };
  for (let item = data.size - 1; item >= 0; item -= 1) {
    const named = data.address(item);
    places.set(keyed({ ...named, in: "" }), item); // the first one stands for its row
    places.set(keyed(named), item);
  }
  return data;
}

function keyed(named) {
  return JSON.stringify([named.item, named.in ?? "", named.sample ?? "0", named.data ?? "0"]);
}
