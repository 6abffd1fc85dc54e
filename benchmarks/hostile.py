"""`python -m benchmarks.hostile`: how long the parsers take for answers made to be slow to read.

Each kind of answer is read at 64 KB, 256 KB and 1 MB by both parsers. What takes linear time grows as
the text does: x 4 a step, and as many milliseconds a megabyte at every size. A pattern that is
quadratic grows x 16. CPU time, the best of some rounds; growth of less than a millisecond is not told.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from apieval.rebus.parsers import official, tolerant
from apieval.rebus.parsers.question import question
from apieval.records import Rebus
from benchmarks import table

SIZES: Final = (1 << 16, 1 << 18, 1 << 20)
TICK: Final = 0.001
_GUESS: Final = "- [{}] = parola\n"

KINDS: Final[Mapping[str, str]] = {
    "open brackets": "[",
    "closed brackets": "]",
    "bullets with an open bracket": "- [",
    "clues without an end": "- [indizio ",
    "signs": " = ",
    "clues and signs in one line": "- [a] = ",
    "digits": "7",
    "numbers with a sign": "6 = a ",
    "blanks": " ",
    "lines of blanks": "      \n",
    "tabs": "\t",
    "empty lines": "\n",
    "carriage returns": "\r",
    "open round brackets": "(",
    "nested round brackets": "(a ",
    "a label and open brackets": "soluzione (",
    "first-pass labels in a line": "Prima lettura: ",
    "solution labels in a line": "Soluzione: ",
    "lines with a solution": "Soluzione: a\n",
    "empty solutions": "Soluzione:\n",
    "solution words": "6 = parola\n",
    "solution words to split": "6 = d'a\n",
    "guesses": _GUESS.format("Indizio"),
    "answers": _GUESS.format("Indizio") + "Soluzione: a\n",
    "rebuses": "Rebus: [a] B\n",
    "openings": "Procediamo\n",
    "fences": "```\n",
    "backticks": "`",
    "asterisks": "*",
    "bold pieces": "**a** ",
    "underscores": "_a",
    "boxes never closed": "\\boxed{",
    "clues that go on": "[a]\n= b]\n",
    "numbered words in a line": "1) a ",
    "solutions without a value and words": "Soluzione:\n6 = a\n",
    "solutions and lines without a label": "Soluzione: a b\nA b\n",
    "a user's turns": "User: a\n",
    "backslashes": "\\",
    "table rows": "| [x] | y | z |\n",
    "one table row": "| a ",
    "quotations": "> ",
    "numbered bullets": "1. ",
    "thoughts opened": "<think>",
    "thoughts closed": "</think>",
    "thoughts in thoughts": "<think>a<think>b</think>",
    "tokens never closed": "<|",
    "tokens": "<|im_end|>",
    "combining marks": "\u0301",
    "combining marks in disorder": "\u0301\u0327",
    "letters with marks": "e\u0300",
    "full width": "\uff11",
    "zero width": "\u200b",
    "apostrophes": "d' ",
    "quotation marks": '"',
    "abbreviations": "a.b.",
    "full stops": ".",
    "remarks": " - ",
    "alternatives": " oppure ",
    "single letters": "A ",
    "arrows": "a → ",
    "corrections": "a, anzi ",
    "corrections in brackets": "a (no, ",
    "alternatives in brackets": "a (o b) ",
    "lines that correct": "No, aspetta: a\n",
    "lines that offer another": "Oppure: a\n",
    "lines of a word": "a\n",
    "numbered words": "6. a\n",
    "words and lengths": "a (6)\n",
    "labels and words below": "Soluzione:\na\n",
    "options": "Soluzione 1: a\n",
    "reversed guesses": "a = [Indizio]\n",
    "words in one line": "6 = a, ",
    "struck": "~~a~~ ",
    "never struck": "~~a",
    "struck letters": "a\u0336",
    "objects opened": '{"a":',
    "lists opened": '["',
    "objects": '{"soluzione": "a b"}\n',
    "keys": '"soluzione": "a b",\n',
    "answer tags": "<answer>a</answer>",
    "answer tags opened": "<answer>",
    "clues in tags": '<d t="Indizio">a</d>',
    "entities": "&amp;",
    "entities never ended": "&a",
    "byte-level marks": "\u0120a",
    "pieces": "\u2581a",
    "bytes": "<0x0A>",
    "escaped line breaks": "a\\n",
    "mojibake": "\u00c3\u00a8",
    "channels": "<|channel|>analysis<|message|>a<|end|>",
    "channels never ended": "<|channel|>analysis",
    "thoughts in brackets": "[THINK]a[/THINK]",
    "sentences of thoughts": "Here is my thought process:\n",
    "answers begun": "<|START_RESPONSE|>",
    "prose": "la parola che cerco ",
    "emoji": "\U0001f600",
}
LABELS: Final = ("", "Soluzione: ", "Prima lettura: ", "6 = ")
"""What a hostile line may begin with, so that it is read as a value."""


_ASKED: Final = question(
    Rebus(
        id=0,
        verbalized_rebus="VE [Indizio] NA [Altro]",
        verbalized_rebus_with_length_hints="VE [Indizio (4)] NA [Altro (6)]",
        solution_key="1 ' 5 8",
        word_guesses=(),
        first_pass="",
        solution_words=(),
        solution="",
    )
)
PARSERS: Final[Mapping[str, Callable[[str], object]]] = {
    f"{official.NAME}@{official.VERSION}": official.parse,
    f"{tolerant.NAME}@{tolerant.VERSION}": lambda text: tolerant.parse(text, _ASKED),
}


def main() -> None:
    """Measure every kind and print what it takes, the slowest first."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.hostile")
    options.add_argument("--repeat", type=int, default=2, metavar="N", help="the best of so many")
    repeat = options.parse_args().repeat
    for name, parse in PARSERS.items():
        measured = sorted(_measured(parse, repeat), key=lambda row: -row[1][-1])
        print(f"\n## Hostile answers, {name}\n")
        for line in _shown(measured):
            print(line, flush=True)


def _measured(
    parse: Callable[[str], object], repeat: int
) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield each kind, behind the label that makes it slowest, and its seconds by size."""
    for kind, unit in KINDS.items():
        label = max(LABELS, key=lambda each: _seconds(parse, _text(each, unit, SIZES[0]), repeat))
        taken = tuple(_seconds(parse, _text(label, unit, size), repeat) for size in SIZES)
        yield (f"{kind}, behind `{label.strip()}`" if label else kind), taken


def _shown(measured: Sequence[tuple[str, tuple[float, ...]]]) -> Iterator[str]:
    header = ["kind", *(f"ms / MB at {size >> 10} KB" for size in SIZES), "growth"]
    rows = []
    for kind, taken in measured:
        each = (1000 * s / (size / (1 << 20)) for s, size in zip(taken, SIZES, strict=True))
        growth = " ".join(f"x {b / a:.1f}" for a, b in pairwise(taken) if a > TICK)
        rows.append([kind, *(f"{ms:.0f}" for ms in each), growth or "-"])
    yield from table.grid(header, rows)


def _text(label: str, unit: str, size: int) -> str:
    """Return an answer of so many bytes, which ends as answers do."""
    return f"{label}{unit * (size // len(unit.encode()))}\nSoluzione: x"


def _seconds(parse: Callable[[str], object], text: str, repeat: int) -> float:
    best = float("inf")
    for _ in range(repeat):
        began = time.process_time()
        parse(text)
        best = min(best, time.process_time() - began)
    return best


if __name__ == "__main__":
    main()
