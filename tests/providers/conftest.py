"""litellm for these tests, imported once: its own warnings are not this project's to mend."""

from __future__ import annotations

import warnings
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def hosted() -> ModuleType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from apieval.providers import hosted as module  # noqa: PLC0415 # it takes seconds
    return module
