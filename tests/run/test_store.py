from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from io import FileIO
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.errors import StoreError
from apieval.records import Outcome, Response, RunSpec
from apieval.results.answers import RESPONSES
from apieval.results.folder import HEADER, RunFolder
from apieval.run import store as module
from apieval.run.header import FORMAT, check_same_run
from apieval.run.header import read as read_header
from apieval.run.header import write as write_header
from apieval.run.responses import DAMAGED, REPLACED
from apieval.run.store import LOCK, OWNER, Store, set_aside
from apieval.signature import public
from tests.records import response

DATA: Final = "sha256:" + "1" * 64


def responses(folder: Path) -> Iterator[Response]:
    return RunFolder(folder).responses()


def line(**changes: object) -> bytes:
    return response(**changes).model_dump_json().encode() + b"\n"


def folder_with(tmp_path: Path, *lines: bytes) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / RESPONSES).write_bytes(b"".join(lines))
    return folder


def content(folder: Path) -> bytes:
    return (folder / RESPONSES).read_bytes()


def mended(
    folder: Path,
    warn: Callable[[str], None] = lambda _: None,
    ask_again: Collection[Outcome] = module.ASK_AGAIN,
) -> tuple[set[Any], float]:
    store = Store.open(folder, warn, ask_again)
    store.close()
    return {key[0] for key in store.answered}, store.spent_usd


def no_warning(text: str) -> None:
    raise AssertionError(text)


# --- writing and reading back ----------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Prima lettura: VE Rita\u2028NA scosta\u0085Soluzione: Verità nascosta",
        "a\r\nb\rc\nd\x0b\x0c\x1c\x1d\x1e",
        '\x00 \U0001f9e9 \\ "',
    ],
)
def test_what_is_appended_is_read_back(tmp_path: Path, text: str) -> None:
    stored = [response(id=number, text=text, later="campo") for number in range(3)]
    store = Store.open(tmp_path)
    for each in stored:
        store.append(each)
    assert content(tmp_path).count(b"\n") == 3  # on the file, before anything is closed
    store.close()
    assert list(responses(tmp_path)) == stored
    assert mended(tmp_path, warn=no_warning)[0] == {0, 1, 2}


@pytest.mark.parametrize("identifier", [0, 7, "7", "riga-7"])
def test_a_number_and_its_text_are_different_rows(tmp_path: Path, identifier: int | str) -> None:
    store = Store.open(tmp_path)
    store.append(response(id=identifier))
    store.close()
    assert [type(each.id) for each in responses(tmp_path)] == [type(identifier)]
    assert mended(tmp_path)[0] == {identifier}


