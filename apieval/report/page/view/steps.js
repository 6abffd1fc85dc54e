// The steps of an item: a row for each thing that is right or wrong, gold and runs side by side.

const MARKS = {
  2: ["✓", "right", "rv-right"],
  1: ["≈", "wrong, of the right length", "rv-wrong"],
  0: ["✗", "wrong", "rv-wrong"],
};

const COUNTED = {
  word_guesses: "word_guess_accuracy",
  first_pass: "first_pass_accuracy",
  solution_words: "solution_word_accuracy",
  solution: "solution_match",
};

/** Return the table of an item's steps; `answers` are those of the runs, null without one. */
function stepsOf(data, item, answers) {
  const row = data.row(item);
  const head = make("tr", "", header("col", "Step"), header("col", "Gold"));
  for (const model of data.index.models) head.append(header("col", visible(model.name)));
  const body = make("tbody", "");
  for (const line of lines(data, item, row, answers)) body.append(tableRow(data, line, answers));
  const table = make("table", "rv-steps", make("caption", "", "Steps"), make("thead", "", head), body);
  table.setAttribute("role", "table"); // it stays one where narrow pages lay it out as blocks
  return make("div", "rv-scroll", table, legend());
}

function legend() {
  const told = make("p", "rv-legend");
  for (const [sign, spoken, className] of [MARKS[2], MARKS[1], MARKS[0]]) {
    told.append(make("span", className, make("b", "rv-sign", sign), ` ${spoken}`), " ");
  }
  return told;
}

function header(scope, ...children) {
  const cell = make("th", "", ...children);
  cell.scope = scope;
  cell.setAttribute("role", scope === "col" ? "columnheader" : "rowheader");
  return cell;
}

/** Yield the lines of the table: what each is called, its gold, and where in an answer it stands. */
function* lines(data, item, row, answers) {
  const clues = [...(data.rebus(item) ?? "").matchAll(/\[([^\]]*)\]/g)].map((found) => found[1]);
  yield* wordLines("word_guesses", row.word_guesses, answers, (at) => clues[at] ?? `word ${at + 1}`);
  yield { name: "First pass", part: "first_pass", gold: row.first_pass };
  const lengths = (words) => (at) => `word ${at + 1}${words?.[at] ? ` (${[...words[at]].length})` : ""}`;
  const along = row.along_key; // the tolerant parser's, where the file splits the solution otherwise
  const official = along ? "official" : null;
  yield* wordLines("solution_words", row.solution_words, answers, lengths(row.solution_words), official);
  if (along && answers.some((each) => each?.tolerant)) {
    yield* wordLines("solution_words", along, answers, lengths(along), "tolerant");
  }
  yield { name: "Solution", part: "solution", gold: row.solution };
}

function* wordLines(part, gold, answers, name, only = null) {
  const longest = Math.max(0, ...answers.map((each) => each?.official[part][0].length ?? 0));
  const count = gold?.length ?? longest;
  for (let at = 0; at < count; at += 1) {
    yield { name: `${only === "tolerant" ? "tolerant: " : ""}${name(at)}`, part, at, gold: gold?.[at], only };
  }
  const beyond = (each) => each && (each[only ?? "official"] ?? each.official)[part][0].length > count;
  if (answers.some(beyond)) yield { name: "beyond the last", part, from: count, gold: "", only };
}

function tableRow(data, line, answers) {
  const shown = make("tr", `rv-part-${line.part}`);
  shown.setAttribute("role", "row");
  shown.append(header("row", visible(line.name)));
  shown.append(cell("Gold", "rv-gold", line.gold === undefined ? "not at hand" : visible(line.gold)));
  answers.forEach((answer, at) => {
    shown.append(cell(data.index.models[at].name, "", answer ? readings(line, answer) : "not requested"));
  });
  return shown;
}

function cell(label, className, ...children) {
  const name = make("span", "rv-label", visible(label));
  name.setAttribute("aria-hidden", "true"); // the column's header says it
  const made = make("td", className, name, make("span", "rv-value", ...children));
  made.setAttribute("role", "cell");
  return made;
}

/** Return what the official parser read, and the tolerant one where that is something else. */
function readings(line, answer) {
  const shown = document.createDocumentFragment();
  if (line.only !== "tolerant") shown.append(reading(line, answer.official));
  if (!answer.tolerant || line.only === "official") return shown;
  const other = reading(line, answer.tolerant);
  if (line.only === "tolerant") return other;
  if (other.textContent === shown.textContent) return shown;
  shown.append(make("div", "rv-tolerant", make("span", "rv-by", "tolerant: "), other));
  return shown;
}

function reading(line, read) {
  if (line.from !== undefined) return beyond(line, read);
  const list = line.at !== undefined;
  const value = list ? read[line.part][0][line.at] : read[line.part];
  const mark = read.marks[line.part]?.[list ? line.at : 0];
  const text = value === undefined || value === "" ? make("i", "", "missing") : whole(value);
  return make("div", "rv-reading", signOf(mark, read, line.part), " ", text);
}

/** Return the words that nobody asked for; they count neither right nor wrong. */
function beyond(line, read) {
  const [words, more] = read[line.part];
  const shown = make("div", "rv-reading");
  words.slice(line.from).forEach((word, at) => shown.append(at ? ", " : "", whole(word)));
  if (more) shown.append(make("span", "rv-left-out", ` and ${number(more)} more`));
  return shown;
}

function signOf(mark, read, part) {
  if (mark !== undefined) return sign(...MARKS[mark]);
  const counts = read.counts[COUNTED[part]];
  if (counts) return sign("?", `${counts[0]} of ${counts[1]} right, which ones is not known`, "rv-untold");
  if (read.counts[COUNTED.solution]) return sign("=", "given to the model", "rv-untold");
  return sign("–", "no score", "rv-untold");
}

function sign(character, spoken, className) {
  const shown = make("b", "rv-sign", character);
  shown.setAttribute("aria-hidden", "true");
  const mark = make("span", `rv-mark ${className}`, shown, make("span", "rv-spoken", `${spoken}:`));
  mark.title = spoken;
  return mark;
}
