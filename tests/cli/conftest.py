"""The command line inside the test's process, and data to run it on."""

from __future__ import annotations

from tests.e2e.conftest import inside, no_waits, nothing_left_running, ten

__all__ = ["inside", "no_waits", "nothing_left_running", "ten"]
