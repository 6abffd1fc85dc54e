// The list of items found, a page at a time: real elements of full height, so that texts wrap,
// find-in-page and screen readers work, and it costs the same for a hundred items and for 100,000.

const PAGE = 40;
const SOLVED = { 1: ["✓", "solved"], 0: ["✗", "not solved"], "-": ["–", "no score"] };

function pages(found) {
  return Math.max(1, Math.ceil(found.length / PAGE));
}

/** Return the entry of an item: a link to it. */
function entry(data, item, position, total, href) {
  const link = make("a", "rv-entry", about(data, item), rebusOf(data, item), chips(data, item));
  link.href = href;
  link.dataset.item = String(item);
  const line = make("li", "", link);
  line.setAttribute("aria-posinset", String(position + 1));
  line.setAttribute("aria-setsize", String(total));
  return line;
}

/** Return what tells an item apart, for people. */
function about(data, item) {
  const row = data.row(item);
  const told = [data.setting(item)];
  if (row.subset !== undefined && row.subset !== null) told.push(data.index.subsets[row.subset]);
  if (data.index.items.sample) told.push(`sample ${data.sample(item)}`);
  if (data.index.data.length > 1) told.push(data.index.data[row.data]);
  return make("span", "rv-about", "row ", visible(String(row.id)), " · ", visible(told.join(" · ")));
}

function rebusOf(data, item) {
  const text = data.rebus(item);
  if (text) return make("span", "rv-rebus", visible(text));
  const first = data.row(item).first_pass; // the study's files hold no rebus
  return make("span", "rv-rebus", first ? visible(first) : "rebus not at hand");
}

/** Return for each run whether it solved an item, and if not, where it broke. */
function chips(data, item) {
  const shown = make("span", "rv-chips");
  data.index.models.forEach((model, at) => {
    const letter = data.letter("solved", at, item);
    const [sign, spoken] = SOLVED[letter];
    // of one run the list need not say whose answer it is
    const name = make("span", data.index.models.length > 1 ? "rv-name" : "rv-spoken", visible(model.name));
    const mark = make("span", `rv-sign rv-sign-${letter === "-" ? "none" : letter}`, sign);
    mark.setAttribute("aria-hidden", "true");
    const step = verdict(data, at, item);
    const why = step && letter !== "1" ? make("span", "", ` ${step}`) : null;
    const chip = make("span", "rv-chip", mark, " ", name, make("span", "rv-spoken", `: ${spoken}`), why);
    shown.append(chip, " ");
  });
  return shown;
}

/** Return in a word what became of an answer. */
function verdict(data, model, item) {
  const { index } = data;
  const outcome = data.letter("outcome", model, item);
  if (outcome === UNKNOWN) return "not requested";
  if (index.outcomes[outcome] !== "ok") return named(index.outcomes[outcome]);
  const broke = data.letter("broke", model, item);
  return broke === UNKNOWN ? "" : named(index.steps[broke]);
}
