"""Rows stand in the order of their data file wherever they are listed, however the answers came."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import apieval
from apieval.commands.export import Format
from tests.e2e.faults import FaultServer, Manner, Seen
from tests.e2e.program import Material, configure, folder, lines, material, model, stored
from tests.e2e.program import apieval as program
from tests.report_runs import items_of

COUNT = 12
IDS = {
    "numbers": None,
    "texts": [f"r{n}" for n in (10, 9, 2, 1, 100, 20, 3, 11, 30, 4, 8, 7)],
    "digits": [str(n) for n in (10, 9, 2, 1, 100, 20, 3, 11, 30, 4, 8, 7)],
}


def named(made: Material, ids: Sequence[str] | None) -> Path:
    """Give the rows of a data file ids, and return it."""
    if ids is not None:
        with made.path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, ("id", *made.rows[0]))
            writer.writeheader()
            writer.writerows({"id": name, **row} for name, row in zip(ids, made.rows, strict=True))
    return made.path


class Ran:
    """A run whose first row is answered last, and what its ids should be."""

    def __init__(self, home: Path, ids: Sequence[str] | None) -> None:
        made = material(home / "data.csv", COUNT)
        self.data, self.home = named(made, ids), home
        self.ids = list(range(COUNT)) if ids is None else list(ids)
        late, last = made.rebus(0), made.rebus(COUNT - 1, "hints")

        def plan(seen: Seen) -> Manner | None:
            if seen.rebus == last:  # so that the others have been answered, but for a few
                server.release()
            return Manner.HOLD if seen.rebus == late else None

        with FaultServer(made.answers, plan) as server:
            configure(home, far=model(server.url, limits={"concurrency": 3}))
            config, out = home / "providers.yaml", home / "results"
            words = ("run", "far", "--config", config, "--data", self.data, "--out", out)
            done = program(*words, "--cache", "off", "--yes")
            assert done.code == 0, done.err
        self.folder = folder(out)

    def copy(self, name: str) -> Path:
        """Return a copy of the run's folder that a test may change."""
        return Path(shutil.copytree(self.folder, self.home / name))


@pytest.fixture(scope="module", params=IDS)
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    return Ran(tmp_path_factory.mktemp(request.param), IDS[request.param])


def test_the_answers_came_otherwise(ran: Ran) -> None:
    came = [each["id"] for each in stored(ran.folder) if each["setting"] == "regular"]
    assert came.index(ran.ids[0]) == COUNT - 1
    assert set(came) == set(ran.ids)


def test_scores_stand_as_they_were_asked(ran: Ran) -> None:
    found = lines(ran.folder / "scores.jsonl")
    places = list(dict.fromkeys((each["setting"], each["id"]) for each in found))
    assert places == [(setting, row) for setting in ("regular", "hints") for row in ran.ids]


def _cells(path: Path, name: str) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return [row[name] for row in csv.DictReader(file)]


def _study(files: Sequence[Path]) -> Iterator[list[Any]]:
    for path in files:
        yield _cells(path, "safe_idx")


def _logs(files: Sequence[Path]) -> Iterator[list[Any]]:
    for path in files:
        if path.suffix == ".jsonl":
            yield [each["doc_id"] for each in lines(path)]


def _table(files: Sequence[Path]) -> Iterator[list[Any]]:
    found = pq.read_table(files[0]).to_pylist()
    for setting in ("regular", "hints"):
        yield [each["id"] for each in found if each["setting"] == setting]


def _items(files: Sequence[Path]) -> Iterator[list[Any]]:
    found = [each["sample_id"] for path in files if path.suffix == ".jsonl" for each in lines(path)]
    half = len(found) // 2
    yield from (list(dict.fromkeys(each)) for each in (found[:half], found[half:]))


