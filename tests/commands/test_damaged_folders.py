"""Reports, comparisons, exports and scorings of a damaged folder: an error with file and remedy."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apieval import evaluate
from apieval.analysis import paired_tests, ranks
from apieval.commands import export, export_eee, read_scores, score
from apieval.commands.export import Format
from apieval.errors import ApievalError
from apieval.report.figures import drawing
from tests.commands import damage
from tests.commands.test_verified_damage import damaged
from tests.report_runs import alfa, beta, write_data, write_run

FILES: Final = ("run.json", "summary.json", "responses.jsonl", "scores.jsonl")
TRIED = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(autouse=True)
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw none: they take longest."""
    monkeypatch.setattr(drawing, "FAMILIES", ())


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made")
    data = write_data(root / "rows.csv", 4)
    for say in (alfa, beta):
        write_run(root / say.__name__, data, say)
    return root


def commands(root: Path) -> dict[str, Callable[[], object]]:
    """Return by name what may be done with a run; none of it writes into its folder."""
    one, other, out = root / "alfa", root / "beta", root / "out"
    exports = {form: partial(evaluate.export, one, form, out) for form in get_args(Format)}
    return {
        "report": lambda: evaluate.report([one], out),
        "report of two": lambda: evaluate.report([one, other], out),
        "compare": lambda: evaluate.compare([one, other]),
        "score": lambda: evaluate.score(one, out=out),
        **exports,
    }


@TRIED
@given(data=st.data())
def test_whatever_a_folder_holds_it_is_refused_or_used(root: Path, data: st.DataObject) -> None:
    run = root / "alfa"
    kinds = damage.of_keys(run, FILES) | damage.of_lines(run) | damage.of_files(run, FILES)
    done, command = data.draw(kinds), data.draw(st.sampled_from(sorted(commands(root))))
    with damaged(run, done), suppress(ApievalError):  # all else is a fault of ours
        commands(root)[command]()
    shutil.rmtree(root / "out", ignore_errors=True)


@pytest.mark.parametrize("command", ["report", "report of two", "compare", "csv", "eee", "score"])
def test_a_fault_of_ours_is_never_called_the_users_file(
    root: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def broken(*_: object, **__: object) -> NoReturn:
        raise KeyError("ours")

    for module, name in (
        (paired_tests, "holm"),
        (ranks, "ranked"),
        (read_scores, "said"),
        (export, "write"),
        (export_eee, "document"),
        (score, "summarize"),
    ):
        monkeypatch.setattr(module, name, broken)
    with pytest.raises(KeyError, match="ours"):
        commands(root)[command]()


def test_a_report_of_one_run_opens_each_of_its_files_once(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, plain = Counter[str](), Path.open

    def counting(self: Path, *args: Any, **more: Any) -> Any:  # noqa: ANN401 # as open
        opened[self.name] += self.parent == root / "alfa"
        return plain(self, *args, **more)

    monkeypatch.setattr(Path, "open", counting)
    evaluate.report([root / "alfa"], root / "once")
    assert {name: opened[name] for name in FILES} == dict.fromkeys(FILES, 1)
