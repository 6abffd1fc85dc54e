"""Runs to report on, written as a run leaves them: right, wrong, lacking and hostile answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from apieval import evaluate
from apieval.commands import report
from apieval.commands.report_items import ItemsOf
from apieval.rebus import dataset, examples
from apieval.records import SETTINGS, Rebus, Response, RunSpec, Setting
from apieval.report.document import Document
from apieval.report.page.items import Items
from apieval.results.answers import RESPONSES
from apieval.results.folder import RunFolder
from apieval.results.header import HeaderData
from apieval.run import header
from tests.records import ROW, response, write_csv

ROWS: Final = 45
SUBSETS: Final = ("id", "ood", "new")
APOSTROPHE: Final = {
    "verbalized_rebus": "LA [Un formaggio] [Un astro]",
    "verbalized_rebus_with_length_hints": "LA [Un formaggio (4)] [Un astro (8)]",
    "solution_key": "1 ' 5 8",
    "word_guesses": "nice;stellato",
    "first_pass": "LA nice stellato",
    "solution_words": "L'anice;stellato",
    "solution": "L'anice stellato",
}
HOSTILE: Final = (
    """\
- [Santa di Cascia] = <script>window.struck = 1</script>
- [Sposta da un lato] = <img src=x onerror="window.struck = 2">
Prima lettura: </script><script>window.struck = 3</script> <!-- {{jinja}} {% raw %} ${1} NA
6 = javascript:window.struck=4
8 = \u202eatsocsan\u202c
Soluzione: <a href="javascript:window.struck=5">Verità\u200b nascosta</a>\0 & &lt;b&gt; ]]>
"""
    "e\u0301" + "\u0301" * 3_000
)
LONG: Final = HOSTILE + "x" * 1_000_000
REASONING: Final = "Santa di Cascia: <b>Rita</b>. " * 4_000

Say = Callable[[Rebus, Setting], dict[str, Any]]


def write_data(path: Path, rows: int = ROWS) -> Path:
    """Write a data file of rows that differ in their first clue; the second has an apostrophe."""
    clues = ("verbalized_rebus", "verbalized_rebus_with_length_hints")
    made = []
    for number in range(rows):
        row = ROW if number != 1 else APOSTROPHE
        own = {name: row[name].replace("Cascia", f"Cascia n. {number}") for name in clues}
        made.append({"subset": SUBSETS[number % 3], **row, **own})
    return write_csv(path, made)


def write_run(
    folder: Path,
    data: Path,
    say: Say,
    *,
    settings: tuple[Setting, ...] = SETTINGS,
    samples: int = 1,
    scored: bool = True,
) -> Path:
    """Write a run's folder: header, answers, and the scores that `apieval score` makes of them.

    `say` returns the fields of an answer, nothing where there is none.
    """
    folder.mkdir(parents=True)
    rebuses = dataset.load(data)
    spec = RunSpec(
        model=folder.name,
        provider="openai-compatible",
        identity={},
        data=data.name,
        settings=settings,
        samples=samples,
        prompts={},
    )
    about: HeaderData = {"name": data.name, "path": str(data), "digest": rebuses.digest, "n": ROWS}
    header.write(folder, {**header.header(spec, about), "status": "done"})
    answers = [
        response(id=rebus.id, setting=setting, sample=sample, **fields)
        for setting in settings
        for rebus in rebuses.rebuses
        for sample in range(samples)
        if (fields := say(rebus, setting))
    ]
    write_answers(folder, answers)
    if scored:
        evaluate.score(folder)
    return folder


def write_answers(folder: Path, answers: Iterable[Response]) -> None:
    """Write answers as a run does, in another order than that of the rows."""
    lines = [answer.model_dump_json() + "\n" for answer in answers]
    (folder / RESPONSES).write_text("".join(reversed(lines)), "utf-8")


def gathered(folders: Iterable[Path]) -> Document:
    """Return what a report gathers of some folders."""
    return report.gathered(report.named([*map(RunFolder, folders)]))


def items_of(folders: Iterable[Path], data: Path | None = None) -> Items:
    """Return the items that a report shows of some folders."""
    runs = report.named([*map(RunFolder, folders)])
    items = ItemsOf(runs, data)
    report.gathered(runs, items)
    return items.items()


def right(rebus: Rebus) -> str:
    return examples.write(rebus)


def wrong(rebus: Rebus) -> str:
    """Return an answer whose last hidden word is wrong, and all that comes of it."""
    return right(rebus).replace("scosta", "mostra").replace("nascosta", "namostra")


def alfa(rebus: Rebus, setting: Setting) -> dict[str, Any]:
    """Solve every second row; with hints row 13 is hostile and long; row 4 has a reasoning."""
    number = int(rebus.id)
    usage = {"prompt_tokens": 1700, "completion_tokens": 96, "reasoning_tokens": 40}
    took = {"usage": usage, "latency_s": 1.25, "cost_usd": 0.00375, "served_model": "alfa-2"}
    if number == 13 and setting == "hints":
        return {"text": LONG, "reasoning": REASONING, **took}
    text = right(rebus) if number % 2 == 0 else wrong(rebus)
    return {"text": text, "reasoning": "Penso: Rita." if number == 4 else None, **took}


BETA: Final[dict[int, dict[str, Any]]] = {
    5: {"text": "", "outcome": "failed", "error": "503: <b>overloaded</b>", "attempts": 6},
    7: {"outcome": "truncated", "finish_reason": "length"},
    9: {"text": "", "outcome": "refused", "finish_reason": "content_filter"},
    11: {"text": "", "outcome": "empty"},
}


def beta(rebus: Rebus, setting: Setting) -> dict[str, Any]:
    """Solve every third row, in Markdown; some are lacking or cut, and row 2 was not asked for hints."""
    number = int(rebus.id)
    if number == 2 and setting == "hints":
        return {}
    text = right(rebus) if number % 3 == 0 else wrong(rebus)
    if number % 2 == 0:
        text = text.replace("Soluzione: ", "**Soluzione:** ")
    return {"text": text, **BETA.get(number, {})}
