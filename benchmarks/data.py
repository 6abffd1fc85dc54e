"""Data files of made-up rebuses, as many as asked for, all different, the same every time.

Words are made of syllables and mean nothing, but every row obeys the rules of the game: the
hidden words fill the first pass, its letters spell the solution, key and hints give the lengths.
Prompts are as long as the real ones. Nothing here imports apieval, so that whoever makes the data
stays small: a child's peak memory is counted from its parent's.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

COLUMNS: Final = (
    "verbalized_rebus",
    "verbalized_rebus_with_length_hints",
    "solution_key",
    "word_guesses",
    "first_pass",
    "solution_words",
    "solution",
)
MODEL: Final = "bench-model"
MAX_TOKENS: Final = 1024
TEMPLATES: Final = Path(__file__).resolve().parents[1] / "apieval" / "rebus" / "templates"
_SEED: Final = 20_240_617
_ONSETS: Final = ("b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "tr", "st", "pr")
_VOWELS: Final = "aeiou"
_CONSONANTS: Final = "BCDFGLMNPRSTVZ"


def rows(count: int) -> Iterator[dict[str, str]]:
    """Yield so many rebuses, no two with the same first pass."""
    source = random.Random(_SEED)
    seen: set[str] = set()
    while len(seen) < count:
        row = _row(source)
        if row["first_pass"] not in seen:
            seen.add(row["first_pass"])
            yield row


def write(path: Path, count: int) -> None:
    """Write a data file of so many rebuses."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows(count))


def write_bodies(path: Path, count: int) -> None:
    """Write the request bodies that apieval makes of such a file, a line each, for bare loops."""
    template = (TEMPLATES / "regular.txt").read_text(encoding="utf-8")
    with path.open("w", encoding="utf-8") as file:
        for row in rows(count):
            text = template.format(**row)
            message = {"role": "user", "content": text}
            body = {"model": MODEL, "temperature": 0, "max_tokens": MAX_TOKENS}
            file.write(json.dumps({**body, "messages": [message]}) + "\n")


def _row(source: random.Random) -> dict[str, str]:
    plain: list[str] = []
    hinted: list[str] = []
    first_pass: list[str] = []
    words: list[str] = []
    for _ in range(source.randint(3, 5)):
        if source.random() < 0.7:  # noqa: PLR2004 # most clues have letters before them
            letters = letter_group(source)
            for line in (plain, hinted, first_pass):
                line.append(letters)
        word = made_word(source, source.randint(2, 3))
        clue = " ".join(made_word(source, source.randint(1, 4)) for _ in range(4)).capitalize()
        words.append(word)
        plain.append(f"[{clue}]")
        hinted.append(f"[{clue} ({len(word)})]")
        first_pass.append(word)
    solution = segments(source, "".join(first_pass).lower())
    lists = {"word_guesses": ";".join(words), "solution_words": ";".join(solution)}
    return lists | {
        "verbalized_rebus": " ".join(plain),
        "verbalized_rebus_with_length_hints": " ".join(hinted),
        "solution_key": " ".join(str(len(word)) for word in solution),
        "first_pass": " ".join(first_pass),
        "solution": " ".join(solution),
    }


def letter_group(source: random.Random) -> str:
    """Return one to three letters as they stand between hidden words."""
    return "".join(source.choices(_CONSONANTS, k=source.randint(1, 3)))


def made_word(source: random.Random, syllables: int) -> str:
    """Return a word of so many syllables."""
    parts = (source.choice(_ONSETS) + source.choice(_VOWELS) for _ in range(syllables))
    return "".join(parts)


def segments(source: random.Random, letters: str) -> list[str]:
    """Return letters cut into words, the first one capitalized."""
    words = []
    while letters:
        length = source.choice((1, 2, 2, 5, 6, 7, 8, 9))
        words.append(letters[:length])
        letters = letters[length:]
    return [words[0].capitalize(), *words[1:]]
