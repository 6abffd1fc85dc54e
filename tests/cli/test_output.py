"""What is printed is what is meant: brackets, long names, no colours in a pipe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer, error, first
from tests.e2e.program import configure, material, model, plain
from tests.records import write_csv

LONG: Final = "organizzazione-lunghissima/modello-sperimentale-istruito-70B-versione-2026-09"
TRAPS: Final = ("[santa di Cascia]", "[/]", "[red]", "[/red]", "[bold]x", ":smile:", "[link=x]")

pytestmark = pytest.mark.usefixtures("no_waits")


@pytest.mark.parametrize("trap", TRAPS)
def test_text_of_servers_and_data_is_printed_as_it_is(
    trap: str, inside: Inside, tmp_path: Path
) -> None:  # B36
    made = material(tmp_path / "some.csv", 3)
    said = f"rifiuto {trap} = rosso"
    with FaultServer(made.answers, lambda _: error(401, {"error": {"message": said}})) as server:
        configure(tmp_path, local=model(server.url))
        done = inside("run", "local", "--data", made.path)
    assert done.code == 3
    assert said in done.err


@pytest.mark.parametrize("trap", ["[red]", "[/]", "[santa]"])
def test_names_with_brackets_are_printed_as_they_are(
    trap: str, inside: Inside, tmp_path: Path
) -> None:  # B36
    made = material(tmp_path / "plain.csv", 4)
    rows = [{**row, "subset": trap, "verbalized_rebus": f"{trap} x"} for row in made.rows]
    path = write_csv(tmp_path / "brackets.csv", rows)
    with FaultServer({f"{trap} x": "- [red] = rosso\n[/]"}) as server:
        configure(tmp_path, **{f"local{trap}": model(server.url)})
        done = inside("run", f"local{trap}", "--data", path, "--setting", "regular")
    assert done.code == 0, done.err
    assert f"local{trap} on brackets.csv" in done.out
    assert f"│ {trap} " in done.out  # the subset, in its table


@pytest.mark.parametrize("name", [LONG, LONG + "-" + "x" * 60])
def test_a_pipe_gets_whole_names_and_no_colours(
    name: str, inside: Inside, tmp_path: Path
) -> None:  # B36
    made = material(tmp_path / "some.csv", 3)
    with FaultServer(made.answers, first(1, error(500, {}))) as server:
        configure(tmp_path, **{name: model(server.url)})
        done = inside("run", name, "--data", made.path)
        assert done.code == 0, done.err
        assert plain(done.all)
        assert name in done.out
        assert name in done.err
        scored = inside("score", next(Path("results").iterdir()))
        assert name in scored.out
        document = inside("run", name, "--data", made.path, "--json").out
    (only,) = json.loads(document)["runs"]
    assert only["model"] == name
