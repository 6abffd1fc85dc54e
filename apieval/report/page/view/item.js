// One item, open: the rebus, its steps with gold and runs side by side, and each run's answer.

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
const FACTS = {
  of_own_guesses: (value) => `its first pass is ${value ? "" : "not "}made of its own guesses`,
  letters_kept: (value) => !value && "its first pass changes the letters given",
  key_obeyed: (value) => `its solution ${value ? "obeys" : "does not obey"} the key`,
  cer: (value) => value && `its solution differs from its own first pass (CER ${value})`,
  right_despite_wrong_steps: (value) => value && "right despite wrong steps",
  wrong_despite_right_first_pass: (value) => value && "wrong despite a right first pass",
  near_miss: (value, { key_obeyed: obeyed }) => {
    if (value) return `${value} ${value === 1 ? "letter" : "letters"} off`;
    if (obeyed) return "the right letters, otherwise written (accents, punctuation)";
    // of some data the key is not known
    return `the right letters, otherwise divided or ${obeyed === false ? "punctuated" : "written"}`;
  },
  copied_example: (value) => value && "copied from an example of the prompt",
  loop: (value) => value && "ends in a loop",
  other_language: (value) => `written in another language (${value})`,
};

/** Return the head of an item, which has the focus when it is opened. */
function headOf(data, item, buttons) {
  const heading = make("h3", { id: "rv-item-heading", tabindex: -1 }, about(data, item));
  const { key } = data.row(item);
  const solution = key === undefined ? null : make("p.rv-key", "Solution key: ", visible(key));
  return make("header", make("div.rv-item-bar", heading, buttons), make("p.rv-asked", rebusOf(data, item)), solution);
}

/** Return the table of an item's steps; `answers` are those of the runs, null without one. */
function stepsOf(data, item, answers) {
  const head = make("tr", header("col", "Step"), header("col", "Gold"));
  head.append(...data.names.map((name) => header("col", visible(name))));
  const body = make("tbody");
  for (const line of lines(data.rebus(item), data.row(item), answers)) {
    const { name, part, gold } = line;
    const row = make(`tr.rv-part-${part}`, { role: "row" }, header("row", visible(name)));
    row.append(cell("td.rv-gold", "Gold", gold === undefined ? "not at hand" : visible(gold)));
    answers.forEach((answer, at) =>
      row.append(cell("td", data.names[at], answer ? readings(line, answer) : "not requested")));
    body.append(row);
  }
  const legend = make("p.rv-legend");
  for (const [sign, spoken, kind] of [MARKS[2], MARKS[1], MARKS[0]]) {
    legend.append(make(`span.${kind}`, make("b.rv-sign", sign), ` ${spoken}`), " ");
  }
  // it stays a table where narrow pages lay it out as blocks
  const table = make("table.rv-steps", { role: "table" }, make("caption", "Steps"), make("thead", head), body);
  return make("div.rv-scroll", table, legend);
}

function header(scope, ...children) {
  return make("th", { scope, role: scope === "col" ? "columnheader" : "rowheader" }, ...children);
}

function cell(tag, label, child) {
  const name = make("span.rv-label", { "aria-hidden": true }, visible(label)); // the column's header says it
  return make(tag, { role: "cell" }, name, make("span.rv-value", child));
}

/** Yield the lines of the table: what each is called, its gold, and where in an answer it stands. */
function* lines(rebus, row, answers) {
  const clues = [...(rebus ?? "").matchAll(/\[([^\]]*)\]/g)].map((found) => found[1]);
  yield* wordLines("word_guesses", row.word_guesses, answers, (at) => clues[at] ?? `word ${at + 1}`);
  yield { name: "First pass", part: "first_pass", gold: row.first_pass };
  const lengths = (words) => (at) => `word ${at + 1}${words?.[at] ? ` (${[...words[at]].length})` : ""}`;
  const along = row.along_key; // the tolerant parser's, where the file splits the solution otherwise
  const only = along ? "official" : null;
  yield* wordLines("solution_words", row.solution_words, answers, lengths(row.solution_words), only);
  if (along && answers.some((each) => each?.tolerant)) {
    const name = (at) => `tolerant: ${lengths(along)(at)}`;
    yield* wordLines("solution_words", along, answers, name, "tolerant");
  }
  yield { name: "Solution", part: "solution", gold: row.solution };
}

function* wordLines(part, gold, answers, name, only = null) {
  const readings = answers.filter(Boolean).map((each) => (each[only ?? "official"] ?? each.official)[part][0]);
  const longest = Math.max(0, ...readings.map((words) => words.length));
  const count = gold?.length ?? longest;
  for (let at = 0; at < count; at += 1) yield { name: name(at), part, at, gold: gold?.[at], only };
  if (longest > count) yield { name: "beyond the last", part, from: count, gold: "", only };
}

/** Return what the official parser read, and the tolerant one where that is something else. */
function readings(line, answer) {
  if (line.only === "tolerant") return reading(line, answer.tolerant ?? answer.official);
  const shown = document.createDocumentFragment();
  shown.append(reading(line, answer.official));
  if (!answer.tolerant || line.only === "official") return shown;
  const other = reading(line, answer.tolerant);
  if (other.textContent === shown.textContent) return shown;
  shown.append(make("div.rv-tolerant", make("span.rv-by", "tolerant: "), other));
  return shown;
}

