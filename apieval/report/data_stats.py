"""What `apieval data stats` shows: the study's table, a column a subset; then what a run asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from apieval.records import Setting
from apieval.report.data_checks import title
from apieval.report.terminal import number, visible
from apieval.results.data import DataStats, Keys, PromptLengths, PromptTokens, SubsetStats, Unseen
from apieval.wording import counted

COLUMNS: Final = 4
"""Subsets that stand beside each other in 80 columns; more of them make more tables."""
BAR: Final = 20
_LABEL: Final = 19
_NOTE: Final = (
    "mean/sd; sd of the population (divided by n), as in the study. Word lengths are over the "
    "different words, as there, and over every word; first passes and solutions are in characters."
)
_ALL: Final = "all"
_Cell = Callable[[SubsetStats], str]


def render(document: DataStats) -> Iterator[RenderableType]:
    """Yield the tables of a data file's statistics."""
    subsets = document["subsets"]
    yield Text(visible(title(document)), style="bold")
    if document["left_out"]:
        yield Text(
            f"{counted(document['left_out'], 'row')} that cannot be used left out; `apieval data "
            "verify` names them",
            style="bold yellow",
        )
    names = list(subsets)
    for start in range(0, len(names), COLUMNS):
        yield _figures(document, names[start : start + COLUMNS])
    yield Text(_NOTE, style="dim")
    whole = subsets[_ALL]
    yield _histograms(whole)
    if whole["keys"] is not None:
        yield Text(_keys(whole["keys"]), style="dim")
        yield from _without_room(whole["prompts"] or {})


def _figures(document: DataStats, names: Sequence[str]) -> Table:
    table = Table()
    table.add_column("", overflow="fold", min_width=_LABEL)
    for name in names:
        table.add_column(Text(visible(name)), justify="right", overflow="fold")
    for section, rows in _sections(document):
        table.add_row(Text(visible(section), style="bold"))
        for label, cell in rows:
            table.add_row(f" {label}", *(cell(document["subsets"][name]) for name in names))
    return table


def _sections(document: DataStats) -> Iterator[tuple[str, list[tuple[str, _Cell]]]]:
    """Yield the parts of the table: a title, and the rows below it."""
    whole = document["subsets"][_ALL]
    yield "rebuses", [("examples", lambda part: f"{part['examples']:,}")]
    yield "first pass", list(_of_words("first_pass"))
    yield "solution", list(_of_words("solution"))
    for setting, found in (whole["prompts"] or {}).items():
        yield f"prompt, {setting}", list(_of_prompts(setting, found["tokens"]))
    if whole["unseen"] is not None:
        yield f"not in {document['unseen_in']}", list(_of_unseen(whole["unseen"]))


def _of_words(name: str) -> Iterator[tuple[str, _Cell]]:
    yield "unique words", _count(name, "unique_words")
    yield "case aside", _count(name, "unique_words_case_aside")
    yield "words/example", _spread(name, "words_per_example")
    yield "word length", _spread(name, "word_length")
    yield "of every word", _spread(name, "word_length_of_every_word")
    yield "length", _spread(name, "length")


def _of_prompts(setting: Setting, tokens: PromptTokens | None) -> Iterator[tuple[str, _Cell]]:
    yield "characters", _spread("prompts", setting, "characters", places=0)
    if tokens is not None:
        where = ("prompts", setting, "tokens")
        yield "tokens", _spread(*where, "prompt", places=0)
        yield "right answer's", _spread(*where, "right_answer", places=0)
        yield f"both over {tokens['room']:,}", _count(*where, "rows_without_room")


def _of_unseen(found: Unseen) -> Iterator[tuple[str, _Cell]]:
    yield "hidden words", _count("unseen", "unseen_words")
    yield "of all of them", _percent("unseen", "share_of_words")
    yield "rows with one", _count("unseen", "rows_with_unseen_words")
    yield "of all rows", _percent("unseen", "share_of_rows")
    if "same_first_pass" in found:
        yield "first passes in it", _count("unseen", "same_first_pass")
        yield "solutions in it", _count("unseen", "same_solution")


def _at(part: SubsetStats, path: Sequence[str]) -> Any:  # noqa: ANN401 # a figure of it
    found: Any = part
    for name in path:
        found = found[name]
    return found


def _count(*path: str) -> _Cell:
    return lambda part: f"{_at(part, path):,}"


def _spread(*path: str, places: int = 2) -> _Cell:
    def cell(part: SubsetStats) -> str:
        found = _at(part, path)
        return f"{number(found['mean'], places)}/{number(found['sd'], places)}"

    return cell


def _percent(*path: str) -> _Cell:
    def cell(part: SubsetStats) -> str:
        share = _at(part, path)
        return "-" if share is None else f"{share:.1%}"

    return cell


def _histograms(whole: SubsetStats) -> Table:
    """Return how many hidden words and solution words there are of each length."""
    hidden, words = whole["word_lengths"], whole["solution_word_lengths"]
    table = Table()
    table.add_column("length", justify="right", no_wrap=True)
    table.add_column("hidden words", no_wrap=True)
    table.add_column("solution words", no_wrap=True)
    most = max([*hidden.values(), *words.values()], default=1)
    for length in sorted({*hidden, *words}, key=int):
        cells = (_bar(counts.get(length, 0), most) for counts in (hidden, words))
        table.add_row(length, *cells)
    return table


def _bar(count: int, most: int) -> str:
    return f"{count:>7,} {'█' * -(-count * BAR // most)}" if count else ""


def _keys(keys: Keys) -> str:
    numbers = ", ".join(f"{n}: {rows:,}" for n, rows in keys["numbers_per_key"].items())
    often = ", ".join(f"{each['key']} ({each['rows']:,})" for each in keys["most_frequent"][:5])
    return visible(
        f"numbers in a key: {numbers}\n{counted(keys['different'], 'different key')}, most often {often}"
    )


def _without_room(prompts: Mapping[Setting, PromptLengths]) -> Iterator[Text]:
    for setting, found in prompts.items():
        if (tokens := found["tokens"]) is None:
            continue
        rows = counted(tokens["rows_without_room"], "row")
        verb = "exceeds" if tokens["rows_without_room"] == 1 else "exceed"
        yield Text(
            f"{setting}: {rows} {verb} {tokens['room']:,} tokens, prompt and right answer together "
            "(a chat template's own not counted)",
            style="dim",
        )
