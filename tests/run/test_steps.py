"""Steps and checks: the worst of them counts."""

from __future__ import annotations

from apieval.run.steps import Check, Mark, Step

GOOD = Step("key", {"set": True})
DOUBTFUL = Step("reply", warnings=("hm",))
BAD = Step("parse", faults=("no",), warnings=("hm",))
REFUSED = Step("reply", faults=("no key",), fault_code=3)


def test_a_step_is_as_bad_as_the_worst_in_it() -> None:
    assert [each.mark for each in (GOOD, DOUBTFUL, BAD)] == [Mark.OK, Mark.WARNING, Mark.FAILED]
    assert [each.exit_code for each in (GOOD, DOUBTFUL, BAD, REFUSED)] == [0, 0, 1, 3]
    assert GOOD.as_json() == {"mark": "ok", "faults": [], "warnings": [], "set": True}


def test_a_check_is_as_bad_as_the_worst_step() -> None:
    found = Check("m", (GOOD, REFUSED, BAD))
    assert (found.mark, found.exit_code) == (Mark.FAILED, 3)
    assert (Check("m", (GOOD, DOUBTFUL)).mark, Check("m", (DOUBTFUL,)).exit_code) == ("warning", 0)
    assert (Check("m", ()).mark, Check("m", ()).exit_code) == (Mark.OK, 0)
    assert found.facts("key") == {"set": True}
    assert found.facts("forecast") == {}
    assert list(found.as_json()["steps"]) == ["key", "reply", "parse"]
