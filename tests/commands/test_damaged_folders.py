"""Reports, comparisons, exports and scorings of a damaged folder: an error with file and remedy."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apieval import evaluate
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
