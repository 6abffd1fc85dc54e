"""Write the bytes of everything the program makes, and compare two versions of it.

    python tools/snapshot.py write OUT [--checkout DIR] [--published DIR]
    python tools/snapshot.py compare OLD NEW

`write` makes six run folders (the sample, three samples, a partial run, given steps, published
answers replayed, scores of a file of parsed answers), sets every time in them to a fixed one, and
keeps what each command then prints and writes. `--checkout` names another checkout of the project,
whose code runs under this interpreter. `--published` names the folder of the study's data
(`dataset.csv`, `gpt4o_answers.jsonl`, `gold.csv`, `gpt4o_parsed.csv`); without it the last two
folders are made of the sample. `compare` lists what was added, removed and changed, and exits with
1 where anything was: a change of structure leaves all bytes equal, or names what it means to change.
"""

from __future__ import annotations

import argparse
import csv
import difflib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
PROGRAM: Final = ("-c", "from apieval.cli import main; main()")
SAMPLE: Final = "apieval/rebus/sample/sample.csv"
BEGAN: Final = datetime(2026, 1, 1, tzinfo=UTC)
PORTS: Final = (18473, 18474)
"""Fixed, since addresses stand in what is written."""
DIFF_LINES: Final = 12
RUNS: Final = {
    "sample": ("baseline",),
    "samples": ("drawn", "--samples", "3", "--limit", "6"),
    "partial": ("failing", "--limit", "10"),
    "given": ("baseline", "--given", "definitions"),
    "published": ("replayed", "--data", "published.csv", "--setting", "regular"),
}
"""Each run's folder and what `apieval run` makes it of."""
COMMANDS: Final = {
    "score": ("score", "{run}"),
    "score-details": ("score", "{run}", "--details"),
    "score-audit": ("score", "{run}", "--audit"),
    "score-json": ("score", "{run}", "--details", "--audit", "--json"),
    "verify": ("verify", "{run}"),
    "verify-json": ("verify", "{run}", "--json"),
    "report": ("report", "{run}", "--out", "{run}/report"),
    "csv": ("export", "{run}", "--format", "csv", "--out", "{run}/csv"),
    "csv-exact": ("export", "{run}", "--format", "csv", "--exact", "--out", "{run}/csv-exact"),
    "lm-eval": ("export", "{run}", "--format", "lm-eval", "--out", "{run}/lm-eval"),
    "eee": ("export", "{run}", "--format", "eee", "--out", "{run}/eee"),
    "parquet": ("export", "{run}", "--format", "parquet", "--out", "{run}/parquet"),
}
"""What is done with each folder, by the file that keeps what it printed."""
TOGETHER: Final = {
    "compare": ("compare", "sample", "partial"),
    "compare-json": ("compare", "sample", "partial", "--json"),
    "report-of-two": ("report", "sample", "samples", "--out", "report-of-two"),
    "models": ("models",),
    "models-json": ("models", "--json"),
    "data-verify": ("data", "verify", "sample"),
    "data-stats": ("data", "stats", "sample"),
    "data-stats-json": ("data", "stats", "sample", "--json"),
}


# --- a server whose answers hang on the question alone ------------------------------------------


def template(row: dict[str, str], words: list[str], solution: str) -> str:
    """Return an answer in the answer template."""
    clues = re.findall(r"\[[^]]*\]", row["verbalized_rebus"])
    solved = [f"- {clue} = {word}" for clue, word in zip(clues, words, strict=False)]
    cut = [f"{len(word)} = {word}" for word in solution.split()]
    parts = [*solved, f"Prima lettura: {row['first_pass']}", *cut, f"Soluzione: {solution}"]
    return "\n".join(parts) + "\n"


def drawn(row: dict[str, str], number: int, nth: int) -> str:
    """Return a right, a half right or an ill-formed answer, by the row and by how often it came."""
    words = row["word_guesses"].split(";")
    kinds = (
        template(row, words, row["solution"]),
        template(row, [*words[:-1], "boh"], row["solution"].upper()),
        f"<think>forse {row['solution']}?</think>\nNon so: **Soluzione:** *{words[0]}*\n",
        template(row, words[1:], " ".join(reversed(row["solution"].split()))),
        "",
    )
    return kinds[(number + nth) % len(kinds)]


