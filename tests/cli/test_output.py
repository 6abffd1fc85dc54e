"""What is printed is what is meant: brackets, long names, no colours in a pipe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.cli import output
from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer, Manner, error, first
from tests.e2e.program import configure, material, model, on_terminal, plain, shown
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


_COMMAND: Final = "apieval run alfa --data un/file/lontano.csv --name prova --max-cost 0.50"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("breve", ["breve"], id="fits"),
        pytest.param(
            "about 0.02 USD, at most 0.05", ["about 0.02", "USD, at most", "0.05"], id="prose"
        ),
        pytest.param("in /una/cartella/lunga qui", ["in", "/una/cartella/lunga", "qui"], id="path"),
        pytest.param(f"to resume: {_COMMAND}", ["to resume:", _COMMAND], id="command"),
        pytest.param(
            f"to resume: mv x y && {_COMMAND}", ["to resume:", f"mv x y && {_COMMAND}"], id="moved"
        ),
        pytest.param(
            "say `apieval score --out X`, then go",
            ["say", "`apieval score --out X`,", "then go"],
            id="backticks",
        ),
        pytest.param("una\ndue tre quattro", ["una", "due tre", "quattro"], id="two lines"),
        pytest.param("目目目 目目目 x", ["目目目", "目目目 x"], id="wide"),
    ],
)
def test_a_sentence_is_broken_at_blanks_and_a_command_never(text: str, lines: list[str]) -> None:
    assert output.wrapped(text, 12).split("\n") == lines


@given(st.text("ab `:\n/-è目"), st.integers(1, 20))
def test_breaking_a_text_changes_blanks_alone(text: str, width: int) -> None:
    broken = output.wrapped(text, width)
    assert len(broken) == len(text)
    assert all(
        was == now or (was, now) == (" ", "\n") for was, now in zip(text, broken, strict=True)
    )


@pytest.mark.parametrize("columns", [80, 100])
def test_no_word_is_broken_on_a_terminal(columns: int, tmp_path: Path) -> None:
    made = material(tmp_path / "some.csv", 3)
    with FaultServer(
        made.answers, lambda _: error(401, {"error": {"message": "no " * 40}})
    ) as server:
        configure(tmp_path, local=model(server.url))
        words = ("run", "local", "--data", "some.csv", "--cache", "off", "--name", "una-prova")
        process, terminal = on_terminal(*words, columns=columns)
        screen = shown(terminal, until=None).decode()
        assert process.wait() == 3
    said = [each for each in screen.replace("\r", "\n").split("\n") if "\x1b" not in each]
    assert any(f"apieval {' '.join(words)}" in each for each in said)
    long = [each for each in said if len(each.rstrip()) > columns]
    assert all(" " not in each or each.startswith("apieval run") for each in long)
    assert sum("no no no" in each for each in said) > 1


def test_a_connection_that_breaks_off_is_told_in_words(inside: Inside, tmp_path: Path) -> None:
    made = material(tmp_path / "some.csv", 3)
    with FaultServer(made.answers, first(1, Manner.RESET)) as server:
        configure(tmp_path, local=model(server.url))
        done = inside("run", "local", "--data", made.path, "--cache", "off")
    assert done.code == 0, done.err
    assert "the other side closed the connection" in done.err
    assert "Errno" not in done.err
