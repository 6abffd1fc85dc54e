"""Scored runs that reports are written of, made once a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.documents import scored


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return folders of scores: three models, and one that has no answer to two rebuses."""
    root = tmp_path_factory.mktemp("runs")
    return {
        "half": scored(root, "half", {"regular": 6, "hints": 18}),
        "more": scored(root, "more", {"regular": 30, "hints": 36}),
        "none": scored(root, "none", {"regular": 0, "hints": 0}),
        "part": scored(root, "part", {"regular": 6, "hints": 18}, failed=[3, 30]),
    }
