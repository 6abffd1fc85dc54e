"""Make tables for `apieval data verbalize` out of the package's own words: no collection is needed.

    python tools/make_tables.py FOLDER [--rebuses N] [--seed N]

writes `rebuses.csv` (Eureka5's columns), `clues.csv` (Clue, Answer) and `words.txt` (nine tenths of
the hidden words, to split `id` and `ood` by). Hidden words and clues are those of the package's
lexicon; solutions are own words in a row (`Sirena con ombrello`), correct in their letters and
without much sense. They test the tools and the mechanics of a solver, not its Italian.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from apieval.rebus.baseline.lexicon import SAMPLE
from apieval.rebus.baseline.words import fold

LINKS: Final = ("di", "e", "con", "per", "senza", "tra", "o", "ma", "contro", "sopra")
HEADER: Final = ("PRIMALET", "FRASE", "AUTORE", "RIVISTA", "ANNO", "TIPO")
_YEARS: Final = (2015, 2026)
_SHORTEST: Final = 3
"""Letters of a hidden word; shorter ones stand in any solution."""
_CONTENT: Final = 4
"""Letters of a solution's words beside the links."""
_GROUP: Final = 4
"""Letters that stand together at most."""
_LEAST_WORDS: Final = 2
_KNOWN: Final = 0.9
_TRIES: Final = 200


class _Cut(NamedTuple):
    """A first pass from some letter on: what it is worth, and its elements."""

    worth: float
    elements: tuple[str, ...]


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the three files."""
    parser = argparse.ArgumentParser(description="Make tables of our own words.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rebuses", type=int, default=800, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args(arguments)
    wanted.folder.mkdir(parents=True, exist_ok=True)
    source = random.Random(wanted.seed)
    with SAMPLE.open(encoding="utf-8", newline="") as file:
        header, *pairs = csv.reader(file)
    words = sorted({answer for _, answer in pairs if answer.isalpha() and not answer.isupper()})
    rows = list(_rows(source, words, wanted.rebuses))
    _write(wanted.folder / "rebuses.csv", [HEADER, *rows])
    _write(wanted.folder / "clues.csv", [header, *pairs])
    known = "\n".join(sorted(source.sample(words, int(len(words) * _KNOWN))))
    (wanted.folder / "words.txt").write_text(f"{known}\n", "utf-8")


def _write(path: Path, rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _rows(source: random.Random, words: Sequence[str], count: int) -> Iterator[tuple[str, ...]]:
    """Yield so many rebuses, or as many as the words give within many tries."""
    hidden = {fold(word): word for word in words if len(word) >= _SHORTEST}
    content = [word for word in words if len(word) >= _CONTENT]
    seen: set[str] = set()
    for _ in range(count * _TRIES):
        if len(seen) == count:
            return
        phrase = _phrase(source, content)
        solution = " ".join([phrase[0].capitalize(), *phrase[1:]])
        elements = first_pass(phrase, hidden)
        if elements and solution not in seen:
            seen.add(solution)
            year = str(source.randint(*_YEARS))
            yield (" - ".join(elements), solution, "apieval", "own", year, "")


def _phrase(source: random.Random, content: Sequence[str]) -> list[str]:
    one, other, third = source.sample(content, 3)
    link = source.choice(LINKS)
    return source.choice(([one, link, other], [one, other], [one, other, link, third]))


def first_pass(phrase: Sequence[str], hidden: Mapping[str, str]) -> tuple[str, ...]:
    """Return a phrase's letters cut into hidden words and letters; nothing where that is no rebus.

    No hidden word is one of the solution's.
    """
    letters = "".join(map(fold, phrase))
    own = set(map(fold, phrase))
    usable = {spelt: word for spelt, word in hidden.items() if spelt not in own}
    elements = _best(letters, usable).elements
    groups = [each for each in elements if each.isupper()]
    words = len(elements) - len(groups)
    usual = all(len(each) <= _GROUP for each in groups)
    return elements if words >= _LEAST_WORDS and usual else ()


def _best(letters: str, hidden: Mapping[str, str]) -> _Cut:
    """Return the cut with the most letters in hidden words, longer ones before shorter ones."""
    cuts = [_Cut(0.0, ())] * (len(letters) + 1)
    for start in reversed(range(len(letters))):
        after = cuts[start + 1]
        joined = after.elements[:1] if after.elements and after.elements[0].isupper() else ()
        group = letters[start].upper() + "".join(joined)
        best = _Cut(after.worth, (group, *after.elements[len(joined) :]))
        for end in range(start + _SHORTEST, len(letters) + 1):
            if word := hidden.get(letters[start:end]):
                worth = cuts[end].worth + (end - start) ** 1.5
                best = max(
                    best, _Cut(worth, (word, *cuts[end].elements)), key=lambda cut: cut.worth
                )
        cuts[start] = best
    return cuts[0]


if __name__ == "__main__":
    main()
