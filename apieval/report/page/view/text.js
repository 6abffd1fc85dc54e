// Text of models and files: made visible, folded for searching, and put into the page as text alone.

// What nobody sees or what turns the direction of what follows: controls but tab and line feed,
// soft hyphen, marks and overrides of direction, zero widths, separators, halves of pairs, tags.
const UNSEEN = new RegExp(
  "([\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5" +
    "\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0" +
    "\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}\\p{Cs}])\\1*",
  "gu",
);
const NAMES = {
  0x00: "NUL", 0x0d: "CR", 0x1b: "ESC", 0xad: "SHY", 0x200b: "ZWSP", 0x200c: "ZWNJ", 0x200d: "ZWJ",
  0x200e: "LRM", 0x200f: "RLM", 0x202a: "LRE", 0x202b: "RLE", 0x202c: "PDF", 0x202d: "LRO",
  0x202e: "RLO", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI", 0xfeff: "BOM",
};
const PILED = /(?<=\p{M}{4})\p{M}+/gu;
const BEYOND_ASCII = /[^\u0000-\u007f]+/g;
const NUMBERS = new Intl.NumberFormat("en");

const number = (value) => NUMBERS.format(value);
const named = (code) => String(code).replaceAll("_", " ");

/** Return an element, `name.class.class`, with attributes where there are any; a child may be null. */
function make(tag, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  if (children[0]?.constructor === Object) {
    for (const [key, value] of Object.entries(children.shift())) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Return a text in which no letter has more than four marks: thousands would cover the page. */
function unpiled(text) {
  return text.replace(PILED, (marks) => `[+${number([...marks].length)} marks]`);
}

/** Return a text isolated from what stands around it, with what cannot be seen in it shown. */
function visible(text) {
  const shown = make("bdi", { dir: "ltr" });
  let done = 0;
  for (const { 0: run, 1: character, index } of text.matchAll(UNSEEN)) {
    if (index > done) shown.append(unpiled(text.slice(done, index)));
    const code = character.codePointAt(0);
    const name = NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    const times = run.length / character.length;
    shown.append(make("span.rv-unseen", times > 1 ? `${name} ×${number(times)}` : name));
    done = index + run.length;
  }
  if (done < text.length) shown.append(unpiled(text.slice(done)));
  return shown;
}

/** Return a text as it was packed: whole, or its beginning and end and what was left out. */
function whole(value, where = "scores.jsonl") {
  if (typeof value === "string") return visible(value);
  const [head, tail, length] = value;
  const left = `${number(length - head.length - tail.length)} of ${number(length)} characters`;
  const shown = document.createDocumentFragment();
  if (head) shown.append(visible(head));
  shown.append(make("span.rv-left-out", `[… ${left} left out; the whole is in ${where} …]`));
  if (tail) shown.append(visible(tail));
  return shown;
}

/** Return what there is to search of a value that was packed. */
function plain(value) {
  return typeof value === "string" ? value : `${value[0]} ${value[1]}`;
}

/** Return a text as it is searched: without case, accents and what cannot be seen. */
function folded(text) {
  const bare = (run) => run.normalize("NFD").replace(/\p{M}+/gu, "").replace(UNSEEN, "");
  // most of a text is plain, and all the texts of a page are 50 MB
  return text.toLowerCase().replace(BEYOND_ASCII, bare).replace(/\s\s+|[\t\n\r]/g, " ");
}
