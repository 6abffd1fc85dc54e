from __future__ import annotations

import errno
import fcntl
import json
import os
import pickle
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from apieval.config.file import Providers
from apieval.errors import ConfigError
from apieval.rebus import conversation, prompts
from apieval.rebus.conversation import Conversation
from apieval.records import Outcome, Rebus, Request, Response
from apieval.run import cache as module
from apieval.run.cache import GOOD, CacheFailed, ResponseCache
from apieval.run.model import prepare
from apieval.signature import answer_identity, canonical_json, digest
from tests.records import rebus, response

KEY: Final = "sk-finta-000111"
DATABASE: Final = "cache.db"


def request(number: int = 0, **changes: object) -> Request:
    identity = json.dumps({"body": {"model": "m"}, "messages": [str(number)], "sample": 0})
    plain: dict[str, Any] = {
        "id": number,
        "setting": "regular",
        "sample": 0,
        "messages": (),
        "identity": identity,
        "key": digest(identity),
    }
    return Request.model_validate({**plain, **changes})


def answer(to: Request, **changes: object) -> Response:
    return response(
        id=to.id, setting=to.setting, sample=to.sample, key=to.key, text=f"a {to.id}", **changes
    )


def fill(folder: Path, *requests: Request, **changes: object) -> None:
    with closing(ResponseCache(folder)) as cache:
        for each in requests:
            cache.put(each, answer(each, **changes))


def found(folder: Path, *requests: Request) -> list[Response | None]:
    with closing(ResponseCache(folder)) as cache:
        return [cache.get(each) for each in requests]


def sql(folder: Path, statement: str, *values: object) -> list[Any]:
    with closing(sqlite3.connect(folder / DATABASE)) as database, database:
        return database.execute(statement, values).fetchall()


def test_what_headers_say_is_not_kept_and_answers_of_version_0_1_still_serve(
    tmp_path: Path,
) -> None:
    model = {"body": {"model": "m"}, "headers": {"X-Team": "squadra-blu"}}
    shown, key = answer_identity(model, ["ciao"], 0)
    asked = request(identity=shown, key=key)
    old = asked.model_copy(
        update={"identity": canonical_json({**model, "messages": ["ciao"], "sample": 0})}
    )
    assert digest(old.identity) == key
    for kept in (old, asked):
        folder = tmp_path / str(len(kept.identity))
        fill(folder, kept)
        assert found(folder, asked) != [None]
        assert found(
            folder, asked.model_copy(update={"identity": shown.replace("ciao", "no")})
        ) == [None]
        with closing(ResponseCache(folder)) as cache:
            assert list(cache.damaged()) == []
            assert "squadra-blu" not in str(cache.nearest(answer_identity(model, ["no"], 0)[0]))
    assert b"squadra-blu" not in (tmp_path / str(len(asked.identity)) / DATABASE).read_bytes()


# --- what comes back -------------------------------------------------------------------------


def test_what_was_put_in_comes_back_as_the_requests_own(tmp_path: Path) -> None:
    fill(tmp_path, request(7), cost_usd=0.5, attempts=3)
    again = request(7, id=99, setting="hints", sample=0)
    (got,) = found(tmp_path, again)
    assert got is not None
    assert (got.id, got.setting, got.text) == (99, "hints", "a 7")
    assert got.cached
    assert got.attempts == 0


def test_what_was_not_put_in_is_not_there(tmp_path: Path) -> None:
    assert found(tmp_path, request()) == [None]