function reading({ part, at, from }, read) {
  const shown = make("div.rv-reading");
  if (from !== undefined) {
    // nobody asked for these words; they count neither right nor wrong
    const [words, more] = read[part];
    words.slice(from).forEach((word, place) => shown.append(place ? ", " : "", whole(word)));
    if (more) shown.append(make("span.rv-left-out", ` and ${number(more)} more`));
    return shown;
  }
  const value = at === undefined ? read[part] : read[part][0][at];
  const text = value === undefined || value === "" ? make("i", "missing") : whole(value);
  shown.append(signOf(read.marks[part]?.[at ?? 0], read.counts, part), " ", text);
  return shown;
}

function signOf(mark, counts, part) {
  const [right, of] = counts[COUNTED[part]] ?? [];
  const given = counts[COUNTED.solution] ? ["=", "given to the model"] : ["–", "no score"];
  const unknown = of === undefined ? given : ["?", `${right} of ${of} right, which ones is not known`];
  const [sign, title, kind] = MARKS[mark] ?? [...unknown, "rv-untold"];
  const shown = make("b.rv-sign", { "aria-hidden": true }, sign);
  return make(`span.rv-mark.${kind}`, { title }, shown, make("span.rv-spoken", `${title}:`));
}

/** Return each run's answer beside the others: what became of it, what it took, its texts. */
function answersOf(data, item, answers, texts) {
  const shown = make("div.rv-answers");
  data.index.models.forEach((model, at) => {
    const id = `rv-answer-${at}`;
    const part = make("section.rv-answer", { "aria-labelledby": id }, make("h4", { id }, visible(model.name)));
    if (answers[at]) part.append(...answerOf(data, item, at, answers[at], texts[at]));
    else part.append(make("p", "Not requested in this run."));
    shown.append(part);
  });
  return shown;
}

function* answerOf(data, item, at, { took = {}, shows = {}, seen_through = [], why = {} }, texts) {
  const model = data.index.models[at];
  yield verdictOf(data, item, at);
  if (took.error) yield make("p.rv-error", "Error: ", visible(took.error));
  yield* listed("Shows", Object.entries(shows).map(([name, value]) => FACTS[name]?.(value, shows)));
  yield* listed("Read through (tolerant)", [seen_through.map(named).join(", ")]);
  yield* listed("Not found (tolerant)", Object.entries(why).map(([part, each]) => `${named(part)}: ${each}`));
  yield* tookOf(took);
  if (!model.texts) return;
  if (!texts) {
    yield make("p.rv-left-out", `The raw answer is not here; see ${model.texts}.`);
    return;
  }
  if (texts[1]) yield folding("Reasoning", texts[1], model, false);
  yield folding("Raw answer", texts[0], model, true);
}

function verdictOf(data, item, at) {
  const { index } = data;
  const solved = data.letter("solved", at, item);
  const outcome = index.outcomes[data.letter("outcome", at, item)];
  const step = index.steps[data.letter("broke", at, item)];
  const shown = make("p.rv-verdict", solvedSign(solved), ` ${SOLVED[solved][1]} · outcome ${named(outcome)}`);
  if (outcome === "failed") shown.append(", which is not the model's doing");
  if (step && step !== "solved" && step !== "unanswered") shown.append(` · first error at ${named(step)}`);
  const tolerant = solved !== "1" && data.letter("tolerant", at, item) === "1";
  if (tolerant) shown.append(" · solved as the tolerant parser reads it");
  return shown;
}

function* listed(title, told) {
  const lines = told.filter(Boolean).map((line) => make("li", visible(line)));
  if (lines.length) yield make("div.rv-facts", make("h5", title), make("ul", ...lines));
}

function* tookOf(took) {
  const known = (name, shown) => ((took[name] ?? null) === null ? null : shown(took[name]));
  const counts = (name, part, called) =>
    known(name, (count) => number(count) + (known(part, (more) => `, ${number(more)} ${called}`) ?? ""));
  const paid = took.cached ? ", paid before" : "";
  const facts = {
    "Prompt tokens": counts("prompt_tokens", "cached_tokens", "cached"),
    "Completion tokens": counts("completion_tokens", "reasoning_tokens", "of reasoning"),
    Latency: known("latency_s", (seconds) => `${seconds.toFixed(2)} s`),
    Cost: known("cost_usd", (cost) => `$${Number(cost.toPrecision(3))}${paid}`),
    "From the cache": took.cached ? "yes" : null,
    Attempts: known("attempts", (count) => (count === 1 ? null : number(count))),
    "Finish reason": known("finish_reason", String),
    "Served model": known("served_model", String),
    Answered: known("created", (when) => when.slice(0, 19).replace("T", " ")),
  };
  const lines = Object.entries(facts).filter(([, value]) => value !== null);
  if (!lines.length) return;
  yield make("dl.rv-took", ...lines.map(([name, value]) => make("div", make("dt", name), make("dd", visible(value)))));
}

/** Return a long text that folds; what is folded is put into the page when it is opened. */
function folding(title, value, model, open) {
  const length = typeof value === "string" ? [...value].length : value[2];
  const cut = typeof value === "string" ? "" : ", not all of them here";
  const characters = `${number(length)} ${length === 1 ? "character" : "characters"}`;
  const shown = make("details.rv-text", make("summary", `${title}, ${characters}${cut}`));
  const fill = () => {
    if (!shown.open || shown.childElementCount > 1) return;
    const text = length ? whole(value, model.texts) : make("i", "empty");
    // so that the keyboard can scroll it
    shown.append(make("pre", { tabindex: 0, role: "region", "aria-label": `${title}, ${model.name}` }, text));
  };
  shown.addEventListener("toggle", fill);
  shown.open = open;
  fill();
  return shown;
}
