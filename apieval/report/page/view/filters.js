// Which items are wanted: by what the index says of their answers, and by the words in them.

const UNKNOWN = "-";
const APART = " \u241e "; // between parts, so that no phrase is found across two

/** Return the options of each filter: value and what it is called, the first for no filter. */
function choices(data) {
  const { index } = data;
  const names = index.models.map((model) => model.name);
  const used = (kind, known) =>
    known.filter((_, place) => index.answers.some((a) => a[kind].includes(String(place))));
  const plainly = (values) => values.map((value) => [value, named(value)]);
  const solved = [["", "any or none"]];
  if (names.length > 1) {
    solved.push(["all", "all of them"], ["none", "none of them"], ["some", "some, not all"]);
    solved.push(...names.map((name) => [`only:${name}`, `only ${name}`]));
  }
  solved.push(...names.map((name) => [`yes:${name}`, name]), ...names.map((name) => [`no:${name}`, `not ${name}`]));
  const settings = index.settings.filter((_, place) => index.items.setting.includes(String(place)));
  return {
    model: [["", "any"], ...names.map((name) => [name, name])],
    setting: [["", "any"], ...plainly(settings)],
    subset: [["", "any"], ...index.subsets.map((name) => [name, name])],
    outcome: [["", "any"], ...plainly(used("outcome", index.outcomes))],
    broke: [["", "any"], ...plainly(used("broke", index.steps))],
    solved,
  };
}

/** Return a test of an item by everything but the words; one that no item passes for an unknown value. */
function tester(data, state) {
  const { index } = data;
  const names = index.models.map((model) => model.name);
  const tests = [];
  const models = state.model ? [names.indexOf(state.model)] : [...names.keys()];
  if (models[0] === -1) return () => false;
  if (state.model) tests.push((item) => data.letter("outcome", models[0], item) !== UNKNOWN);
  if (state.setting) tests.push((item) => data.setting(item) === state.setting);
  if (state.subset) {
    const subset = index.subsets.indexOf(state.subset);
    tests.push((item) => data.row(item).subset === subset);
  }
  // both of one answer: a run that was cut off and another that broke at the first pass are two things
  const asked = [];
  if (state.outcome) asked.push(["outcome", String(index.outcomes.indexOf(state.outcome))]);
  if (state.broke) asked.push(["broke", String(index.steps.indexOf(state.broke))]);
  if (asked.length) {
    tests.push((item) =>
      models.some((model) => asked.every(([kind, letter]) => data.letter(kind, model, item) === letter)));
  }
  if (state.solved) tests.push(solvedBy(data, names, state.solved));
  return (item) => tests.every((test) => test(item));
}

/** Return a test of who solved an item; of an answer that is not there nobody knows. */
function solvedBy(data, names, wanted) {
  const letters = (item) => names.map((_, model) => data.letter("solved", model, item));
  const [how, ...rest] = wanted.split(":");
  const model = names.indexOf(rest.join(":"));
  const tests = {
    all: (each) => each.every((letter) => letter === "1"),
    none: (each) => each.includes("0") && !each.includes("1"),
    some: (each) => each.includes("0") && each.includes("1"),
    only: (each) => each[model] === "1" && each.every((letter, at) => at === model || letter === "0"),
    yes: (each) => each[model] === "1",
    no: (each) => each[model] === "0",
  };
  const test = tests[how];
  return test ? (item) => test(letters(item)) : () => false;
}

/** Return the words that are searched: apart at blanks, together in quotes. */
function words(query) {
  const found = [...folded(query).matchAll(/"([^"]*)"?|(\S+)/g)];
  return found.map(([, quoted, word]) => (quoted ?? word).trim()).filter(Boolean);
}

/** Search the items: rebus, gold and what was read at once, raw answers chunk by chunk. */
class Search {
  constructor(data) {
    this.data = data;
    this.known = null;
  }

  /** Return the items that a state wants, in their order; null where it was given up meanwhile. */
  async found(state, stale, say) {
    const items = [...Array(this.data.size).keys()].filter(tester(this.data, state));
    if (!words(state.q).length) return items;
    say("Searching…");
    return this.among(items, state.q, state.raw === "1", stale);
  }

  /** Return the searched text of every item, made once. */
  texts() {
    this.known ??= this.read();
    return this.known;
  }

  async read() {
    const { data } = this;
    const known = new Array(data.size);
    for await (const [first, values] of data.steps.all()) {
      values.forEach((answers, at) => {
        const item = first + at;
        known[item] = folded([...this.gold(item), ...answers.flatMap((each) => (each ? said(each) : []))].join(APART));
      });
    }
    return known;
  }

  gold(item) {
    const row = this.data.row(item);
    const told = [`#${row.id}`];
    if (row.solution === undefined) return told;
    const words = [...row.word_guesses, ...row.solution_words];
    return [...told, this.data.rebus(item), row.key, row.first_pass, row.solution, ...words];
  }

  /** Return the items with all the words of a query among some; null where it was given up meanwhile. */
  async among(items, query, raw, stale) {
    const wanted = words(query);
    const known = await this.texts();
    if (stale()) return null;
    const missing = (item) => wanted.filter((word) => !has(known[item], word));
    if (!raw) return items.filter((item) => !missing(item).length);
    const left = new Map(items.map((item) => [item, missing(item)]));
    for await (const [first, values] of this.data.texts.all()) {
      if (stale()) return null;
      values.forEach((answers, at) => {
        const lacking = left.get(first + at);
        if (!lacking?.length) return;
        const text = folded(answers.filter(Boolean).flat().filter(Boolean).map(plain).join(APART));
        left.set(first + at, lacking.filter((word) => !text.includes(word)));
      });
    }
    return items.filter((item) => !left.get(item).length);
  }
}

/** Say whether a text has a word; `#12` is the row 12 and not 123. */
function has(text, word) {
  if (!word.startsWith("#")) return text.includes(word);
  return text === word || text.startsWith(`${word} `);
}

/** Return what was read in an answer. */
function said(answer) {
  const readings = [answer.official, answer.tolerant].filter(Boolean);
  return readings.flatMap((read) => [
    plain(read.first_pass),
    plain(read.solution),
    ...read.word_guesses[0].map(plain),
    ...read.solution_words[0].map(plain),
  ]);
}