class Replies(ThreadingHTTPServer):
    """Answers by the rebus in the prompt; `failing` refuses every seventh row."""

    def __init__(self, port: int, rows: list[dict[str, str]], answers: list[str] | None) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.rows, self.answers = rows, answers
        names = ("verbalized_rebus", "verbalized_rebus_with_length_hints")
        self.places = {row[name]: place for place, row in enumerate(rows) for name in names}
        self.seen: Counter[tuple[str, str]] = Counter()

    def reply(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return status and body of the reply to a request's."""
        prompt = body["messages"][-1]["content"]
        rebus = prompt.rsplit("Rebus: ", 1)[-1].split("\n", 1)[0]
        number, model = self.places[rebus], body["model"]
        if model == "failing" and number % 7 == 3:  # noqa: PLR2004 # some rows, not the first
            return 400, {"error": {"message": "this row is refused", "type": "bad_request"}}
        if self.answers is not None:
            text = self.answers[number]
        else:
            text = drawn(self.rows[number], number, self.seen[model, rebus])
            self.seen[model, rebus] += 1
        usage = {"prompt_tokens": len(prompt) // 3, "completion_tokens": len(text) // 3}
        usage["total_tokens"] = sum(usage.values())
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return 200, {"id": "1", "model": model, "choices": [choice], "usage": usage}


class Handler(BaseHTTPRequestHandler):
    """One request of a `Replies` server."""

    protocol_version = "HTTP/1.1"
    server: Replies

    def do_POST(self) -> None:
        """Answer a chat completion."""
        length = int(self.headers["content-length"])
        status, reply = self.server.reply(json.loads(self.rfile.read(length)))
        self.send(status, reply)

    def do_GET(self) -> None:
        """Know no other route."""
        self.send(404, {"error": {"message": "no such route"}})

    def send(self, status: int, reply: dict[str, Any]) -> None:
        """Send a JSON body."""
        body = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving(
    port: int, rows: list[dict[str, str]], answers: list[str] | None = None
) -> Iterator[str]:
    """Serve on loopback; yield the address."""
    server = Replies(port, rows, answers)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


# --- making the folders ---------------------------------------------------------------------------


class Maker:
    """Runs a checkout's program in a folder of its own and keeps what it prints."""

    def __init__(self, checkout: Path, work: Path, out: Path) -> None:
        self.work, self.out = work, out
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        home = {"HOME": str(work / "home"), "XDG_CACHE_HOME": str(work / "home")}
        screen = {"COLUMNS": "100", "NO_COLOR": "1", "PYTHONPATH": str(checkout)}
        self.env = {**kept, **home, **screen, "APIEVAL_CACHE": "off"}

    def call(self, *words: str, keep: str | None = None) -> str:
        """Run the program; keep exit code and streams under a name."""
        done = subprocess.run(
            [sys.executable, *PROGRAM, *words],
            cwd=self.work,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        shown = f"exit {done.returncode}\n--- stdout\n{done.stdout}--- stderr\n{done.stderr}"
        if "Traceback" in done.stderr:
            print(f"a traceback: apieval {' '.join(words)}\n{done.stderr}", file=sys.stderr)
        if keep:
            path = self.out / f"{keep}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.settled(shown), encoding="utf-8")
        return done.stdout

    def settled(self, text: str) -> str:
        """Take out what differs from one call to the next: this folder, durations of the call."""
        text = text.replace(str(self.work), "WORK")
        return re.sub(r"\b(took|in|after) \d+(\.\d+)? s\b", r"\1 - s", text)

    def keep_files(self, folder: str) -> None:
        """Keep the files of a folder, text settled."""
        for path in sorted((self.work / folder).rglob("*")):
            if path.is_file() and not path.name.endswith((".lock", ".owner")):
                target = self.out / folder / path.relative_to(self.work / folder)
                target.parent.mkdir(parents=True, exist_ok=True)
                try:
                    target.write_bytes(self.settled(path.read_bytes().decode()).encode())
                except UnicodeDecodeError:
                    target.write_bytes(path.read_bytes())


def fix_times(folder: Path) -> None:
    """Sort a run's answers and set every time, machine and version in it to a fixed one."""
    path = folder / "responses.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines.sort(key=lambda line: (line["setting"], line["id"], line["sample"]))
    for number, line in enumerate(lines):
        created = BEGAN + timedelta(seconds=number)
        line |= {
            "created": created.isoformat(timespec="milliseconds"),
            "latency_s": 1 + number / 64,
        }
    written = (json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines)
    data = "".join(f"{line}\n" for line in written).encode()
    path.write_bytes(data)
    header = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    ended = BEGAN + timedelta(seconds=len(lines))
    fixed = {
        "versions": dict.fromkeys(header["versions"], "0"),
        "git": {"commit": "0" * 40, "dirty": False},
        "machine": {"platform": "fixed", "cpus": 2},
        "began": BEGAN.isoformat(),
        "ended": ended.isoformat(),
        "took_s": 60.0,
        "commands": [{"began": BEGAN.isoformat(), "took_s": 60.0}],
    }
    header |= {name: value for name, value in fixed.items() if name in header}
    header["responses"]["digest"] = f"sha256:{hashlib.sha256(data).hexdigest()}"
    text = json.dumps(header, ensure_ascii=False, indent=2) + "\n"
    (folder / "run.json").write_text(text, encoding="utf-8")


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a data file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def configure(work: Path, **addresses: str) -> None:
    """Write the `providers.yaml` of the models that are asked over HTTP; it is JSON, and so YAML."""
    models = {
        name: {
            "provider": "openai-compatible",
            "base_url": address,
            "model": name,
            "params": {"temperature": 0.7 if name == "drawn" else 0},
            "price": {"input": 1, "output": 2},
        }
        for name, address in addresses.items()
    }
    text = json.dumps({"version": 1, "models": models})
    (work / "providers.yaml").write_text(text, encoding="utf-8")


def make(maker: Maker, checkout: Path, published: Path | None) -> list[str]:
    """Make the six folders and return their names."""
    rows, answers = read_rows(checkout / SAMPLE), None
    data = checkout / SAMPLE
    if published:
        data = published / "dataset.csv"
        with (published / "gpt4o_answers.jsonl").open(encoding="utf-8") as file:
            answers = [json.loads(line)["answer"] for line in file]
    shutil.copy(data, maker.work / "published.csv")
    replayed = read_rows(data)[: len(answers)] if answers else rows
    with serving(PORTS[0], rows) as own, serving(PORTS[1], replayed, answers) as theirs:
        configure(maker.work, drawn=own, failing=own, replayed=theirs)
        for name, words in RUNS.items():
            command = ("run", *words, "--out", ".", "--name", name, "--yes", "--concurrency", "1")
            maker.call(*command)
            fix_times(maker.work / name)
            for made in ("scores.jsonl", "summary.json"):
                (maker.work / name / made).unlink()
    parsed = ("sample/csv-exact", "sample")
    if published:
        parsed = (str(published / "gpt4o_parsed.csv"), str(published / "gold.csv"))
    else:
        maker.call("score", "sample")
        maker.call(*(word.format(run="sample") for word in COMMANDS["csv-exact"]))
        first = next(iter(sorted((maker.work / "sample/csv-exact").rglob("*.csv"))))
        parsed = (str(shutil.copy(first, maker.work / "parsed.csv")), "sample")
        shutil.rmtree(maker.work / "sample/csv-exact")
    words = ("score", parsed[0], "--data", parsed[1], "--setting", "regular", "--out", "scored")
    maker.call(*words, keep="scored/score")
    return [*RUNS, "scored"]


def commands_of(help_text: str) -> list[str]:
    """Return the commands that a help text lists."""
    _, _, listed = help_text.partition(" Commands ")
    return re.findall(r"^│ ([a-z][a-z-]*)\s", listed, re.MULTILINE)


def write(out: Path, checkout: Path, published: Path | None) -> None:
    """Write the bytes of everything the program of a checkout makes."""
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as made:
        maker = Maker(checkout, Path(made).resolve(), out)
        folders = make(maker, checkout, published)
        for folder in folders:
            for name, words in COMMANDS.items():
                done = [word.format(run=folder) for word in words]
                maker.call(*done, keep=f"{folder}/printed/{name}")
        for name, words in TOGETHER.items():
            maker.call(*words, keep=f"together/{name}")
        for folder in (*folders, "report-of-two"):
            maker.keep_files(folder)
        for command in ((), *((each,) for each in commands_of(maker.call("--help")))):
            text = maker.call(*command, "--help", keep="help/" + "-".join(("apieval", *command)))
            for inner in commands_of(text) if command else ():
                keep = "help/" + "-".join(("apieval", *command, inner))
                maker.call(*command, inner, "--help", keep=keep)


# --- comparing ------------------------------------------------------------------------------------


def files(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file below a folder, by its path there."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def compare(old: Path, new: Path) -> int:
    """Print what differs between two folders of bytes; return 1 where anything does."""
    before, after = files(old), files(new)
    if not before or not after:
        print(f"nothing in {old if not before else new}: write it first", file=sys.stderr)
        return 2
    different = 0
    for name in sorted(before.keys() | after.keys()):
        one, other = before.get(name), after.get(name)
        if one == other:
            continue
        different += 1
        kind = "added" if one is None else "removed" if other is None else "changed"
        print(f"{kind} {name}")
        if one is not None and other is not None:
            show_difference(one, other)
    print(f"{different} of {len(before.keys() | after.keys())} files differ")
    return 1 if different else 0


def show_difference(one: bytes, other: bytes) -> None:
    """Print the first differing lines of two texts, each cut to a screen's width."""
    try:
        before, after = one.decode().splitlines(), other.decode().splitlines()
    except UnicodeDecodeError:
        print(f"    {len(one):,} and {len(other):,} bytes")
        return
    changed = (
        line
        for line in difflib.unified_diff(before, after, n=0, lineterm="")
        if not line.startswith(("---", "+++", "@@"))
    )
    for line in islice(changed, DIFF_LINES):
        print(f"    {line[:160]}")


def main() -> int:
    """Write or compare, as the words say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    writing = verbs.add_parser("write", help="write what the program makes")
    writing.add_argument("out", type=Path)
    writing.add_argument("--checkout", type=Path, default=ROOT)
    writing.add_argument("--published", type=Path)
    comparing = verbs.add_parser("compare", help="compare two of them")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    words = parser.parse_args()
    if words.verb == "compare":
        return compare(words.old, words.new)
    published = words.published.resolve() if words.published else None
    write(words.out.resolve(), words.checkout.resolve(), published)
    return 0


if __name__ == "__main__":
    sys.exit(main())
