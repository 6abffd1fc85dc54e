from __future__ import annotations

from pathlib import Path

import pytest

from apieval.whole_file import replacing, replacing_bytes


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
