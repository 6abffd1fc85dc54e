"""`apieval data fetch`, and `--data hub` wherever there is a `--data`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import apieval
from apieval.commands import datasets
from apieval.errors import DataError
from apieval.hub import ATTRIBUTION, LICENCE, NOTICE, HubCache
from tests.e2e.conftest import Inside
from tests.e2e.program import folder, summary
from tests.hub.conftest import cache, content, hub, in_process, transfer
from tests.hub.fakehub import COMMIT, LATER, FakeHub
from tests.hub.test_cache import lay

__all__ = ["cache", "content", "hub", "in_process", "transfer"]
pytestmark = pytest.mark.usefixtures("in_process")

RUN = ("run", "baseline", "--data", "hub", "--limit", "1", "--setting", "hints", "--yes")
PUBLISHED = {
    "source": "gsarti/eureka-rebus-calamita-2024, test.csv",
    "revision": COMMIT,
    "licence": LICENCE,
    "attribution": ATTRIBUTION,
}


def test_fetch_prints_the_path_and_once_the_terms(hub: FakeHub, inside: Inside) -> None:
    first, second = inside("data", "fetch"), inside("data", "fetch")
    assert first.code == second.code == 0
    assert first.out == second.out
    assert Path(first.out.strip()).is_file()
    assert NOTICE in first.err
    assert NOTICE not in second.err
    assert "3,167 rows" in second.err
    assert hub.asked == ["HEAD", "GET"]


def test_fetch_as_json(hub: FakeHub, inside: Inside) -> None:
    found = json.loads(inside("data", "fetch", "--json").out)
    assert (found["commit"], found["rows"], found["licence"]) == (COMMIT, 3167, LICENCE)
    assert Path(found["path"]).is_file()


def test_fetch_says_what_is_wrong(hub: FakeHub, inside: Inside) -> None:
    done = inside("data", "fetch", "--file", "train")
    assert done.code == 2
    assert "has no train.csv at the revision 'main'" in done.err
    assert "--data PATH" in done.err


def test_a_run_fetches_what_it_needs_and_says_what_it_was_of(hub: FakeHub, inside: Inside) -> None:
    done = inside(*RUN)
    assert done.code == 0, done.err
    assert "fetching test.csv" in done.err
    assert NOTICE in done.err
    assert "baseline on eureka-rebus-calamita-2024, 3 rebuses" in done.out
    run = folder()
    assert run.name.startswith("baseline-eureka-rebus-calamita-2024-hints-")
    header = json.loads((run / "run.json").read_text("utf-8"))
    for facts in (header["data"], summary(run)["data"]):
        assert facts.items() >= PUBLISHED.items()
    assert list(summary(run)["figures"]["hints"]) == ["all", "id", "ood", "new"]


def test_what_is_at_hand_needs_no_hub(
    hub: FakeHub, inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside("data", "fetch")
    asked = len(hub.seen)
    assert inside(*RUN).code == 0
    assert NOTICE not in inside(*RUN).err
    assert inside("score", folder()).code == 0
    assert inside("check", "baseline", "--data", "hub").code == 0
    assert len(hub.seen) == asked


def test_a_run_on_another_commit_is_told_the_way_back(
    hub: FakeHub, inside: Inside, content: bytes
) -> None:
    assert inside(*RUN).code == 0
    hub.push(LATER, test=content.replace(b"definizione", b"Definizione"))
    assert inside("data", "fetch", "--again").code == 0
    done = inside(*RUN)
    assert done.code == 2
    assert "has changed since this run began" in done.err
    back = f"apieval data fetch --revision {COMMIT}"
    assert f"go back with `{back}`, give another --name, or start over with --fresh" in done.err
    assert inside(*back.split()[1:]).code == 0
    assert inside(*RUN).code == 0


class TestScore:
    @pytest.fixture
    def run(self, hub: FakeHub, inside: Inside) -> Path:
        assert inside(*RUN).code == 0
        return folder()

    def test_knows_the_commit_of_its_run(
        self, run: Path, hub: FakeHub, inside: Inside, content: bytes
    ) -> None:
        hub.push(LATER, test=content.replace(b"definizione", b"Definizione"))
        again = inside("data", "fetch", "--again")
        assert again.code == 0, again.err
        asked = len(hub.seen)
        assert inside("score", run).code == 0
        assert summary(run)["data"]["revision"] == COMMIT
        changed = inside("score", run, "--data", "hub")
        assert changed.code == 2
        assert "not the data file of this run" in changed.err
        assert len(hub.seen) == asked

    def test_asks_nobody_for_what_is_not_there(
        self, run: Path, hub: FakeHub, inside: Inside, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HF_HOME", "elsewhere")
        asked = len(hub.seen)
        done = inside("score", run)
        assert done.code == 2
        assert f"test.csv of the commit {COMMIT} is not in" in done.err
        assert f"`apieval data fetch --revision {COMMIT}`, or give a file with" in done.err
        done = inside("score", run, "--data", "hub")
        assert "apieval data fetch`, or give a file with --data PATH" in done.err
        assert len(hub.seen) == asked

    def test_exports_the_terms_with_the_rows(self, run: Path) -> None:
        done = apieval.export(run, "eee")
        assert done.warnings[-1] == (
            f"the items hold rows of the data ({PUBLISHED['licence']}); mind it where you publish them"
        )
        document = json.loads(done.files[0].read_text("utf-8"))
        source = document["evaluation_results"][0]["source_data"]
        assert source["additional_details"].items() >= PUBLISHED.items()
        subsets = {each["evaluation_name"] for each in document["evaluation_results"]}
        assert "verbalized_rebus.hints.ood" in subsets

    def test_of_raw_answers_says_the_terms(
        self, cache: HubCache, content: bytes, inside: Inside, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HF_HOME", str(cache.folder.parent))
        lay(cache, content)
        Path("raw.jsonl").write_text('{"id": 0, "text": "Soluzione: a"}\n', "utf-8")
        words = ("score", "raw.jsonl", "--data", "hub", "--limit", "1", "--json")
        done = inside(*words)
        assert NOTICE in done.err
        [found] = json.loads(done.out)["runs"]
        assert found["data"].items() >= PUBLISHED.items()
        assert NOTICE not in inside(*words).err


def test_other_data_has_no_origin(inside: Inside) -> None:
    assert inside("run", "baseline", "--limit", "1", "--yes").code == 0
    assert set(summary(folder())["data"]) == {"name", "digest", "n"}


def test_a_notebook_loads_it_too(hub: FakeHub) -> None:
    loaded = apieval.load("hub")
    assert loaded.name == "eureka-rebus-calamita-2024"
    assert [sum(r.subset == name for r in loaded.rebuses) for name in loaded.subsets] == [
        2000,
        999,
        168,
    ]
    assert datasets.at_hand("hub") == loaded
    kept = HubCache.of(os.environ)
    assert '"terms_shown": null' in next(kept.dataset.glob("apieval-*")).read_text("utf-8")


def test_what_is_at_hand_may_be_nothing(hub: FakeHub) -> None:
    with pytest.raises(DataError, match=r"--data hub: test\.csv is not in .*, and scoring uses"):
        datasets.at_hand("hub")
