from __future__ import annotations

from pathlib import Path

from apieval.commands.options import FIGURES
from apieval.commands.report import report
from tests.records import response
from tests.report.documents import scored
from tests.report_runs import alfa, gathered, write_answers, write_data, write_run


def test_what_answers_took_is_read_from_those_that_stand(tmp_path: Path) -> None:
    run = write_run(tmp_path / "uno", write_data(tmp_path / "rows.csv", 3), alfa)
    days = [f"2026-11-{day}T23:30:00.000+00:00" for day in (30, 28, 29)]
    answers = [
        response(id=2, outcome="failed", text="", created=days[0]),
        response(id=1, latency_s=4.0, created=days[2]),
        response(id=0, latency_s=2.0, created=days[1]),
        response(id=0, latency_s=9.0, created=days[0]),
    ]
    write_answers(run, answers)
    (found,) = gathered([run]).runs
    assert found.spending is not None
    assert found.created is not None
    assert [each.isoformat()[:10] for each in found.created] == ["2026-11-28", "2026-11-29"]
    assert found.spending["regular"]["answers"] == 2
    assert found.spending["regular"]["latency_s"]["mean"] == 3.0


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
