from __future__ import annotations

from importlib.metadata import version

import apieval
from apieval.version import VERSION


def test_the_version_is_the_installed_one() -> None:
    assert version("apieval") == VERSION == apieval.__version__
