from __future__ import annotations

import os
import time
from itertools import count
from pathlib import Path

import pytest

from apieval import files
from apieval.files import is_folder, is_there, not_ordinary, ordinary, replacing, replacing_bytes


def test_a_file_takes_the_place_of_another_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "r.txt"
    path.write_bytes(b"vecchio")
    with replacing(path) as file:
        file.write("perché\n")
        assert path.read_bytes() == b"vecchio"
    assert path.read_bytes() == "perché\n".encode()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError("pieno"), KeyboardInterrupt()], ids=type)
def test_a_writing_that_fails_leaves_all_as_it_was(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "r.txt"
    path.write_bytes(b"vecchio")

    def write() -> None:
        with replacing(path) as file:
            file.write("a metà")
            raise error

    with pytest.raises(type(error)):
        write()
    assert path.read_bytes() == b"vecchio"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "no" / "r.txt"):
        pytest.fail("nothing to write to")


def test_bytes_are_put_in_place_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "r.png"
    path.write_bytes(b"old")
    with replacing_bytes(path) as file:
        file.write(b"\x89PNG\r\n")
    assert path.read_bytes() == b"\x89PNG\r\n"
    assert list(tmp_path.iterdir()) == [path]


def _left(path: Path, age_s: float) -> Path:
    left = path.with_name(f".{path.name}.123-0")
    left.write_bytes(b"half")
    os.utime(left, (time.time() - age_s,) * 2)
    return left


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "r[1].txt"
    other = tmp_path / ".r[1].txt.bak"
    other.touch()
    os.utime(other, (0, 0))
    _left(path, 60)
    with replacing(path) as file:
        file.write("x")
    assert sorted(tmp_path.iterdir()) == [other, path]


def test_what_is_new_or_held_is_another_process_file(tmp_path: Path) -> None:
    path = tmp_path / "r.txt"
    new = _left(path, 0)
    with replacing(path) as file:
        file.write("x")
    assert new.exists()
    new.unlink()
    with replacing(path) as file:
        file.write("uno\n")
        file.flush()
        (held,) = (each for each in tmp_path.iterdir() if each != path)
        os.utime(held, (0, 0))
        with replacing(path) as other:  # in one process as in two
            other.write("due\n")
        assert held.exists()
    assert path.read_text() == "uno\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_pipe_is_no_ordinary_file(tmp_path: Path) -> None:
    pipe = tmp_path / "p"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="a pipe or a device"):
        ordinary(pipe)
    assert is_there(pipe)
    assert not is_folder(pipe)
    assert ordinary(tmp_path) == tmp_path
    assert is_folder(tmp_path)
    assert not is_there(Path("a\0b"))
    assert ordinary(tmp_path / "none") == tmp_path / "none"


def test_a_link_out_of_its_folder_is_not_followed(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (tmp_path / "theirs").write_text("x")
    (mine / "real").write_text("y")
    for name, to in (("out", "../theirs"), ("nothing", "../none"), ("circle", "circle")):
        (mine / name).symlink_to(to)
        with pytest.raises(OSError, match="a symbolic link out of its folder"):
            ordinary(mine / name)
        odd = not_ordinary(mine)
        assert odd is not None
        assert odd.filename == str(mine / name)
        (mine / name).unlink()
    (mine / "inside").symlink_to("real")
    assert ordinary(mine / "inside").read_text() == "y"
    assert not_ordinary(mine) is None
    (tmp_path / "elsewhere").symlink_to(mine)
    assert ordinary(tmp_path / "elsewhere" / "real").read_text() == "y", "a linked folder is one"
    assert not_ordinary(tmp_path / "elsewhere") is None


def test_a_planted_link_is_replaced_and_not_written_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("x")
    path = tmp_path / "mine.json"
    path.symlink_to(theirs)
    monkeypatch.setattr(files, "_NUMBERS", count(7))
    (tmp_path / f".mine.json.{os.getpid()}-7").symlink_to(theirs)
    with replacing(path) as file:
        file.write("y")
    assert (theirs.read_text(), path.read_text(), path.is_symlink()) == ("x", "y", False)
