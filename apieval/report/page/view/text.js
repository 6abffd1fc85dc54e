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

function make(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Return a text in which no letter has more than four marks: thousands would cover the page. */
function unpiled(text) {
  return text.replace(PILED, (marks) => `[+${number([...marks].length)} marks]`);
}

function unseen(run, character) {
  const code = character.codePointAt(0);
  const named = NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  const times = run.length / character.length;
  return make("span", "rv-unseen", times > 1 ? `${named} ×${number(times)}` : named);
}

/** Return a text isolated from what stands around it, with what cannot be seen in it shown. */
function visible(text) {
  const shown = make("bdi", "");
  shown.dir = "ltr";
  let done = 0;
  for (const found of text.matchAll(UNSEEN)) {
    if (found.index > done) shown.append(unpiled(text.slice(done, found.index)));
    shown.append(unseen(found[0], found[1]));
    done = found.index + found[0].length;
  }
  if (done < text.length) shown.append(unpiled(text.slice(done)));
  return shown;
}

/** Return a text as it was packed: whole, or its beginning and end and what was left out. */
function whole(value, where) {
  if (typeof value === "string") return visible(value);
  const [head, tail, length] = value;
  const left = length - head.length - tail.length;
  const told = `${number(left)} of ${number(length)} characters left out; the whole is in ${where ?? "scores.jsonl"}`;
  const shown = document.createDocumentFragment();
  if (head) shown.append(visible(head));
  shown.append(make("span", "rv-left-out", `[… ${told} …]`));
  if (tail) shown.append(visible(tail));
  return shown;
}

/** Return what there is to search of a value that was packed. */
function plain(value) {
  return typeof value === "string" ? value : `${value[0]} ${value[1]}`;
}

const BEYOND_ASCII = /[^\u0000-\u007f]+/g;

function bare(run) {
  return run.normalize("NFD").replace(/\p{M}+/gu, "").replace(UNSEEN, "");
}

/** Return a text as it is searched: without case, accents and what cannot be seen. */
function folded(text) {
  // most of a text is plain, and all the texts of a page are 50 MB
  return text.toLowerCase().replace(BEYOND_ASCII, bare).replace(/\s\s+|[\t\n\r]/g, " ");
}

const NUMBERS = new Intl.NumberFormat("en");

function number(value) {
  return NUMBERS.format(value);
}

function named(code) {
  return String(code).replaceAll("_", " ");
}