def test_an_answer_is_known_by_row_setting_and_sample(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    store.append(response(id=1, setting="hints", sample=2))
    assert store.answered == {(1, "hints", 2)}
    store.close()


def test_a_run_without_answers_yields_none(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be read"):
        list(responses(tmp_path))
    Store.open(tmp_path).close()
    assert list(responses(tmp_path)) == []


# --- what a kill leaves behind: B25 ----------------------------------------------------------


@pytest.mark.parametrize("left", range(1, 400, 7))
def test_a_torn_last_line_is_cut_off_wherever_it_is_torn(tmp_path: Path, left: int) -> None:
    torn = line(id=2, text="Lunedì sera")[:left]
    folder = folder_with(tmp_path, line(id=1), torn)
    assert [each.id for each in responses(folder)] == [1]  # scoring reads past it
    store = Store.open(folder, no_warning)
    assert content(folder) == line(id=1)
    store.append(response(id=2, text="Lunedì sera"))
    store.close()
    assert content(folder) == line(id=1) + line(id=2, text="Lunedì sera")


def test_half_a_letter_is_cut_off(tmp_path: Path) -> None:
    whole = line(id=2, text="Lunedì")
    torn = whole[: whole.index("ì".encode()) + 1]
    assert torn.endswith(b"\xc3")
    folder = folder_with(tmp_path, line(id=1), torn)
    assert mended(folder, warn=no_warning)[0] == {1}
    assert content(folder) == line(id=1)


def test_a_whole_last_line_that_lacks_its_end_is_kept(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, line(id=1), line(id=2)[:-1])
    assert [each.id for each in responses(folder)] == [1, 2]
    assert mended(folder, warn=no_warning)[0] == {1, 2}
    assert content(folder) == line(id=1) + line(id=2)


@pytest.mark.parametrize(
    "bad", [b'{"id":"r2","ans\n', b"\n", b"\xff\n", b"null\n", b"[]\n", b"{}\n"]
)
def test_a_bad_line_in_the_middle_is_set_aside_and_named(tmp_path: Path, bad: bytes) -> None:
    folder = folder_with(tmp_path, line(id=1), bad, line(id=3))
    with pytest.raises(StoreError, match="line 2"):
        list(responses(folder))
    said: list[str] = []
    assert mended(folder, warn=said.append)[0] == {1, 3}
    assert len(said) == 1
    assert f"{RESPONSES}, line 2:" in said[0]
    assert (folder / DAMAGED).read_bytes() == bad
    assert content(folder) == line(id=1) + line(id=3)
    assert mended(folder, warn=no_warning)[0] == {1, 3}


def test_separators_that_are_no_line_ends_split_nothing(tmp_path: Path) -> None:
    raw = line(id=1, text="VE Rita\u2028NA scosta\u0085fine")
    assert "\u2028".encode() in raw  # as it is, not escaped
    folder = folder_with(tmp_path, raw)
    assert mended(folder, warn=no_warning)[0] == {1}
    assert content(folder) == raw


def test_a_byte_order_mark_that_an_editor_put_there_loses_no_answer(tmp_path: Path) -> None:
    path = tmp_path / RESPONSES
    line = response().model_dump_json().encode() + b"\n"
    path.write_bytes(b"\xef\xbb\xbf" + line)
    with closing(Store.open(tmp_path, pytest.fail)) as store:
        assert store.answered == {(0, "regular", 0)}
    assert [each.id for each in responses(tmp_path)] == [0]


def test_a_file_of_nothing_but_a_torn_line_becomes_empty(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, b'{"id"')
    assert mended(folder, warn=no_warning) == (set(), 0.0)
    assert content(folder) == b""


# --- what makes room -------------------------------------------------------------------------


def test_failures_and_empty_answers_stand_and_are_asked_again(tmp_path: Path) -> None:
    lines = [line(id=outcome.value, outcome=outcome) for outcome in Outcome]
    folder = folder_with(tmp_path, *lines)
    assert mended(folder, warn=no_warning)[0] == {"ok", "truncated", "refused"}
    assert content(folder) == b"".join(lines)
    assert [each.outcome for each in responses(folder)] == list(Outcome)


def test_what_was_replaced_is_kept_beside_with_what_it_cost(tmp_path: Path) -> None:
    lines = [line(id=1, outcome="empty", cost_usd=2.0), line(id=2, cost_usd=3.0)]
    folder = folder_with(tmp_path, *lines)
    assert mended(folder) == ({2}, 5.0)
    assert not (folder / REPLACED).exists()
    store = Store.open(folder)
    again = Response.model_validate_json(line(id=1, cost_usd=1.0))
    store.append(again)
    assert [each.id for each in responses(folder)] == [2, 1]  # a reader in between sees it too
    store.tidy()
    store.close()
    assert store.spent_usd == 6.0
    assert (folder / REPLACED).read_bytes() == lines[0]
    assert content(folder) == lines[1] + line(id=1, cost_usd=1.0)
    assert mended(folder) == ({1, 2}, 6.0)
    # killed between the two files: the line stands in both, and was paid once
    (folder / RESPONSES).write_bytes(b"".join(lines) + line(id=1, cost_usd=1.0))
    assert mended(folder) == ({1, 2}, 6.0)
    assert (folder / REPLACED).read_bytes() == lines[0]


def test_no_failure_takes_the_place_of_an_answer(tmp_path: Path) -> None:
    lines = [line(id=1, outcome="truncated"), line(id=1, outcome="failed")]
    folder = folder_with(tmp_path, *lines)
    assert [each.outcome for each in responses(folder)] == [Outcome.TRUNCATED]
    assert mended(folder)[0] == {1}
    assert content(folder) == lines[0]


@pytest.mark.parametrize("what", ["file", "folder", "replaced", "renamed file"])
def test_answers_that_were_removed_are_written_anew(tmp_path: Path, what: str) -> None:
    folder = tmp_path / "run"
    store = Store.open(folder)
    store.append(response(id=1))
    store.append(response(id=2))
    store.check()
    kept = content(folder)
    if what == "folder":
        shutil.rmtree(folder)
    elif what == "renamed file":
        (folder / RESPONSES).rename(folder / "altro.jsonl")
    else:
        (folder / RESPONSES).unlink()
    if what == "replaced":  # as an editor does, or `sed -i`
        (folder / RESPONSES).write_bytes(line(id=1))
    with pytest.raises(StoreError, match=r"was removed or renamed.*2 answers were written there"):
        store.check()
    assert content(folder) == kept
    store.check()
    store.append(response(id=3))
    with pytest.raises(StoreError, match="another process"):
        Store.open(folder)
    store.close()
    assert mended(folder)[0] == {1, 2, 3}


def test_a_folder_that_was_moved_is_followed(tmp_path: Path) -> None:
    folder, moved = tmp_path / "run", tmp_path / "other" / "elsewhere"
    store = Store.open(folder)
    write_header(folder, header())
    store.append(response(id=1))
    moved.parent.mkdir()
    folder.rename(moved)
    with pytest.raises(StoreError) as told:
        store.check()
    assert f"{folder}: was moved to {moved}" in str(told.value)
    assert store.folder == moved
    store.check()
    store.append(response(id=2))
    store.close()
    assert mended(moved)[0] == {1, 2}
    assert not folder.exists()


def test_answers_without_a_header_are_nobodys(tmp_path: Path) -> None:
    module.check_has_header(tmp_path)
    folder = folder_with(tmp_path, line())
    with pytest.raises(StoreError, match=r"no run\.json"):
        module.check_has_header(folder)
    write_header(folder, {"format": FORMAT})
    module.check_has_header(folder)


def test_more_may_be_asked_again(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, line(id=1, outcome="truncated"), line(id=2))
    assert mended(folder, ask_again={Outcome.TRUNCATED})[0] == {2}


def test_of_two_answers_to_one_question_the_last_stands(tmp_path: Path) -> None:
    lines = [line(id=1, text="a"), line(id=2), line(id=1, text="b"), line(id=1, sample=1)]
    folder = folder_with(tmp_path, *lines)
    assert [each.text[:1] for each in responses(folder)][1] == "b"
    assert mended(folder, warn=no_warning)[0] == {1, 2}
    assert content(folder) == lines[1] + lines[2] + lines[3]


def test_a_failure_before_its_answer_leaves_the_answer(tmp_path: Path) -> None:
    lines = [line(id=1, outcome="failed"), line(id=1)]
    folder = folder_with(tmp_path, *lines)
    assert mended(folder)[0] == {1}
    assert content(folder) == lines[1]


def test_lines_that_stay_keep_every_byte(tmp_path: Path) -> None:
    """Unknown fields, their order, blanks and escapes of a line another version wrote."""
    document = {"new_field": {"b": [1, 2]}, **json.loads(line(id=1, text="Verità"))}
    strange = json.dumps(document, indent=None, separators=(" , ", " : ")).encode() + b"\n"
    folder = folder_with(tmp_path, line(id=2, outcome="failed"), strange, line(id=2))
    assert mended(folder, warn=no_warning)[0] == {1, 2}
    assert content(folder) == strange + line(id=2)
    (read, _) = responses(folder)
    assert (read.model_extra or {})["new_field"] == {"b": [1, 2]}


def test_a_sound_file_is_not_written_anew(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, line(id=1))
    before = (folder / RESPONSES).stat().st_ino
    mended(folder)
    assert (folder / RESPONSES).stat().st_ino == before


def test_what_was_paid_is_added_up(tmp_path: Path) -> None:
    folder = folder_with(
        tmp_path,
        line(id=1, cost_usd=0.5),
        line(id=2, cost_usd=None),
        line(id=3, cost_usd=0.25, cached=True),
        line(id=4, cost_usd=0.125, outcome="empty"),
    )
    assert mended(folder)[1] == 0.625


@pytest.mark.usefixtures("untraced")
def test_a_hundred_thousand_lines_are_opened(tmp_path: Path) -> None:
    template = line(id="ROW").decode()
    rows = (template.replace('"ROW"', str(number)).encode() for number in range(100_000))
    assert len(mended(folder_with(tmp_path, *rows), warn=no_warning)[0]) == 100_000


# --- one process at a time -------------------------------------------------------------------

HOLDER: Final = """
import os, sys
from io import FileIO
from pathlib import Path
from apieval.run.store import Store
store = Store.open(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Hold the run in `tmp_path` in another process."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_process_is_refused_and_told_of_the_first(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    with pytest.raises(StoreError) as caught:
        Store.open(tmp_path)
    said = str(caught.value)
    since = (tmp_path / OWNER).read_text().split("since ")[1].strip()
    assert f"another process is at this run (process {holder.pid}, since {since})" in said
    assert "another --name" in said
    with pytest.raises(StoreError, match="another process"):
        set_aside(tmp_path)
    assert tmp_path.exists()


def test_a_process_that_was_killed_holds_nothing(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    holder.kill()
    holder.wait()
    Store.open(tmp_path).close()


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL])
def test_without_locks_a_file_marks_the_run_as_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    told: list[str] = []

    def refuses(_file: object, _how: int) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", refuses)
        store = Store.open(tmp_path, told.append)
        assert len(told) == 1
        assert f"has no locks ({os.strerror(code)}); the file .lock.marker marks the run" in told[0]
        with pytest.raises(StoreError, match="another process is at this run"):
            Store.open(tmp_path)
    with pytest.raises(StoreError, match="another process is at this run"):
        Store.open(tmp_path)  # nor by one that has locks
    store.close()
    Store.open(tmp_path, no_warning).close()


def test_a_run_that_is_closed_can_be_opened_again(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    Store.open(tmp_path).close()


def test_a_lock_without_an_owner_is_told_all_the_same(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    (tmp_path / OWNER).unlink()
    with pytest.raises(StoreError, match="unknown"):
        Store.open(tmp_path)


def test_one_who_could_not_open_it_does_not_hold_it(tmp_path: Path) -> None:
    (tmp_path / RESPONSES).mkdir()
    with pytest.raises(StoreError) as caught:
        Store.open(tmp_path)
    (tmp_path / RESPONSES).rmdir()
    Store.open(tmp_path).close()
    assert "cannot be written" in str(caught.value)


# --- disks that are full, folders that cannot be ---------------------------------------------


class FullDisk:
    """A file on a disk with room for so many bytes."""

    def __init__(self, file: FileIO, room: int) -> None:
        self._file, self._room = file, room

    def write(self, data: memoryview) -> int:
        if not self._room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = self._file.write(data[: self._room])
        self._room -= written
        return written

    def truncate(self, size: int) -> int:
        return self._file.truncate(size)


@pytest.mark.parametrize("room", [0, 1, 100, 350])
def test_a_full_disk_stops_it_and_leaves_no_torn_line(tmp_path: Path, room: int) -> None:
    store = Store.open(tmp_path)
    store.append(response(id=1))
    file = store._file
    store._file = FullDisk(file, room)  # type: ignore[assignment] # a file, as far as it goes
    with pytest.raises(StoreError, match=r"No space left.*make room"):
        store.append(response(id=2))
    assert content(tmp_path) == line(id=1)
    assert store.answered == {(1, "regular", 0)}
    store._file = file
    store.append(response(id=2))
    store.close()
    assert content(tmp_path) == line(id=1) + line(id=2)


def test_a_write_in_several_parts_is_one_line(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    file = store._file

    class Slow(FullDisk):
        def write(self, data: memoryview) -> int:
            return file.write(data[:10])

    store._file = Slow(file, 0)  # type: ignore[assignment]
    store.append(response(id=1))
    store._file = file
    store.close()
    assert content(tmp_path) == line(id=1)


def test_no_room_to_mend_leaves_what_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = line(id=1) + line(id=2, outcome="failed") + line(id=2)
    folder = folder_with(tmp_path, before)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StoreError, match="No space left"):
            Store.open(folder)
    assert content(folder) == before
    assert mended(folder)[0] == {1, 2}


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="--out"):
        Store.open(tmp_path / "file" / "run")


def _fsync_that_fails(monkeypatch: pytest.MonkeyPatch, code: int) -> list[int]:
    calls: list[int] = []

    def broken(descriptor: int) -> None:
        calls.append(descriptor)
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", broken)
    return calls


@pytest.mark.parametrize("code", [errno.EIO, errno.EDQUOT, errno.ENOSPC, errno.ESTALE])
def test_a_disk_that_cannot_be_synced_is_told_and_never_trusted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    store = Store.open(tmp_path)
    with monkeypatch.context() as patch:
        calls = _fsync_that_fails(patch, code)
        store.sync()
        assert calls == []  # nothing new to bring there
        store.append(response())
        with pytest.raises(StoreError, match=f"cannot be brought to the disk: {os.strerror(code)}"):
            store.sync()
    store.append(response(id=2))  # what comes is still written
    with pytest.raises(StoreError, match="cannot be brought to the disk"):
        store.sync()
    store.close()
    assert len(mended(tmp_path)[0]) == 2


@pytest.mark.parametrize("code", [errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP])
def test_a_file_system_that_knows_no_sync_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    _fsync_that_fails(monkeypatch, code)
    store = Store.open(tmp_path)
    store.append(response())
    store.sync()
    write_header(tmp_path, header())
    store.close()


def test_new_files_and_folders_are_brought_to_the_disk_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders: list[Path] = []
    real = os.fsync

    def noted(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            folders.append(Path(f"/proc/self/fd/{descriptor}").readlink())
        real(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    folder = tmp_path / "results" / "run"
    Store.open(folder).close()
    assert {folder, folder.parent} <= set(folders)
    folders.clear()
    write_header(folder, header())
    assert folders == [folder]
    Store.open(folder).close()
    assert folders == [folder]  # nothing is new


# --- the header ------------------------------------------------------------------------------


def spec(**changes: object) -> RunSpec:
    plain: dict[str, Any] = {
        "model": "my-llama",
        "provider": "openai-compatible",
        "identity": {"body": {"model": "m", "temperature": 0}},
        "data": "rebuses.csv",
        "settings": ("regular", "hints"),
        "prompts": {"regular": "sha256:a", "hints": "sha256:b"},
    }
    return RunSpec.model_validate({**plain, **changes})


def header(**changes: object) -> dict[str, Any]:
    facts = {"spec": spec().model_dump(mode="json"), "data": {"digest": DATA}}
    return {"format": FORMAT, **facts, **changes}


def test_a_header_is_read_back_and_keeps_what_it_does_not_know(tmp_path: Path) -> None:
    assert read_header(tmp_path) is None
    write_header(tmp_path, header(note="Verità", status="running"))
    write_header(tmp_path, {"status": "done"})
    found = read_header(tmp_path)
    assert found == header(note="Verità", status="done")
    raw = (tmp_path / HEADER).read_text(encoding="utf-8")
    assert raw.endswith("}\n")
    assert "Verità" in raw


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_header_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    write_header(tmp_path, header())
    before = (tmp_path / HEADER).read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os if step == "fsync" else Path, step, full)
        with pytest.raises(StoreError, match="No space left"):
            write_header(tmp_path, {"status": "done"})
    assert (tmp_path / HEADER).read_bytes() == before


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"\xff", b"[]", b"{}", b'{"format": 99}', b'{"format": "1"}']
)
def test_what_is_no_header_is_told(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / HEADER).write_bytes(raw)
    with pytest.raises(StoreError, match=HEADER):
        read_header(tmp_path)


def test_the_same_run_may_go_on(tmp_path: Path) -> None:
    check_same_run(tmp_path, spec(), DATA)  # nothing there yet
    write_header(tmp_path, header())
    check_same_run(tmp_path, spec(), DATA)


def test_another_run_is_refused_and_what_differs_is_named(tmp_path: Path) -> None:
    write_header(tmp_path, header())
    with pytest.raises(StoreError) as caught:
        check_same_run(tmp_path, spec(samples=3, data="other.csv"), DATA)
    said = str(caught.value)
    assert "data: 'rebuses.csv' then, 'other.csv' now; samples: 1 then, 3 now" in said
    assert "--name" in said
    assert "--fresh" in said


@pytest.mark.parametrize(
    ("then", "now", "said"),
    [
        (
            {"body": {"temperature": 0.0}},
            {"body": {"temperature": 0.7}},
            "temperature: 0.0 then, 0.7 now",
        ),
        ({"body": {}}, {"body": {"seed": 7}}, "seed: not set then, 7 now"),
        (
            {"body": {"top_p": 1, "stop": ["a"]}},
            {"body": {"stop": ["b"]}},
            "stop: ['a'] then, ['b'] now; top_p: 1 then, not set now",
        ),
        (
            {"endpoint": ["http://a/v1"]},
            {"endpoint": ["http://b/v1"]},
            "endpoint: ['http://a/v1'] then",
        ),
        ({"headers": {"X-Team": "blu"}}, {"headers": {"X-Team": "due"}}, "header X-Team: changed"),
        ({"headers": {}}, {"headers": {"X-Team": "due"}}, "header X-Team: only now"),
    ],
)
def test_a_changed_setting_is_named_alone(
    tmp_path: Path, then: dict[str, Any], now: dict[str, Any], said: str
) -> None:
    known = header()
    known["spec"] = {**known["spec"], "identity": then}
    write_header(tmp_path, known)
    with pytest.raises(StoreError) as caught:
        check_same_run(tmp_path, spec(identity=public(now)), DATA)
    assert f"holds another run ({said}" in str(caught.value)
    assert "identity" not in str(caught.value)
    assert "blu" not in str(caught.value)


def test_a_changed_prompt_is_named_without_its_hashes(tmp_path: Path) -> None:
    write_header(tmp_path, header())
    with pytest.raises(StoreError, match=r"\(prompt regular: changed\)"):
        check_same_run(tmp_path, spec(prompts={**spec().prompts, "regular": "sha256:9"}), DATA)


def test_a_data_file_that_changed_is_refused_and_named(tmp_path: Path) -> None:
    write_header(tmp_path, header())
    new = "sha256:" + "2" * 64
    with pytest.raises(StoreError, match=r"'rebuses.csv' has changed") as caught:
        check_same_run(tmp_path, spec(), new)
    assert f"{DATA} then, {new} now" in str(caught.value)
    assert "data fetch" not in str(caught.value)  # it is of no hub


def test_a_header_without_facts_is_another_run(tmp_path: Path) -> None:
    write_header(tmp_path, {"format": FORMAT})
    with pytest.raises(StoreError, match="another run"):
        check_same_run(tmp_path, spec(), DATA)


# --- starting over ---------------------------------------------------------------------------


def test_a_run_that_is_started_over_is_kept(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, line(id=1))
    old = set_aside(folder)
    assert old is not None
    assert not folder.exists()
    assert old.name.startswith("run.before-")
    assert content(old) == line(id=1)
    assert set_aside(folder) is None


def test_what_cannot_be_set_aside_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_with(tmp_path)

    def refused(*_: object) -> None:
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(StoreError, match="cannot be renamed: Permission denied"):
        set_aside(folder)


def test_the_files_of_a_run_are_these(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    store.append(Response.model_validate(response()))
    store.close()
    assert {path.name for path in tmp_path.iterdir()} <= {LOCK, OWNER, RESPONSES}


_STYLES: Final[Mapping[str, Callable[[dict[str, Any]], str]]] = {
    "compact": lambda each: json.dumps(each, separators=(",", ":"), ensure_ascii=False),
    "with blanks": json.dumps,
    "wide, CRLF": lambda each: json.dumps(each, separators=(" ,  ", "\t:  ")) + "  \r",
    "backwards": lambda each: json.dumps(dict(reversed(each.items()))),
    "sorted": lambda each: json.dumps(each, sort_keys=True, ensure_ascii=False),
    "escaped names": lambda each: json.dumps(each).replace('"outcome"', '"\\u006futcome"'),
    "indented by a blank": lambda each: " " + json.dumps(each),
}
_ANSWERS: Final = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.sampled_from([0, 1, "0", 'a","sample":1,"key":']),
            "setting": st.sampled_from(["regular", "hints"]),
            "sample": st.integers(0, 1),
            "outcome": st.sampled_from(list(Outcome)),
            "text": st.sampled_from(
                ["", "Verità", '"outcome":"failed"', '","outcome":"failed","x":"']
            ),
            "more": st.sampled_from([None, {"outcome": "failed", "id": 1}, ['"outcome":"failed"']]),
        }
    ),
    max_size=12,
)


@given(answers=_ANSWERS, styles=st.lists(st.sampled_from(sorted(_STYLES)), min_size=12))
@settings(max_examples=60, deadline=None)
def test_what_a_line_is_comes_from_its_fields_however_it_is_written(
    answers: list[dict[str, Any]], styles: list[str]
) -> None:
    """The last answer to a question stands, and no failure takes the place of one that was paid."""
    expected: dict[Any, Response] = {}
    lines: list[str] = []
    for each, style in zip(answers, styles, strict=False):
        made = response(**each)
        question = (made.id, made.setting, made.sample)
        before = expected.get(question)
        if not before or made.outcome is not Outcome.FAILED or before.outcome is Outcome.FAILED:
            expected.pop(question, None)
            expected[question] = made
        lines.append(_STYLES[style](json.loads(made.model_dump_json())))
    with tempfile.TemporaryDirectory() as temporary:
        folder = folder_with(Path(temporary), *(f"{each}\n".encode() for each in lines))
        assert list(responses(folder)) == list(expected.values())
        store = Store.open(folder, no_warning)
        store.close()
        assert list(responses(folder)) == list(expected.values())
        good = {key for key, each in expected.items() if each.outcome not in module.ASK_AGAIN}
        assert store.answered == good


def test_a_torn_line_takes_the_place_of_no_whole_one(tmp_path: Path) -> None:
    before, torn = line(id=1, outcome="empty"), line(id=1, text="Verità")[:-20]
    folder = folder_with(tmp_path, before, torn)
    assert [each.outcome for each in responses(folder)] == [Outcome.EMPTY]


# --- links and pipes in a folder that somebody else made ---------------------------------------

PLANTED: Final = [LOCK, OWNER, RESPONSES, REPLACED, DAMAGED, HEADER, f".{RESPONSES}.new"]


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("kind", ["link", "broken link", "pipe"])
def test_no_link_is_followed_and_no_pipe_opened(tmp_path: Path, name: str, kind: str) -> None:
    folder = folder_with(tmp_path, line(id=1), line(id=2), b"torn")
    theirs = tmp_path / "theirs"
    (folder / name).unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(folder / name)
    else:
        (folder / name).symlink_to(theirs)
    if kind == "link":
        theirs.write_bytes(line(id=3) + b"torn")
    before = theirs.read_bytes() if kind == "link" else None
    for each in (Store.open, module.check_free, set_aside):
        with pytest.raises(StoreError) as caught:
            each(folder)
        assert str(folder / name) in str(caught.value)
        assert "remove it" in str(caught.value)
    assert (theirs.read_bytes() if theirs.exists() else None) == before
    (folder / name).unlink()
    Store.open(folder).close()


def test_a_folder_that_is_itself_a_link_is_used(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, line(id=1))
    (tmp_path / "linked").symlink_to(folder)
    assert mended(tmp_path / "linked")[0] == {1}
