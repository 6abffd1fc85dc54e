from __future__ import annotations

import sys

import pytest

from apieval.analysis import dependence


def test_without_the_extra_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    assert dependence.zipf_frequencies(["casa"]) is None
    assert "pip install '.[frequency]'" in dependence.MISSING


def test_by_the_lists_themselves() -> None:
    pytest.importorskip("wordfreq", reason="the extra `frequency` is not installed")
    found = dependence.zipf_frequencies(["casa", "Roma", "casa", "xqzzt", "perché"])
    assert found == {"casa": 5.88, "Roma": 5.63, "xqzzt": 0.0, "perché": 6.18}
    assert dependence.frequency_source().startswith("wordfreq 3.")
