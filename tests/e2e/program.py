"""What tests of the whole program share: data of their own, a configuration, the program itself."""

from __future__ import annotations

import csv
import json
import os
import pty
import random
import re
import select
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.records import COLUMNS

PROGRAM: Final = Path(sys.executable).with_name("apieval")
KEY: Final = "sk-finta-000111"
LONGEST_S: Final = 60.0
_VOWELS, _CONSONANTS = "aeio", "bcdlmnprstv"
_COLOUR: Final = re.compile(r"\x1b\[")


@dataclass(frozen=True)
class Material:
    """A data file and what a model of middling talent answers to each of its rows."""

    path: Path
    rows: list[dict[str, str]]
    answers: dict[str, str]

    def rebus(self, row: int, setting: str = "regular") -> str:
        """Return the rebus of a row as it stands in the prompt."""
        hints = "_with_length_hints" if setting == "hints" else ""
        return self.rows[row]["verbalized_rebus" + hints]


def material(path: Path, count: int, seed: int = 1) -> Material:
    """Write a data file of correct rebuses without sense, and make up the answers to it."""
    chance = random.Random(seed)
    rows = [_row(chance, number) for number in range(count)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    answers = {}
    for row in rows:
        for column in COLUMNS[:2]:
            answers[row[column]] = _answer(chance, row)
    return Material(path, rows, answers)


def _word(chance: random.Random) -> str:
    syllables = range(chance.randint(1, 3))
    return "".join(chance.choice(_CONSONANTS) + chance.choice(_VOWELS) for _ in syllables) + "à"


def _row(chance: random.Random, number: int) -> dict[str, str]:
    plain, hints, first_pass, words = [], [], [], []
    for place in range(chance.randint(1, 3)):
        letters, word = chance.choice(["AB", "C", "S TR"]), _word(chance)
        clue = f"definizione {number}-{place} di «{chance.randint(0, 99)}»"
        plain += [letters, f"[{clue}]"]
        hints += [letters, f"[{clue} ({len(word)})]"]
        first_pass += [letters, word]
        words.append(word)
    spelt = "".join(first_pass).replace(" ", "").lower()
    cut = chance.randint(1, len(spelt) - 1)
    parts = [spelt[:cut].capitalize(), spelt[cut:]]
    return {
        "verbalized_rebus": " ".join(plain),
        "verbalized_rebus_with_length_hints": " ".join(hints),
        "solution_key": " ".join(str(len(part)) for part in parts),
        "word_guesses": ";".join(words),
        "first_pass": " ".join(first_pass),
        "solution_words": ";".join(parts),
        "solution": " ".join(parts),
    }


def answer(row: Mapping[str, str], **changes: str) -> str:
    """Return the answer to a row in the template, right unless a part is changed."""
    said = {**row, **changes}
    lines = [f"- [x] = {word}" for word in said["word_guesses"].split(";")]
    lines += ["", f"Prima lettura: {said['first_pass']}", ""]
    lines += [f"{len(word)} = {word}" for word in said["solution_words"].split(";")]
    return "\n".join([*lines, "", f"Soluzione: {said['solution']}"])


def _answer(chance: random.Random, row: Mapping[str, str]) -> str:
    changes = {
        name: value
        for name, value in {
            "word_guesses": "parola;" + row["word_guesses"],
            "first_pass": row["first_pass"].swapcase() + " di troppo",
            "solution_words": row["solution_words"][1:],
            "solution": "Tutt'altra — soluzione",
        }.items()
        if chance.random() < 0.4
    }
    return answer(row, **changes)


def model(url: str | list[str], **more: Any) -> dict[str, Any]:  # noqa: ANN401 # any JSON
    """Return a model's entry in `providers.yaml`; few retries, so that tests end."""
    limits = {"concurrency": 8, **more.pop("limits", {})}
    return {
        "provider": "openai-compatible",
        "base_url": url,
        "model": "modello-prova",
        "limits": limits,
        **more,
    }


def configure(folder: Path, **models: Mapping[str, Any]) -> Path:
    """Write a `providers.yaml` with these models; JSON is as good as YAML."""
    path = folder / "providers.yaml"
    path.write_text(json.dumps({"version": 1, "models": models}), encoding="utf-8")
    return path


STARTED: Final[list[subprocess.Popen[str]]] = []
"""What was started and may still run; a fixture ends it after each test, however that went."""


def start(*words: str | Path, **env: str) -> subprocess.Popen[str]:
    """Start the program in a group of its own."""
    process = subprocess.Popen(
        [PROGRAM, *map(str, words)],
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    STARTED.append(process)
    return process


def end_all() -> None:
    """End whatever a test that failed midway has left running."""
    while STARTED:
        process = STARTED.pop()
        if process.poll() is None:
            process.kill()
            process.communicate()


@dataclass(frozen=True)
class Done:
    """How the program ended."""

    code: int
    out: str
    err: str

    @property
    def all(self) -> str:
        """Return everything it said."""
        return self.out + self.err


def end(process: subprocess.Popen[str]) -> Done:
    """Wait for the program's end."""
    try:
        out, err = process.communicate(timeout=LONGEST_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return Done(process.returncode, out, err)


def apieval(*words: str | Path, **env: str) -> Done:
    """Run the program to its end."""
    return end(start(*words, **env))


def rewrite(path: Path, row: int, **changes: object) -> None:
    """Change the answers to a row, as no server can be made to give them."""
    changed = [each | (changes if each["id"] == row else {}) for each in lines(path)]
    path.write_text("".join(json.dumps(each) + "\n" for each in changed), "utf-8")


def lines(path: Path) -> list[dict[str, Any]]:
    r"""Return the objects of a JSONL file, every line of it whole: split at `\n` alone."""
    text = path.read_bytes()
    assert not text or text.endswith(b"\n"), f"{path}: a torn last line"
    return [json.loads(line) for line in text.split(b"\n")[:-1]]


def folder(out: Path = Path("results")) -> Path:
    """Return the one run folder there is."""
    (only,) = [each for each in out.iterdir() if each.is_dir()]
    return only


def stored(run: Path) -> list[dict[str, Any]]:
    """Return a run's answers, each of another question."""
    found = lines(run / "responses.jsonl")
    places = Counter((each["id"], each["setting"], each["sample"]) for each in found)
    assert not [place for place, count in places.items() if count > 1], "an answer appears twice"
    return found


def summary(run: Path) -> dict[str, Any]:
    """Return what `summary.json` holds."""
    content: dict[str, Any] = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    return content


def figures(run: Path) -> dict[str, Any]:
    """Return a run's figures."""
    found: dict[str, Any] = summary(run)["figures"]
    return found


def plain(text: str) -> bool:
    """Say whether a text has neither a traceback nor a colour code."""
    return "Traceback" not in text and not _COLOUR.search(text)


def holders(secret: str, places: Iterable[Path]) -> list[Path]:
    """Return the files that hold a secret, as text or as UTF-16."""
    wanted = (secret.encode(), secret.encode("utf-16-le"))
    files = (file for place in places for file in place.rglob("*") if file.is_file())
    return [file for file in files if any(each in file.read_bytes() for each in wanted)]


_ON_IT: Final = """
import os, sys
os.close(os.open(os.ttyname(0), os.O_RDWR))  # opened in a new session, it becomes its terminal
os.execv(sys.argv[1], sys.argv[1:])
"""


def on_terminal(*words: str, columns: int | None = None) -> tuple[subprocess.Popen[bytes], int]:
    """Start the program on a terminal of its own; return it, and the terminal's other side.

    Not by `pty.fork`: in a process with threads, as a test with a server is, the child can hang.
    """
    terminal, slave = pty.openpty()
    environ = {**os.environ, "TERM": "xterm", **({"COLUMNS": str(columns)} if columns else {})}
    process = subprocess.Popen(
        [sys.executable, "-c", _ON_IT, str(PROGRAM), *words],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environ,
        start_new_session=True,
    )
    os.close(slave)
    return process, terminal


def shown(terminal: int, until: bytes | None) -> bytes:
    """Return what a terminal shows until it shows something, or the program ends."""
    screen = b""
    while until is None or until not in screen:
        ready, _, _ = select.select([terminal], [], [], 60)
        assert ready, f"never shown: {until!r}; but {screen!r}"
        try:
            more = os.read(terminal, 65536)
        except OSError:  # how Linux says that the other side is closed
            more = b""
        if not more:
            assert until is None, f"never shown: {until!r}; but {screen!r}"
            return screen
        screen += more
    return screen
