from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

import pytest
from platformdirs import user_cache_path

from apieval.report.figures import canvas, style

FOLDER = "MPLCONFIGDIR"


@pytest.fixture
def unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let matplotlib be not imported yet, and no folder of its own be named."""
    monkeypatch.delitem(sys.modules, "matplotlib", raising=False)
    monkeypatch.delenv(FOLDER, raising=False)


@pytest.mark.usefixtures("unknown")
def test_the_list_of_fonts_is_kept_in_the_users_cache() -> None:
    with canvas._folder():
        assert Path(os.environ[FOLDER]) == user_cache_path("matplotlib", appauthor=False)
    assert FOLDER not in os.environ


@pytest.mark.usefixtures("unknown")
def test_where_the_users_cache_cannot_be_written_it_is_kept_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with canvas._folder():
        meanwhile = Path(os.environ[FOLDER])
        assert meanwhile.is_dir()
    assert not meanwhile.exists()
    assert FOLDER not in os.environ


@pytest.mark.usefixtures("unknown")
def test_a_folder_that_is_named_is_used_if_it_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    with canvas._folder():
        assert os.environ[FOLDER] == str(tmp_path)
    missing = str(tmp_path / "missing")
    monkeypatch.setenv(FOLDER, missing)
    with canvas._folder():
        assert os.environ[FOLDER] != missing
    assert os.environ[FOLDER] == missing


def test_the_folder_of_a_matplotlib_that_is_there_is_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", sys)
    monkeypatch.delenv(FOLDER, raising=False)
    with canvas._folder():
        assert FOLDER not in os.environ


def test_it_says_nothing_while_it_is_imported() -> None:
    log = logging.getLogger("matplotlib")
    before = log.level
    with canvas._quietly():
        assert not log.isEnabledFor(logging.WARNING)
    assert log.level == before


def test_the_settings_of_matplotlib_are_as_before_afterwards() -> None:
    matplotlib = canvas._matplotlib()
    before = dict(matplotlib.rcParams)
    with canvas.ready():
        assert matplotlib.rcParams["svg.hashsalt"] == style.RC["svg.hashsalt"]
    assert dict(matplotlib.rcParams) == before


def test_a_users_own_settings_change_nothing() -> None:
    matplotlib = canvas._matplotlib()

    def drawn() -> canvas.Prints:
        with canvas.ready():
            sheet = canvas.sheet(1.0)
            sheet.subplots().set_title("titolo")
            return canvas.prints(sheet)

    plain = drawn()
    with matplotlib.rc_context({"axes.grid": True, "font.size": 20, "svg.fonttype": "none"}):
        assert drawn() == plain
