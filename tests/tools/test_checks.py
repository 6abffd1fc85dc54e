"""The checks of this repository, against a repository that has gone wrong."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
LOCKS: Final = ("requirements.lock", "requirements-dev.lock", "requirements-docs.lock")


def tool(name: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "tools" / name), *map(str, words)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in ("pyproject.toml", *LOCKS):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def a_looser_bound(folder: Path) -> None:
    change(folder / "pyproject.toml", "tenacity>=9.2,<10", "tenacity>=9,<11")


def a_new_requirement(folder: Path) -> None:
    change(folder / "pyproject.toml", '    "tenacity', '    "attrs",\n    "tenacity')


def a_bound_of_the_site_alone(folder: Path) -> None:
    change(folder / "pyproject.toml", '"mkdocs-material>=9.8', '"mkdocs-material>=9.999')


def an_index(folder: Path) -> None:
    change(folder / LOCKS[0], "\naiohttp==", "\n--extra-index-url https://example.org/\naiohttp==")


def a_pin_without_hash(folder: Path) -> None:
    with (folder / LOCKS[1]).open("a", encoding="utf-8") as file:
        file.write("left-pad==1.0.0\n")


def test_locks_in_step_pass(copy: Path) -> None:
    done = tool("check_lock.py", "--root", copy)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "fault",
    [a_looser_bound, a_new_requirement, a_bound_of_the_site_alone, an_index, a_pin_without_hash],
)
def test_locks_out_of_step_are_told(copy: Path, fault: Callable[[Path], None]) -> None:
    fault(copy)
    done = tool("check_lock.py", "--root", copy)
    assert done.returncode == 1
    assert "lock" in done.stdout + done.stderr


def test_an_unexpected_start_up_file_is_told(tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False)
    assert tool("check_pth.py", tmp_path / "env").returncode == 0
    [packages] = (tmp_path / "env").glob("lib/python*/site-packages")
    (packages / "litellm_init.pth").write_text("import os\n", encoding="utf-8")
    done = tool("check_pth.py", tmp_path / "env")
    assert done.returncode == 1
    assert "litellm_init.pth" in done.stdout + done.stderr


def test_generated_documents_are_in_step() -> None:
    done = tool("make_docs.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_tracked_file_names_a_place_or_the_licensed_data() -> None:
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"],  # noqa: S607
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if listed.returncode:
        pytest.skip("no checkout")
    names = [name for name in listed.stdout.split("\0") if name]
    assert not [name for name in names if "gpt4o" in name or name.endswith("gold.csv")]
    places = ("/" + "work/", "/" + "root/", "pypi" + ".org", "python" + "hosted.org")
    for name in names:
        text = (ROOT / name).read_bytes().decode("utf-8", "replace")
        assert not [place for place in places if place in text], name
