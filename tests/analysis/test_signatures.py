"""Signatures: what can move a figure moves them, and nothing else does."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from apieval.analysis.setup import Measured
from apieval.analysis.signatures import ORDER, fingerprint, of_figure, signatures
from apieval.commands.options import RunOptions
from apieval.commands.run import OneRun
from apieval.commands.score import measured_of
from apieval.config import file
from apieval.config.file import chosen_params
from apieval.errors import ConfigError
from apieval.rebus import prompts
from apieval.records import Setting
from apieval.results.header import LATER, Header
from apieval.run.model import prepare
from apieval.run.watcher import Watcher
from apieval.signature import digest, parts
from apieval.version import VERSION
from tests.e2e.program import configure, model
from tests.records import REPOSITORY, dataset, rebus, summary

ROWS = [rebus(id=0, subset="id"), rebus(id=1, subset="id"), rebus(id=2, subset="new")]
DATA = dataset(ROWS)
MEASURED = Measured("my:model", DATA.select(), ["regular"], 1, {"temperature": 0.0})


def signed(measured: Measured, setting: Setting = "regular") -> str:
    return signatures(measured)[setting]["official"]


def test_a_signature_names_everything_in_a_fixed_order() -> None:
    names = [part.partition(":")[0] for part in signed(MEASURED).split("|")]
    assert names == [
        *("data", "n", "subset", "limit", "samples", "setting", "prompt", "model", "identity"),
        *("sampling", "parser", "aggregation", "interval", "apieval"),
    ]
    text = signed(MEASURED)
    assert text.startswith("data:rebuses.csv@000000000000|n:3|subset:all|limit:none|samples:1|")
    assert r"|model:my\:model|" in text
    assert r'|identity:unknown|sampling:{"temperature"\:0.0}|' in text
    assert (
        "|parser:official@1|aggregation:micro+macro|interval:95%,wilson/bootstrap-10000-seed-20241104|"
        in text
    )
    assert text.endswith(f"|apieval:{VERSION}")


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(replace(MEASURED, model="other"), id="model"),
        pytest.param(replace(MEASURED, samples=2), id="samples"),
        pytest.param(replace(MEASURED, sampling={"temperature": 0.1}), id="sampling"),
        pytest.param(replace(MEASURED, sampling={}), id="no sampling"),
        pytest.param(replace(MEASURED, sampling=None), id="unknown sampling"),
        pytest.param(replace(MEASURED, identity={"endpoint": "x"}), id="endpoint"),
        pytest.param(replace(MEASURED, dropped=["seed"]), id="dropped"),
        pytest.param(replace(MEASURED, prompts={"system": "sha256:1"}), id="system prompt"),
        pytest.param(replace(MEASURED, prompts={"regular": "sha256:1"}), id="prompt"),
        pytest.param(replace(MEASURED, selection=DATA.select(["id"])), id="subset"),
        pytest.param(replace(MEASURED, selection=DATA.select(limit=9)), id="limit"),
        pytest.param(replace(MEASURED, selection=dataset(ROWS[:2]).select()), id="n"),
        pytest.param(
            replace(MEASURED, selection=replace(DATA, digest="sha256:1" + "0" * 63).select()),
            id="data",
        ),
    ],
)
def test_what_can_move_a_figure_moves_the_signature(other: Measured) -> None:
    assert signed(other) != signed(MEASURED)


def test_what_is_dropped_and_said_before_stands_in_its_place() -> None:
    system = "sha256:" + "5" * 64
    text = signed(replace(MEASURED, dropped=["seed", "top_p"], prompts={"system": system}))
    assert "|prompt:74b5bd343169+system-555555555555|" in text
    assert r'|sampling:{"temperature"\:0.0}|dropped:seed+top_p|parser:' in text
    official = {
        "regular": "sha256:74b5bd3431691a6e03a1a5599edb230c4fa5baf1800637b9eaa8f0892e372306"
    }
    assert signed(replace(MEASURED, prompts=official)) == signed(MEASURED)


def test_the_settings_have_signatures_of_their_own() -> None:
    both = replace(MEASURED, settings=["regular", "hints"])
    assert signed(both, "hints") != signed(both) == signed(MEASURED)


def test_every_parser_says_who_reads_and_what_is_equal() -> None:
    found = signatures(MEASURED)["regular"]
    parts = {
        name: [part for part in text.split("|") if part.partition(":")[0] in {"parser", "equality"}]
        for name, text in found.items()
    }
    assert parts == {
        "official": ["parser:official@1"],
        "tolerant": ["parser:tolerant@3", "equality:strict"],
        "tolerant-lenient": ["parser:tolerant@3", "equality:lenient"],
    }
    only = replace(MEASURED, parsers=("official",))
    assert list(signatures(only)["regular"]) == ["official"]


def test_the_order_of_parameters_does_not_move_it() -> None:
    one, other = {"a": 1, "b": 2}, {"b": 2, "a": 1}
    assert signed(replace(MEASURED, sampling=one)) == signed(replace(MEASURED, sampling=other))


class TestOneFigure:
    """Every figure has a signature of its own."""

    SUMMARY = summary(ROWS, [])

    def test_it_says_which_figure(self) -> None:
        text = of_figure(self.SUMMARY, "hints", "new", "tolerant", "solution_match", "macro")
        found = parts(text)
        assert found["rows"] == "new"
        assert found["metric"] == "solution_match"
        assert found["aggregation"] == "macro"
        assert (found["parser"], found["equality"]) == ("tolerant@3", "strict")
        assert list(found) == [name for name in ORDER if name in found]
        common = parts(self.SUMMARY["signatures"]["hints"]["tolerant"])
        assert {**common, **found} == found

    def test_no_two_figures_share_one(self) -> None:
        figures = self.SUMMARY["figures"]
        every = [
            (setting, subset, parser, metric, aggregation)
            for setting in figures
            for subset in figures[setting]
            for parser in figures[setting][subset]
            for metric in figures[setting][subset][parser]
            for aggregation in figures[setting][subset][parser][metric]
        ]
        assert len(every) == 2 * 3 * 3 * 6 * 2
        assert len({of_figure(self.SUMMARY, *each) for each in every}) == len(every)

    def test_one_that_is_not_there(self) -> None:
        with pytest.raises(ConfigError, match=r"'ood'.*of all, id, new"):
            of_figure(self.SUMMARY, "hints", "ood", "official", "solution_match", "micro")


def test_equal_signatures_have_equal_fingerprints() -> None:
    assert fingerprint(signed(MEASURED)) == digest(signed(MEASURED))[7:19]


def test_the_document_names_every_part_in_its_order() -> None:
    text = (REPOSITORY / "docs" / "signature.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^\| `([a-z_]+)` \|", text, flags=re.MULTILINE)) == ORDER
    example = next(line.strip() for line in text.splitlines() if line.startswith("    data:"))
    run = replace(MEASURED, settings=["hints"])
    assert list(parts(example)) == list(parts(signed(run, "hints")))
    assert parts(example)["interval"] == parts(signed(MEASURED))["interval"]


ENTRY = model("http://127.0.0.1:9/v1", params={"temperature": 0.5, "seed": 1})


def header(**known: object) -> Header:
    return cast("Header", {**LATER, **known})


def of_run(folder: Path, entry: dict[str, Any], **options: Any) -> str:  # noqa: ANN401 # any option
    """Return the official signature that a run of this entry and these options would have."""
    configure(folder, local=entry)
    chosen = RunOptions(**{"settings": ("regular",), **options})
    params = chosen_params(chosen.preset, chosen.params, chosen.drop)
    prepared = prepare("local", file.load(folder / "providers.yaml"), {}, None, params)
    selection = DATA.select(chosen.subsets, chosen.limit)
    run = OneRun(prepared, chosen, selection, prompts.choose(shots=chosen.shots), Watcher())
    return signed(measured_of(run.spec, selection, header(dropped=[*prepared.dropped])))


@pytest.mark.parametrize(
    ("entry", "options"),
    [
        pytest.param({"base_url": "http://127.0.0.1:10/v1"}, {}, id="address"),
        pytest.param({"model": "altro"}, {}, id="the model's name there"),
        pytest.param({"params": {"temperature": 0.6, "seed": 1}}, {}, id="temperature"),
        pytest.param({"params": {"temperature": 0.5, "seed": 2}}, {}, id="seed"),
        pytest.param({"extra_body": {"min_tokens": 1}}, {}, id="extra body"),
        pytest.param({"headers": {"X-Version": "2"}}, {}, id="header"),
        pytest.param({"api": "completions"}, {}, id="api"),
        pytest.param({"system_prompt": "Rispondi."}, {}, id="system prompt"),
        pytest.param({}, {"shots": 1}, id="examples"),
        pytest.param({}, {"given": "definitions"}, id="steps that are given"),
        pytest.param({"drop": ["seed"], "params": {"temperature": 0.5}}, {}, id="dropped"),
        pytest.param({}, {"preset": "calamita"}, id="preset"),
        pytest.param({}, {"params": {"max_tokens": 9}}, id="--param"),
        pytest.param({}, {"samples": 2}, id="--samples"),
        pytest.param({}, {"limit": 2}, id="--limit"),
        pytest.param({}, {"subsets": ("id",)}, id="--subset"),
    ],
)
def test_what_can_move_a_runs_figure_moves_its_signature(
    tmp_path: Path, entry: dict[str, Any], options: dict[str, Any]
) -> None:
    assert of_run(tmp_path, {**ENTRY, **entry}, **options) != of_run(tmp_path, ENTRY)


@pytest.mark.parametrize(
    ("entry", "options"),
    [
        pytest.param({}, {}, id="nothing"),
        pytest.param({"limits": {"concurrency": 3, "rpm": 9}}, {}, id="limits"),
        pytest.param({"price": {"input": 1, "output": 2}}, {}, id="price"),
        pytest.param({}, {"concurrency": 2}, id="--concurrency"),
        pytest.param({}, {"timeout_s": 3.0}, id="--timeout"),
        pytest.param({}, {"wait_for_server_s": 3.0}, id="--wait-for-server"),
        pytest.param({}, {"out": Path("elsewhere")}, id="--out"),
        pytest.param({}, {"name": "mine"}, id="--name"),
        pytest.param({}, {"cache": None}, id="--cache"),
        pytest.param({}, {"fresh": True}, id="--fresh"),
    ],
)
def test_what_cannot_move_a_runs_figure_does_not(
    tmp_path: Path, entry: dict[str, Any], options: dict[str, Any]
) -> None:
    assert of_run(tmp_path, {**ENTRY, **entry}, **options) == of_run(tmp_path, ENTRY)


def test_another_lexicon_of_the_baseline_moves_its_signature(tmp_path: Path) -> None:
    (tmp_path / "lexicon.csv").write_text("Clue,Answer\nUn fiume,Po\n", encoding="utf-8")
    marks = set()
    for lexicon in (None, tmp_path / "lexicon.csv"):
        prepared = prepare("baseline", file.load(file.packaged_file()), {}, lexicon)
        options, prompt = RunOptions(settings=("regular",)), prompts.official()
        run = OneRun(prepared, options, DATA.select(), prompt, Watcher())
        marks.add(signed(measured_of(run.spec, DATA.select(), header())))
    assert len(marks) == 2
