// The list of items found, a page at a time: real elements of full height, so that texts wrap,
// find-in-page and screen readers work, and it costs the same for a hundred items and for 100,000.

const PAGE = 40;
const SOLVED = { 1: ["✓", "solved"], 0: ["✗", "not solved"], "-": ["–", "no score"] };

/** Return the entry of an item: a link to it. */
function entry(data, item, position, total, href) {
  const link = make("a.rv-entry", { href, "data-item": item }, about(data, item), rebusOf(data, item), chips(data, item));
  return make("li", { "aria-posinset": position + 1, "aria-setsize": total }, link);
}

/** Return what tells an item apart, for people. */
function about(data, item) {
  const { index } = data;
  const row = data.row(item);
  const parts = [
    data.setting(item),
    index.subsets[row.subset],
    index.items.sample && `sample ${data.sample(item)}`,
    index.data.length > 1 ? index.data[row.data] : null,
  ];
  const shown = visible(parts.filter((part) => part !== null && part !== undefined).join(" · "));
  return make("span.rv-about", "row ", visible(String(row.id)), " · ", shown);
}

function rebusOf(data, item) {
  const text = data.rebus(item) || data.row(item).first_pass; // the study's files hold no rebus
  return make("span.rv-rebus", text ? visible(text) : "rebus not at hand");
}

/** Return for each run whether it solved an item, and if not, what went wrong first. */
function chips(data, item) {
  const shown = make("span.rv-chips");
  data.names.forEach((name, at) => {
    const letter = data.letter("solved", at, item);
    const step = letter === "1" ? "" : verdict(data, at, item);
    // of one run the list need not say whose answer it is
    const run = make(data.names.length > 1 ? "span.rv-name" : "span.rv-spoken", visible(name));
    const spoken = make("span.rv-spoken", `: ${SOLVED[letter][1]}`);
    shown.append(make("span.rv-chip", solvedSign(letter), " ", run, spoken, step && make("span", ` ${step}`)), " ");
  });
  return shown;
}

function solvedSign(letter) {
  const kind = letter === UNKNOWN ? "none" : letter;
  return make(`b.rv-sign.rv-sign-${kind}`, { "aria-hidden": true }, SOLVED[letter][0]);
}

/** Return in a word what became of an answer. */
function verdict({ index }, model, item) {
  const { outcome, broke } = index.answers[model];
  const became = index.outcomes[outcome[item]];
  if (became === undefined) return "not requested";
  return named(became === "ok" ? (index.steps[broke[item]] ?? "") : became);
}