@pytest.mark.parametrize(
    ("layout", "ids_of"),
    [("csv", _study), ("lm-eval", _logs), ("parquet", _table), ("eee", _items)],
)
def test_exports(
    ran: Ran,
    tmp_path: Path,
    layout: Format,
    ids_of: Callable[[Sequence[Path]], Iterator[list[Any]]],
) -> None:
    files = apieval.export(ran.folder, layout, tmp_path).files
    expected = range(COUNT) if layout == "lm-eval" else map(str, ran.ids)
    listed = list(expected)
    assert list(ids_of(files)) == [listed, listed]


def test_findings(ran: Ran) -> None:
    path = ran.copy("with_key") / "responses.jsonl"
    held = ran.ids[1::2]
    found = [each | {"holds_key": each["id"] in held} for each in lines(path)]
    path.write_text("".join(json.dumps(each) + "\n" for each in reversed(found)), "utf-8")
    findings = apieval.score(path.parent).summary["findings"]
    (told,) = [each["text"] for each in findings if each["kind"] == "answers_hold_key"]
    assert told.startswith(f"{COUNT} of {2 * COUNT} answers hold")
    assert f"(rows {', '.join(map(str, held[:5]))} and 1 more)" in told


def test_audit(ran: Ran) -> None:
    audited: Any = apieval.score(ran.folder, out=ran.home / "audited", against=()).summary["audit"]
    for each in audited["findings"]:
        places = [[*ran.ids].index(row) for row in each["ids"]]
        assert places == sorted(places), each["kind"]
    assert [each for each in audited["findings"] if len(each["ids"]) > 1]


def _raw(ran: Ran, path: Path, solves: Callable[[int], bool]) -> Path:
    """Write answers to all rows, the last row first, and score them."""
    golds = _cells(ran.data, "solution")
    pairs = [
        {"id": row, "setting": setting, "text": f"Soluzione: {gold if solves(n) else 'altro'}"}
        for n, (row, gold) in enumerate(zip(ran.ids, golds, strict=True))
        for setting in ("regular", "hints")
    ]
    path.write_text("".join(json.dumps(each) + "\n" for each in reversed(pairs)), "utf-8")
    apieval.score(path, ran.data, out=path.with_suffix(""))
    return path.with_suffix("")


def test_compare(ran: Ran, tmp_path: Path) -> None:
    a = _raw(ran, tmp_path / "a.jsonl", lambda n: n % 2 == 0)
    b = _raw(ran, tmp_path / "b.jsonl", lambda n: n % 2 == 1)
    assert [each["id"] for each in lines(a / "scores.jsonl")][::3] == ran.ids * 2
    pair = apieval.compare([a, b])["comparisons"][0]
    assert pair["solved"]["only_a"]["ids"] == ran.ids[::2]
    assert pair["solved"]["only_b"]["ids"] == ran.ids[1::2]


def test_differences_that_verify_finds(ran: Ran) -> None:
    path = ran.copy("changed") / "scores.jsonl"
    found = lines(path)
    found[-1]["solution"], found[4]["solution"] = "altro", "altro"
    kept = [found[-1], *found[1:10], *found[12:-1]]
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in kept), "utf-8")
    checks = {each.name: each for each in apieval.verify(path.parent).checks}
    rows = [each.what.split(",")[0] for each in checks["scores"].differences]
    expected = [0, 1, 3, 3, COUNT - 1]
    assert rows == [f"row {ran.ids[n]}" for n in expected]


@pytest.mark.parametrize("with_data", [True, False], ids=["data", "no data"])
def test_rebus_view(ran: Ran, tmp_path: Path, *, with_data: bool) -> None:
    few = _raw(ran, tmp_path / "few.jsonl", lambda n: n % 2 == 1)
    less = [each for each in lines(few / "scores.jsonl") if ran.ids.index(each["id"]) % 3 == 2]
    text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in less)
    (few / "scores.jsonl").write_text(text, "utf-8")
    every = _raw(ran, tmp_path / "every.jsonl", lambda n: n == 1)
    items = items_of([few, every], ran.data if with_data else None)
    assert bool(items.golds) is with_data
    assert [each.id for each in items.ordered()] == [row for row in ran.ids for _ in range(2)]
