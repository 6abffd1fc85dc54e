"""What accuracy depends on, in 80 columns: a table a setting, a block for each thing it may be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from apieval.records import Setting
from apieval.report.terminal import FIGURE, number
from apieval.results.figures import Correlation, Group, Groups

_OFFICIAL: Final = "official"
_TOLERANT: Final = "tolerant"
_BLOCKS: Final = {
    ("word_guess_accuracy", "word_length"): "words, by letters",
    ("word_guess_accuracy", "frequency"): "words, by frequency",
    ("word_guess_accuracy", "hidden_words"): "words, by hidden words",
    ("solution_match", "hidden_words"): "solutions, by hidden words",
    ("solution_match", "solution_length"): "solutions, by letters",
    ("solution_word_accuracy", "solution_length"): "solution words, by letters",
}
_LEGEND: Final = (
    "rho: Spearman's rank correlation, with its 95 % interval. n: words, or solutions. hidden words: "
    "how many the rebus has. solution words, by letters: of the whole solution. frequency: in "
    "Italian, on the Zipf scale (3 is once in a million words)."
)


def render(
    found: Mapping[Setting, Mapping[str, Mapping[str, Mapping[str, Groups]]]] | None,
) -> Iterator[RenderableType]:
    """Yield a table for each setting, and why there is no block where one is missing."""
    if found is None:
        return
    for setting, parsers in found.items():
        yield _table(setting, parsers)
        for (metric, what), title in _measured(parsers):
            if why := parsers[_OFFICIAL][metric][what]["why"]:
                yield Text(f"{title}: {why}", style="dim")
    yield Text(_LEGEND, style="dim")


def _measured(
    parsers: Mapping[str, Mapping[str, Mapping[str, Groups]]],
) -> list[tuple[tuple[str, str], str]]:
    """Return the blocks there are: those of steps that were given are not."""
    return [each for each in _BLOCKS.items() if each[0][0] in parsers[_OFFICIAL]]


def _table(setting: str, parsers: Mapping[str, Mapping[str, Mapping[str, Groups]]]) -> Table:
    title = Text(f"{setting}: what accuracy depends on")
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("right", overflow="fold", min_width=FIGURE)
    for name in (_OFFICIAL, "95 %", *([_TOLERANT] if _TOLERANT in parsers else ()), "n"):
        table.add_column(name, justify="right", no_wrap=True)
    for (metric, what), name in _measured(parsers):
        block, *others = (each[metric][what] for each in parsers.values())
        if (found := _Block.of(block)) is not None:
            _block(table, name, found, [each for of in others if (each := _Block.of(of))])
    return table


class _Block(NamedTuple):
    groups: Sequence[Group]
    rho: Correlation

    @classmethod
    def of(cls, block: Groups) -> _Block | None:
        groups, rho = block["groups"], block["spearman"]
        return None if groups is None or rho is None else cls(groups, rho)


def _block(table: Table, title: str, block: _Block, others: Sequence[_Block]) -> None:
    rho = block.rho
    theirs = [_rho(each.rho) for each in others]
    table.add_row(title, _rho(rho), _interval(rho), *theirs, f"{rho['n']:,}", style="bold")
    for at, group in enumerate(block.groups):
        if group["n"]:
            values = [number(each.groups[at]["value"]) for each in others]
            cells = (number(group["value"]), _interval(group), *values, f"{group['n']:,}")
            table.add_row(f"  {_range(group, whole='frequency' not in title)}", *cells)
    table.add_section()


def _range(group: Group, *, whole: bool) -> str:
    begin, end = group["from"], group["below"]
    if not whole:
        return f"{begin} and more" if end is None else f"{begin} to {end}" if begin else "unknown"
    if end is None:
        return f"{begin} and more"
    return str(begin) if end == begin + 1 else f"{begin} to {end - 1}"


def _rho(found: Correlation) -> str:
    return f"rho {'-' if found['rho'] is None else format(found['rho'], '+.2f')}"


def _interval(found: Group | Correlation) -> str:
    low, high = found["low"], found["high"]
    if low is None or high is None:
        return "-"
    return f"{low:+.2f} {high:+.2f}" if "rho" in found else f"{number(low)}-{number(high)}"
