"""The baseline with a clue dictionary of real size: `python -m benchmarks.lexicon [--words FILE]`.

The dictionary is made up here, the same every time: 125,000 pairs of clues and answers, an answer
with several clues, a clue with up to 500 answers. Rebuses are drawn from its words. Times are CPU
times of this one process, so that a busy machine moves them little; it sends nothing.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from apieval.rebus import dataset
from apieval.rebus.baseline.lexicon import Lexicon
from apieval.rebus.baseline.solver import solve
from apieval.rebus.parsers import official
from benchmarks import table

PAIRS: Final = 125_000
ANSWERS: Final = 40_000
REBUSES: Final = 200
SIZES: Final = ((500, 6), (100, 80), (50, 150), (20, 600), (10, 1500), (5, 4000), (3, 7000))
"""How many answers a clue has, and how many clues have so many; all others have one."""
_SEED: Final = 20_240_617
_ONSETS: Final = ("b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "tr", "st", "")


def pairs() -> Iterator[tuple[str, str]]:
    """Yield the clues and answers of the dictionary."""
    source = random.Random(_SEED)
    words: dict[str, None] = {}
    while len(words) < ANSWERS:
        syllables = range(source.choice((1, 2, 2, 3, 3, 3, 4)))
        word = "".join(source.choice(_ONSETS) + source.choice("aeiou") for _ in syllables)
        words[word if len(word) > 1 else f"{word}l"] = None
    answers, made, number = list(words), 0, 0
    for size, clues in (*SIZES, (1, PAIRS)):
        for _ in range(clues):
            number += 1
            for word in source.sample(answers, size):
                if made < PAIRS:
                    yield f"{'Definizioni' if size > 1 else 'Cosa'} numero {number} di {size}", word
                made += 1


def main() -> None:
    """Measure and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=Path, help="an Italian word list, for the last table")
    words = parser.parse_args().words
    with TemporaryDirectory() as folder:
        path = Path(folder) / "lexicon.csv"
        path.write_text("".join(f"{clue},{word}\n" for clue, word in pairs()), encoding="utf-8")
        _show("A dictionary of 125,000 pairs", _scale(path))
    _show("The sample, its own dictionary", _sample(None))
    if words:
        _show("The sample, with a word list", _sample(words))


def _show(title: str, values: dict[str, float]) -> None:
    print(*table.numbers(title, values), sep="\n", flush=True)


def _solved(asked: Sequence[tuple[str, str]], lexicon: Lexicon) -> list[str]:
    return [solve(rebus, key, lexicon) for rebus, key in asked]


def _cpu_ms(do: Callable[[], object]) -> float:
    began = time.process_time()
    do()
    return 1000 * (time.process_time() - began)


def _scale(path: Path) -> dict[str, float]:
    found: list[Lexicon] = []
    load = _cpu_ms(lambda: found.append(Lexicon.load(path)))
    lexicon = found[0]
    index = _cpu_ms(lexicon.index)
    clues = [*lexicon.entries]
    by_size = {size: [c for c in clues if c.endswith(f"di{size}")] for size in (1, 10, 100, 500)}
    source = random.Random(_SEED)

    def rebus(size: int, count: int) -> tuple[str, str]:
        chosen = [source.choice(by_size[size]) for _ in range(count)]
        picked = [source.choice(lexicon.entries[clue]).letters for clue in chosen]
        total = sum(map(len, picked)) + count
        return "".join(f"[{c}] S " for c in chosen), f"{total // 2} {total - total // 2}"

    cases = {
        "3 clues of 1 answer": [rebus(1, 3) for _ in range(REBUSES)],
        "3 clues of 10": [rebus(10, 3) for _ in range(REBUSES)],
        "1 clue of 500": [rebus(500, 1) for _ in range(20)],
        "8 clues of 100": [rebus(100, 8) for _ in range(20)],
        "1 unknown clue": [("AC [mai vista] NE", "11")] * 3,
        "1 unknown clue with a hint": [("AC [mai vista (7)] NE", "11")] * 3,
    }
    times = {
        f"{name}, CPU ms a rebus": _cpu_ms(partial(_solved, asked, lexicon)) / len(asked)
        for name, asked in cases.items()
    }
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    return {"load, CPU s": load / 1000, "index, CPU s": index / 1000, **times, "peak MB": peak}


def _sample(words: Path | None) -> dict[str, float]:
    lexicon = Lexicon.load(None, words)
    rows = dataset.load(dataset.SAMPLE).rebuses
    values: dict[str, float] = {}
    for setting in ("regular", "hints"):
        field = "verbalized_rebus" + ("_with_length_hints" if setting == "hints" else "")
        asked = [(getattr(row, field), row.solution_key) for row in rows]
        spent = _cpu_ms(partial(_solved, asked, lexicon))
        answers = _solved(asked, lexicon)
        solved = [official.parse(text).solution.lower() for text in answers]
        right = sum(row.solution.lower() == each for row, each in zip(rows, solved, strict=True))
        values[f"{setting}, CPU ms a rebus"] = spent / len(rows)
        values[f"{setting}, solution match"] = right / len(rows)
    return values


if __name__ == "__main__":
    main()