@pytest.mark.parametrize("outcome", Outcome)
def test_only_good_answers_are_kept(tmp_path: Path, outcome: Outcome) -> None:
    fill(tmp_path, request(), outcome=outcome)
    assert (found(tmp_path, request()) != [None]) == (outcome in GOOD)
    assert {Outcome.EMPTY, Outcome.FAILED}.isdisjoint(GOOD)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets the size of every batch a cache writes from now on."""
    sizes: list[int] = []
    write = ResponseCache._set

    def noted(cache: ResponseCache, batch: list[tuple[str, str, Response]]) -> None:
        sizes.append(len(batch))
        write(cache, batch)

    monkeypatch.setattr(ResponseCache, "_set", noted)
    return sizes


@pytest.mark.parametrize("count", [1, 99, 100, 101, 250])
def test_batches_of_any_size_are_written_as_diskcache_would(tmp_path: Path, count: int) -> None:
    fill(tmp_path, *map(request, range(count)))
    with closing(ResponseCache(tmp_path)) as cache:
        cache._cache.set(request(-1).key, cache._cache.get(request(0).key))
        assert cache.stats().answers == count + 1
        assert list(cache._cache.check()) == []
    kinds = "SELECT DISTINCT raw, expire_time, access_count, tag, size, mode, filename FROM Cache"
    assert len(sql(tmp_path, kinds)) == 1
    assert None not in found(tmp_path, *map(request, range(count)))


def test_an_answer_takes_the_place_of_another(tmp_path: Path) -> None:
    fill(tmp_path, request(), request(1), error="first")
    sql(tmp_path, "UPDATE Cache SET mode = 4, filename = 'x'")  # planted: a pickle
    fill(tmp_path, request(), request(), error="second")
    assert [got and got.error for got in found(tmp_path, request(), request(1))] == ["second", None]
    with closing(ResponseCache(tmp_path)) as cache:
        assert cache.stats().answers == 2


def test_answers_are_written_together_and_closing_waits_for_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "GATHER_S", 60.0)
    began, sizes = time.monotonic(), counted(monkeypatch)
    with closing(ResponseCache(tmp_path)) as cache:
        for number in range(50):
            cache.put(request(number), answer(request(number)))
    assert time.monotonic() - began < 30
    assert sizes == [50]
    assert None not in found(tmp_path, *map(request, range(50)))


@pytest.mark.parametrize("text", ["", "Verità \U0001f9e9\u2028\x00", "x" * 100_000])
def test_any_text_comes_back_whole(tmp_path: Path, text: str) -> None:
    with closing(ResponseCache(tmp_path)) as cache:
        cache.put(request(), response(key=request().key, text=text))
    (got,) = found(tmp_path, request())
    assert got is not None
    assert got.text == text


def test_an_answer_under_the_key_but_with_another_identity_is_none(tmp_path: Path) -> None:
    fill(tmp_path, request(1))
    assert found(tmp_path, request(2, key=request(1).key)) == [None]


@pytest.mark.parametrize(
    "value",
    ["", "{", "[" * 100_000, "[]", "5", '{"identity": "x"}', '{"identity": 1, "response": 2}'],
)
def test_what_is_no_answer_is_none(tmp_path: Path, value: str) -> None:
    fill(tmp_path, request())
    sql(tmp_path, "UPDATE Cache SET value = ?", value)
    assert found(tmp_path, request()) == [None]


# --- what is part of the key: B22 ------------------------------------------------------------

MODEL: Final[Mapping[str, Any]] = {
    "provider": "openai-compatible",
    "base_url": "http://127.0.0.1:8000/v1",
    "model": "a",
    "params": {"temperature": 0.0, "max_tokens": 512},
    "api_key_env": "FIRST_API_KEY",
    "limits": {"concurrency": 8},
}
ROWS: Final = [rebus(id=number, solution_key=f"{number} 8") for number in range(3)]


def keys(
    rows: list[Rebus] | None = None,
    environ: Mapping[str, str] | None = None,
    said: Conversation | None = None,
    **changes: object,
) -> set[str]:
    providers = Providers.model_validate(
        {"version": 1, "defaults": {}, "models": {"m": {**MODEL, **changes}}}
    )
    held = environ or {"FIRST_API_KEY": KEY, "SECOND_API_KEY": "sk-altra-222"}
    identity = prepare("m", providers, held).identity
    requests = list(conversation.requests(rows or ROWS, ["regular"], 1, identity, (), said))
    assert all(KEY not in each.identity for each in requests)
    return {each.key for each in requests}


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "b"},
        {"params": {"temperature": 0.7, "max_tokens": 512}},
        {"params": {"temperature": 0.0, "max_tokens": 1024}},
        {"params": {"temperature": 0.0}},
        {"params": {**MODEL["params"], "stop": "fine"}},
        {"params": {**MODEL["params"], "top_p": 0.9}},
        {"params": {**MODEL["params"], "seed": 1}},
        {"extra_body": {"top_a": 1}},
        {"headers": {"x-variant": "b"}},
        {"base_url": "http://127.0.0.1:8001/v1"},
        {"cache_identity": "cluster"},
        {"drop": ["temperature"]},
    ],
    ids=str,
)
def test_what_can_change_an_answer_changes_every_key(changes: dict[str, Any]) -> None:
    assert keys().isdisjoint(keys(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"api_key_env": "SECOND_API_KEY"},
        {"api_key_env": None},
        {"environ": {"FIRST_API_KEY": "sk-nuova-333"}},
        {"limits": {"concurrency": 500, "rpm": 3, "tpm": 5, "max_retries": 0, "max_wait": 1.0}},
        {"price": {"input": 1.0, "output": 2.0}},
        {"base_url": "http://127.0.0.1:8000"},
        {"base_url": ["http://127.0.0.1:8000/v1/chat/completions"]},
    ],
    ids=str,
)
def test_what_cannot_change_an_answer_changes_no_key(changes: dict[str, Any]) -> None:
    assert keys(**changes) == keys()


def test_one_edited_rebus_changes_one_key() -> None:
    edited = [*ROWS[:2], rebus(id=2, solution_key="2 8", verbalized_rebus="VE [Santa di Norcia]")]
    assert len(keys() & keys(edited)) == 2


@pytest.mark.parametrize("shots", [0, 1, 3, 5])
def test_another_number_of_examples_changes_every_key(shots: int) -> None:
    assert keys().isdisjoint(keys(said=Conversation(prompts.choose(shots=shots))))
    assert keys() == keys(said=Conversation(prompts.choose(shots=2)))


def test_settings_and_samples_are_different_questions() -> None:
    requests = list(conversation.requests(ROWS, samples=3, identity={}))
    assert len({each.key for each in requests}) == len(requests) == 18


def test_the_order_of_several_servers_is_no_matter() -> None:
    urls = ["http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"]
    assert keys(base_url=urls) == keys(base_url=urls[::-1])


def test_the_shared_identity_of_a_cluster_takes_the_addresses_place() -> None:
    first = keys(cache_identity="llama", base_url="http://127.0.0.1:1/v1")
    assert first == keys(cache_identity="llama", base_url="http://127.0.0.1:2/v1")


# --- nothing is lost, nothing is run ---------------------------------------------------------


def test_nothing_is_ever_evicted(tmp_path: Path) -> None:
    fill(tmp_path, request())
    settings = dict(sql(tmp_path, "SELECT key, value FROM Settings"))
    assert settings["eviction_policy"] == "none"
    assert settings["size_limit"] == 2**62
    assert sql(tmp_path, "SELECT expire_time FROM Cache") == [(None,)]


def test_a_cache_made_with_other_settings_is_not_evicted_either(tmp_path: Path) -> None:
    fill(tmp_path, request(0))
    sql(
        tmp_path,
        "UPDATE Settings SET value = 'least-recently-stored' WHERE key = 'eviction_policy'",
    )
    sql(tmp_path, "UPDATE Settings SET value = 1 WHERE key = 'size_limit'")
    fill(tmp_path, *(request(number) for number in range(1, 50)))
    assert None not in found(tmp_path, *(request(number) for number in range(50)))


def test_batches_survive_closing(tmp_path: Path) -> None:
    requests = [request(number) for number in range(3 * module._BATCH + 7)]
    fill(tmp_path, *requests)
    assert None not in found(tmp_path, *requests)


def test_everything_stays_in_the_one_database(tmp_path: Path) -> None:
    with closing(ResponseCache(tmp_path)) as cache:
        cache.put(request(), response(key=request().key, text="x" * 10**6))
    assert sql(tmp_path, "SELECT filename FROM Cache") == [(None,)]
    assert not [path for path in tmp_path.rglob("*") if DATABASE not in path.name]


class Planted:
    """What makes a file when it is unpickled."""

    def __init__(self, made: Path) -> None:
        self.made = made

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return os.mkdir, (str(self.made),)


def plant(folder: Path, *, key: object, raw: int, mode: int, value: object) -> None:
    sql(
        folder,
        "INSERT INTO Cache(key, raw, store_time, expire_time, access_time, access_count, tag, "
        "size, mode, filename, value) VALUES (?, ?, 0, NULL, 0, 0, NULL, 0, ?, NULL, ?)",
        key,
        raw,
        mode,
        value,
    )


@pytest.mark.parametrize("mode", [1, 2, 3, 4])
def test_a_planted_value_is_never_unpickled(tmp_path: Path, mode: int) -> None:
    made = tmp_path / "eseguito"
    folder = tmp_path / "cache"
    fill(folder, request(1))
    plant(folder, key=request().key, raw=1, mode=mode, value=pickle.dumps(Planted(made)))
    assert found(folder, request(), request(1))[0] is None
    with closing(ResponseCache(folder)) as cache:
        assert list(cache.damaged()) == [request().key]
        assert cache.nearest(request().identity)
    assert not made.exists()


def test_a_planted_key_is_never_unpickled(tmp_path: Path) -> None:
    """Whoever lists the keys would run it."""
    made = tmp_path / "eseguito"
    folder = tmp_path / "cache"
    fill(folder, request(1))
    plant(folder, key=pickle.dumps(Planted(made)), raw=0, mode=1, value="x")
    plant(folder, key=5, raw=1, mode=1, value="x")
    with closing(ResponseCache(folder)) as cache:
        assert len(list(cache.damaged())) == 2
        assert cache.nearest(request().identity)
        assert cache.stats().answers == 3
        assert cache.clear() == 3
    assert not made.exists()


def test_only_text_goes_in(tmp_path: Path) -> None:
    with closing(ResponseCache(tmp_path)) as cache:
        with pytest.raises(TypeError, match="key is text"):
            cache._cache.set(("a", 1), "x")
        with pytest.raises(TypeError, match="value is text"):
            cache._cache.set("a", {"x": 1})


# --- looking into it -------------------------------------------------------------------------


def test_stats_and_clear(tmp_path: Path) -> None:
    fill(tmp_path, request(1), request(2))
    with closing(ResponseCache(tmp_path)) as cache:
        stats = cache.stats()
        assert stats.answers == 2
        assert stats.bytes > 0
        assert cache.clear() == 2
        assert cache.stats().answers == 0


def test_damage_is_found(tmp_path: Path) -> None:
    requests = [request(number) for number in range(5)]
    fill(tmp_path, *requests)
    with closing(ResponseCache(tmp_path)) as cache:
        assert list(cache.damaged()) == []
    broken, swapped, edited, undecodable = (each.key for each in requests[:4])
    sql(tmp_path, "UPDATE Cache SET value = '{' WHERE key = ?", broken)
    sql(
        tmp_path,
        "UPDATE Cache SET value = (SELECT value FROM Cache WHERE key = ?) WHERE key = ?",
        requests[4].key,
        swapped,
    )
    sql(
        tmp_path,
        "UPDATE Cache SET value = replace(value, '\"m\\\"', '\"n\\\"') WHERE key = ?",
        edited,
    )
    sql(tmp_path, "UPDATE Cache SET value = CAST(x'ff' AS TEXT) WHERE key = ?", undecodable)
    with closing(ResponseCache(tmp_path)) as cache:
        assert set(cache.damaged()) == {broken, swapped, edited, undecodable}
        assert cache.nearest(requests[4].identity) == {}


def test_damage_that_opening_does_not_show_is_told_of_with_its_remedy(tmp_path: Path) -> None:
    fill(tmp_path, *(request(number) for number in range(200)))
    with closing(ResponseCache(tmp_path)) as cache:
        size = (tmp_path / DATABASE).stat().st_size
        (tmp_path / DATABASE).write_bytes(b"\xff" * size)
        looks: list[Callable[[], object]] = [
            cache.stats,
            cache.clear,
            lambda: list(cache.damaged()),
            lambda: cache.nearest("{}"),
        ]
        for look in looks:
            with pytest.raises(ConfigError, match=r"is damaged .*; remove that folder") as caught:
                look()
            assert str(tmp_path) in str(caught.value)


def test_the_nearest_question_tells_what_differs(tmp_path: Path) -> None:
    stored = {"endpoint": "x", "body": {"model": "m", "temperature": 0}, "sample": 0}
    far = {"endpoint": "y", "body": {"model": "n", "temperature": 1}, "sample": 0}
    with closing(ResponseCache(tmp_path)) as cache:
        assert cache.nearest(json.dumps(stored)) is None
    identities = (json.dumps(stored), json.dumps(far))
    fill(tmp_path, *(request(0, identity=each, key=digest(each)) for each in identities))
    asked = {"endpoint": "x", "body": {"model": "m", "temperature": 1, "seed": 3}, "sample": 0}
    with closing(ResponseCache(tmp_path)) as cache:
        assert cache.nearest(json.dumps(asked)) == {
            "body.temperature": (0, 1),
            "body.seed": (None, 3),
        }


@pytest.mark.parametrize("identity", ["", "{", "[" * 9_999, "[]", "5", "null"])
def test_an_entry_whose_identity_is_none_is_passed_over(tmp_path: Path, identity: str) -> None:
    fill(tmp_path, request(1), request(2, identity=identity, key=digest(identity)))
    with closing(ResponseCache(tmp_path)) as cache:
        assert cache.nearest(request().identity) == {"messages": (["1"], ["0"])}


# --- a cache that fails costs no answer ------------------------------------------------------


@pytest.fixture
def warnings() -> list[str]:
    return []


def test_a_damaged_database_is_set_aside_for_a_fresh_one(
    tmp_path: Path, warnings: list[str]
) -> None:
    damaged = b"non una base di dati" * 500
    (tmp_path / DATABASE).write_bytes(damaged)
    with closing(ResponseCache(tmp_path, warnings.append)) as cache:
        cache.put(request(), response())
    [warning] = warnings
    [kept] = tmp_path.glob(f"{DATABASE}.damaged-*")
    assert "is damaged" in warning
    assert str(kept) in warning
    assert kept.read_bytes() == damaged
    with closing(ResponseCache(tmp_path, warnings.append)) as cache:
        assert cache.stats().answers == 1
    assert len(warnings) == 1


def test_a_database_that_cannot_be_opened_is_told_on_opening(tmp_path: Path) -> None:
    (tmp_path / DATABASE).mkdir()
    with pytest.raises(CacheFailed, match="--cache off") as caught:  # a run goes on without
        ResponseCache(tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_a_folder_that_cannot_be_is_told_on_opening(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="name another folder") as caught:
        ResponseCache(tmp_path / "file" / "cache")
    assert not isinstance(caught.value, CacheFailed)  # a mistake, not a misfortune


def test_a_database_damaged_meanwhile_is_set_aside_with_one_warning(
    tmp_path: Path, warnings: list[str]
) -> None:
    fill(tmp_path, *(request(number) for number in range(200)))
    with closing(ResponseCache(tmp_path, warnings.append)) as cache:
        size = (tmp_path / DATABASE).stat().st_size
        (tmp_path / DATABASE).write_bytes(b"\xff" * size)
        assert [cache.get(request(number)) for number in range(5)] == [None] * 5
        cache.put(request(300), answer(request(300)))
    assert len(warnings) == 1
    assert str(tmp_path) in warnings[0]
    assert "going on without it" in warnings[0]


def test_a_database_that_another_process_holds_is_not_waited_for_in_silence(
    tmp_path: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SILENT_S", 0.01)
    monkeypatch.setattr(module, "LOCKED_S", 0.02)
    fill(tmp_path, request())
    with closing(sqlite3.connect(tmp_path / DATABASE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CacheFailed, match="held by another process; end that"):
            ResponseCache(tmp_path, warnings.append)
    assert warnings == [f"the cache in {tmp_path} is held by another process; waiting up to 0.02 s"]
    with closing(ResponseCache(tmp_path, warnings.append)) as cache:
        assert cache.get(request()) is not None


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL])
def test_a_file_system_without_locks_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuses(_file: object, _how: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "lockf", refuses)
    with pytest.raises(CacheFailed, match=r"has no locks.*on a local disk with --cache, or"):
        ResponseCache(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_locked_database_is_set_aside_with_one_warning(
    tmp_path: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOCKED_S", 0.02)
    fill(tmp_path, request())
    sizes = counted(monkeypatch)
    with closing(ResponseCache(tmp_path, warnings.append)) as cache:
        with closing(sqlite3.connect(tmp_path / DATABASE, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            for number in range(1, 1_000):  # ten batches: each would wait anew
                cache.put(request(number), answer(request(number)))
            cache._queue.put(None)
            cache._writer.join()
        cache._queue.put(None)
        assert cache.get(request()) is None
    assert len(warnings) == 1
    assert len(sizes) == 1  # not once a batch: each may take as long as a lock is waited for


@pytest.fixture
def readable_folder() -> Iterator[Path]:
    """Give a folder that this process may read and not write, also where it is root."""
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder, request())
        for path in (*folder.iterdir(), folder):
            path.chmod(0o555 if path.is_dir() else 0o444)
        if root:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            if root:
                os.seteuid(0)
            folder.chmod(0o755)


def test_a_folder_that_may_only_be_read(readable_folder: Path, warnings: list[str]) -> None:
    """It is refused on opening, or set aside at the first fault: never an error later on."""
    try:
        cache = ResponseCache(readable_folder, warnings.append)
    except CacheFailed as error:
        assert "--cache off" in str(error)  # noqa: PT017 # one of two fair ends
        return
    cache.put(request(1), answer(request(1)))
    cache.close()
    assert len(warnings) == 1


WRITER: Final = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from tests.run.test_cache import answer, request
from apieval.run.cache import ResponseCache
cache = ResponseCache(Path(sys.argv[1]), print)
for number in range(int(sys.argv[2]), int(sys.argv[2]) + 400):
    cache.put(request(number), answer(request(number)))
    assert cache.get(request(-1)) is None
cache.close()
"""


