// Which items are wanted: by what the index says of their answers, and by the words in them.

const UNKNOWN = "-";
const APART = " \u241e "; // between parts, so that no phrase is found across two

/** Return the options of each filter: value and what it is called, the first for no filter. */
function choices({ index, names }) {
  const used = (kind, known) =>
    known.filter((_, place) => index.answers.some((each) => each[kind].includes(String(place))));
  const any = (values, called = String) => [["", "any"], ...values.map((value) => [value, called(value)])];
  const several = [["all", "all of them"], ["none", "none of them"], ["some", "some, not all"]];
  const only = names.map((name) => [`only:${name}`, `only ${name}`]);
  return {
    model: any(names),
    setting: any(index.settings.filter((_, place) => index.items.setting.includes(String(place)))),
    subset: any(index.subsets),
    outcome: any(used("outcome", index.outcomes), named),
    broke: any(used("broke", index.steps), named),
    solved: [
      ["", "any or none"],
      ...(names.length > 1 ? [...several, ...only] : []),
      ...names.map((name) => [`yes:${name}`, name]),
      ...names.map((name) => [`no:${name}`, `not ${name}`]),
    ],
  };
}

/** Return a test of an item by everything but the words; one that no item passes for an unknown value. */
function tester(data, state) {
  const { index, names } = data;
  const tests = [];
  const models = state.model ? [names.indexOf(state.model)] : [...names.keys()];
  if (models[0] === -1) return () => false;
  if (state.model) tests.push((item) => data.letter("outcome", models[0], item) !== UNKNOWN);
  if (state.setting) tests.push((item) => data.setting(item) === state.setting);
  if (state.subset) tests.push((item) => index.subsets[data.row(item).subset] === state.subset);
  // both of one answer: a run that was cut off and another that first pass are two things
  const both = [];
  if (state.outcome) both.push(["outcome", String(index.outcomes.indexOf(state.outcome))]);
  if (state.broke) both.push(["broke", String(index.steps.indexOf(state.broke))]);
  tests.push((item) =>
    !both.length || models.some((model) => both.every(([kind, letter]) => data.letter(kind, model, item) === letter)));
  if (state.solved) tests.push(solvedBy(data, state.solved));
  return (item) => tests.every((test) => test(item));
}

/** Return a test of who solved an item; of an answer that is not there nobody knows. */
function solvedBy(data, wanted) {
  const [how, ...rest] = wanted.split(":");
  const model = data.names.indexOf(rest.join(":"));
  const tests = {
    all: (each) => each.every((letter) => letter === "1"),
    none: (each) => each.includes("0") && !each.includes("1"),
    some: (each) => each.includes("0") && each.includes("1"),
    only: (each) => each[model] === "1" && each.every((letter, at) => at === model || letter === "0"),
    yes: (each) => each[model] === "1",
    no: (each) => each[model] === "0",
  };
  const test = Object.hasOwn(tests, how) ? tests[how] : () => false;
  return (item) => test(data.names.map((_, at) => data.letter("solved", at, item)));
}

/** Return the words that are searched: apart at blanks, together in quotes. */
function words(query) {
  const found = [...folded(query).matchAll(/"([^"]*)"?|(\S+)/g)];
  return found.map(([, quoted, word]) => (quoted ?? word).trim()).filter(Boolean);
}

/** Say whether a text has a word; `#12` is the row 12 and not 123. */
function has(text, word) {
  if (!word.startsWith("#")) return text.includes(word);
  return text === word || text.startsWith(`${word} `);
}

/** Search the items: rebus, gold and what was read at once, raw answers chunk by chunk. */
class Search {
  constructor(data) {
    this.data = data;
    this.known = null; // the searched text of every item, made once
  }

  /** Return the items that a state wants, in their order; null where it was given up meanwhile. */
  async found(state, stale, say) {
    const items = [...Array(this.data.size).keys()].filter(tester(this.data, state));
    const wanted = words(state.q);
    if (!wanted.length) return items;
    say("Searching…");
    this.known ??= this.read();
    const known = await this.known;
    if (stale()) return null;
    const left = new Map(items.map((item) => [item, wanted.filter((word) => !has(known[item], word))]));
    for await (const [first, values] of state.raw === "1" ? this.data.texts.all() : []) {
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

  async read() {
    const known = [];
    for await (const [, values] of this.data.steps.all()) {
      for (const answers of values) {
        const readings = answers.flatMap((each) => [each?.official, each?.tolerant]).filter(Boolean);
        const read = readings.flatMap((each) =>
          [each.first_pass, each.solution, ...each.word_guesses[0], ...each.solution_words[0]].map(plain));
        known.push(folded([...this.gold(known.length), ...read].join(APART)));
      }
    }
    return known;
  }

  gold(item) {
    const row = this.data.row(item);
    if (row.solution === undefined) return [`#${row.id}`];
    const words = [...row.word_guesses, ...row.solution_words];
    return [`#${row.id}`, this.data.rebus(item), row.key, row.first_pass, row.solution, ...words];
  }
}
