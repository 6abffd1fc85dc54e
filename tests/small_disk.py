"""A disk that is soon full, for real: where this user may mount one."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted(disk: Path, size: str) -> Iterator[Path]:
    """Give a new folder that holds no more than that, as `128k`; skip the test where none may be."""
    disk.mkdir()
    words = ("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk))
    try:
        done = subprocess.run(words, capture_output=True, check=False)
    except OSError:
        pytest.skip("there is no mount here")
    if done.returncode:
        pytest.skip("this user may not mount")
    yield disk
    subprocess.run(("umount", str(disk)), check=True)  # noqa: S607