def test_two_processes_with_one_cache_at_once(tmp_path: Path) -> None:
    here = str(Path(__file__).resolve().parents[2])
    starts = ("0", "300")  # some of them the same
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), start, here],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for start in starts
    ]
    said = [process.communicate(timeout=60)[0] for process in processes]
    assert said == ["", ""]
    assert [process.returncode for process in processes] == [0, 0]
    assert None not in found(tmp_path, *(request(number) for number in range(700)))
    with closing(ResponseCache(tmp_path)) as cache:
        assert list(cache.damaged()) == []


def test_what_was_put_is_there_after_a_flush(tmp_path: Path) -> None:
    with closing(ResponseCache(tmp_path)) as cache:
        cache.flush()  # nothing waits
        for number in range(3 * module._BATCH):
            cache.put(request(number), answer(request(number)))
        cache.flush()
        assert cache.get(request(3 * module._BATCH - 1)) is not None
        assert cache.stats().answers == 3 * module._BATCH


def test_answers_that_pile_up_faster_than_they_are_written_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 1_000)
    monkeypatch.setattr(module, "GATHER_S", 60.0)  # until it is closed nothing is written
    large = answer(request()).model_copy(update={"text": "x" * 600})
    with closing(ResponseCache(tmp_path)) as cache:
        for number in range(5):
            cache.put(request(number), large)
    with closing(ResponseCache(tmp_path)) as cache:
        assert cache.stats().answers == 1  # the first one goes however large it is


def test_a_flush_of_a_cache_that_was_set_aside_does_not_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOCKED_S", 1e6)
    with closing(ResponseCache(tmp_path)) as cache:
        monkeypatch.setattr(cache, "_broken", True)
        cache._queue.put(("key", "identity", answer(request())))
        cache.flush()


@pytest.mark.parametrize("name", [DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_no_link_is_followed_and_no_pipe_opened(tmp_path: Path, name: str, kind: str) -> None:
    folder, theirs = tmp_path / "cache", tmp_path / "theirs"
    folder.mkdir()
    theirs.write_bytes(b"x")
    (folder / name).symlink_to(theirs) if kind == "link" else os.mkfifo(folder / name)
    with pytest.raises(ConfigError, match="name another folder with --cache"):
        ResponseCache(folder)
    assert theirs.read_bytes() == b"x"
