from __future__ import annotations

from pathlib import Path

from apieval.commands.options import FIGURES
from apieval.commands.report import _spending, report
from tests.records import response
from tests.report.documents import scored


def test_what_answers_took_is_read_from_those_that_stand(tmp_path: Path) -> None:
    assert _spending(tmp_path) == (None, None)
    days = [f"2026-11-{day}T23:30:00.000+00:00" for day in (30, 28, 29)]
    lines = [
        response(latency_s=9.0, created=days[0]),
        response(latency_s=2.0, created=days[1]),
        response(id=1, latency_s=4.0, created=days[2]),
        response(id=2, outcome="failed", created=days[0]),
    ]
    text = "".join(f"{each.model_dump_json()}\n" for each in lines)
    (tmp_path / "responses.jsonl").write_text(text, encoding="utf-8")
    found, created = _spending(tmp_path)
    assert found is not None
    assert created is not None
    assert [each.isoformat()[:10] for each in created] == ["2026-11-28", "2026-11-29"]
    assert found["regular"]["answers"] == 2
    assert found["regular"]["latency_s"]["mean"] == 3.0


def test_a_report_has_its_figures_in_files_in_the_page_and_in_the_text(tmp_path: Path) -> None:
    done = report([scored(tmp_path, "uno", {"regular": 4})], tmp_path / "out", items="none")
    folder = tmp_path / "out" / FIGURES
    made = {each.stem for each in folder.iterdir()}
    assert {"funnel", "broke-first", "word-length"} <= made
    assert not {"hints", "cost", "spending"} & made  # one setting, and nothing known of the rest
    assert {each for each in done.files if each.parent == folder} == set(folder.iterdir())
    page, text = (
        (tmp_path / "out" / f"report.{form}").read_text("utf-8") for form in ("html", "md")
    )
    for name in made:
        assert f'id="figure-{name}"' in page
        assert f"]({FIGURES}/{name}.svg)" in text
