"""Tables of printed rebuses and of clues, as large as asked for, the same every time.

Words are made of syllables and mean nothing; the letters of each first pass spell its solution.
Some rebuses cannot be verbalized, as in real tables: kinds that are not regular, words without a
clue, doubles, and letters that do not match.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from benchmarks.data import letter_group, made_word, segments

_SEED: Final = 20_240_617
_WORDS_A_REBUS: Final = (1, 2, 2, 3, 3, 3, 4, 4, 5)
_YEARS: Final = (1950, 2025)


def write(folder: Path, rebuses: int, clues: int) -> tuple[Path, Path]:
    """Write both tables, and return their paths: the rebuses, the clues."""
    source = random.Random(_SEED)
    words = sorted(
        {made_word(source, source.choice((1, 2, 2, 3, 3, 4))) for _ in range(clues // 3)}
    )
    source.shuffle(words)
    known = words[: len(words) * 9 // 10]
    paths = folder / "rebuses.csv", folder / "clues.csv"
    _write(
        paths[0], ("PRIMALET", "FRASE", "AUTORE", "ANNO", "TIPO"), _rebuses(source, rebuses, words)
    )
    _write(paths[1], ("Clue", "Answer"), _clues(source, clues, known))
    return paths


def _write(path: Path, header: Sequence[str], rows: Iterator[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _rebuses(
    source: random.Random, count: int, words: Sequence[str]
) -> Iterator[tuple[str, str, str, str, str]]:
    row = ("", "", "", "", "")
    for number in range(count):
        if number % 100:  # one in a hundred is a double
            row = _rebus(source, words)
        yield row


def _rebus(source: random.Random, words: Sequence[str]) -> tuple[str, str, str, str, str]:
    parts = []
    for _ in range(source.choice(_WORDS_A_REBUS)):
        parts.append(letter_group(source))
        parts.append(source.choice(words))
    solution = segments(source, "".join(parts).lower())
    if not source.randrange(50):
        solution.append("x")
    kind = "" if source.randrange(5) else "stereorebus"
    year = str(source.randint(*_YEARS))
    return " - ".join(parts), " ".join(solution), "Ignoto", year, kind


def _clues(source: random.Random, count: int, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    for number in range(count):
        clue = " ".join(made_word(source, source.randint(1, 4)) for _ in range(5)).capitalize()
        answer = words[number] if number < len(words) else source.choice(words)
        yield clue, answer
