// One item, open: the rebus, its steps, and what each run's answer was and took.

const FACTS = {
  of_own_guesses: (value) => `its first pass is ${value ? "" : "not "}made of its own guesses`,
  letters_kept: (value) => (value ? null : "its first pass changes the letters given"),
  key_obeyed: (value) => `its solution ${value ? "obeys" : "does not obey"} the key`,
  cer: (value) => (value ? `its solution differs from its own first pass (CER ${value})` : null),
  right_despite_wrong_steps: (value) => (value ? "right despite wrong steps" : null),
  wrong_despite_right_first_pass: (value) => (value ? "wrong despite a right first pass" : null),
  near_miss: (value, shows) => (value ? `${value} ${value === 1 ? "letter" : "letters"} off` : rightLetters(shows.key_obeyed)),
  copied_example: (value) => (value ? "copied from an example of the prompt" : null),
  loop: (value) => (value ? "ends in a loop" : null),
  other_language: (value) => `written in another language (${value})`,
};

/** Return what is wrong with a solution that has the right letters; of some data the key is not known. */
function rightLetters(obeyed) {
  if (obeyed) return "the right letters, otherwise written (accents, punctuation)";
  return `the right letters, otherwise divided or ${obeyed === false ? "punctuated" : "written"}`;
}

/** Return the head of an item, which has the focus when it is opened. */
function headOf(data, item, buttons) {
  const heading = make("h3", "", about(data, item));
  heading.id = "rv-item-heading";
  heading.tabIndex = -1;
  const row = data.row(item);
  const asked = make("p", "rv-asked", rebusOf(data, item));
  const key = row.key === undefined ? null : make("p", "rv-key", "Solution key: ", visible(row.key));
  return make("header", "", make("div", "rv-item-bar", heading, buttons), asked, key);
}

/** Return each run's answer beside the others: what became of it, what it took, its texts. */
function answersOf(data, item, answers, texts) {
  const shown = make("div", "rv-answers");
  data.index.models.forEach((model, at) => {
    const part = make("section", "rv-answer");
    const heading = make("h4", "", visible(model.name));
    heading.id = `rv-answer-${at}`;
    part.setAttribute("aria-labelledby", heading.id);
    part.append(heading);
    if (answers[at]) part.append(...answerOf(data, item, at, answers[at], texts[at]));
    else part.append(make("p", "", "Not requested in this run."));
    shown.append(part);
  });
  return shown;
}

function* answerOf(data, item, at, answer, texts) {
  const model = data.index.models[at];
  yield make("p", "rv-verdict", ...verdictOf(data, item, at));
  if (answer.took?.error) yield make("p", "rv-error", "Error: ", visible(answer.took.error));
  yield* listed("Shows", Object.entries(answer.shows ?? {}).map(([name, value]) => FACTS[name]?.(value, answer.shows)));
  yield* listed("Read through (tolerant)", [(answer.seen_through ?? []).map(named).join(", ")]);
  yield* listed("Not found (tolerant)", Object.entries(answer.why ?? {}).map(([part, why]) => `${named(part)}: ${why}`));
  const took = tookOf(answer.took ?? {});
  if (took.childElementCount) yield took;
  if (!model.texts) return;
  if (!texts) {
    yield make("p", "rv-left-out", `The raw answer is not here; see ${model.texts}.`);
    return;
  }
  if (texts[1]) yield folding("Reasoning", texts[1], model, false);
  yield folding("Raw answer", texts[0], model, true);
}

function verdictOf(data, item, at) {
  const letter = data.letter("solved", at, item);
  const [character, spoken] = SOLVED[letter];
  const mark = make("b", `rv-sign rv-sign-${letter === "-" ? "none" : letter}`, character);
  mark.setAttribute("aria-hidden", "true");
  const outcome = data.index.outcomes[data.letter("outcome", at, item)];
  const told = [mark, ` ${spoken}`, ` · outcome ${named(outcome)}`];
  if (outcome === "failed") told.push(", which is not the model's doing");
  const broke = data.letter("broke", at, item);
  const step = broke === UNKNOWN ? null : data.index.steps[broke];
  if (step && step !== "solved" && step !== "unanswered") told.push(` · broke first at ${named(step)}`);
  if (letter !== "1" && data.letter("tolerant", at, item) === "1") told.push(" · solved as the tolerant parser reads it");
  return told;
}

function* listed(title, told) {
  const lines = told.filter(Boolean);
  if (!lines.length) return;
  const list = make("ul", "", ...lines.map((line) => make("li", "", visible(line))));
  yield make("div", "rv-facts", make("h5", "", title), list);
}

function tookOf(took) {
  const shown = make("dl", "rv-took");
  const tell = (name, value) => {
    if (value !== null) shown.append(make("div", "", make("dt", "", name), make("dd", "", visible(String(value)))));
  };
  const given = (name) => took[name] ?? null;
  const count = (name) => (given(name) === null ? null : number(took[name]));
  const of = (name, called) => (given(name) === null ? "" : `, ${number(took[name])} ${called}`);
  if (count("prompt_tokens") !== null) tell("Prompt tokens", count("prompt_tokens") + of("cached_tokens", "cached"));
  if (count("completion_tokens") !== null) {
    tell("Completion tokens", count("completion_tokens") + of("reasoning_tokens", "of reasoning"));
  }
  if (given("latency_s") !== null) tell("Latency", `${took.latency_s.toFixed(2)} s`);
  if (given("cost_usd") !== null) tell("Cost", `$${Number(took.cost_usd.toPrecision(3))}${took.cached ? ", paid before" : ""}`);
  if (took.cached) tell("From the cache", "yes");
  if ((took.attempts ?? 1) !== 1) tell("Attempts", count("attempts"));
  tell("Finish reason", given("finish_reason"));
  tell("Served model", given("served_model"));
  tell("Answered", given("created")?.slice(0, 19).replace("T", " ") ?? null);
  return shown;
}

/** Return a long text that folds; what is folded is put into the page when it is opened. */
function folding(title, value, model, open) {
  const length = typeof value === "string" ? [...value].length : value[2];
  const cut = typeof value === "string" ? "" : ", not all of them here";
  const summary = make("summary", "", `${title}, ${number(length)} ${length === 1 ? "character" : "characters"}${cut}`);
  const shown = make("details", "rv-text", summary);
  const fill = () => {
    if (shown.childElementCount > 1) return;
    const text = length ? whole(value, model.texts) : make("i", "", "empty");
    const box = make("pre", "", text);
    box.tabIndex = 0; // so that the keyboard can scroll it
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", `${title}, ${model.name}`);
    shown.append(box);
  };
  shown.addEventListener("toggle", () => shown.open && fill());
  if (open) fill();
  shown.open = open;
  return shown;
}
