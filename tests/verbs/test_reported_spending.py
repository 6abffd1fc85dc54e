from __future__ import annotations

from pathlib import Path

from apieval.verbs.reported import _spending
from tests.records import response


def test_what_answers_took_is_read_from_those_that_stand(tmp_path: Path) -> None:
    assert _spending(tmp_path) is None
    lines = [response(latency_s=9.0), response(latency_s=2.0), response(id=1, latency_s=4.0)]
    text = "".join(f"{each.model_dump_json()}\n" for each in lines)
    (tmp_path / "responses.jsonl").write_text(text, encoding="utf-8")
    found = _spending(tmp_path)
    assert found is not None
    assert found["regular"]["answers"] == 2
    assert found["regular"]["latency_s"]["mean"] == 3.0
