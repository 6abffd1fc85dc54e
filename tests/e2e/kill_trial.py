"""Twenty times kill -9, at random moments, over one run of 2,000 answers. Run it by hand:

    python -m tests.e2e.kill_trial [--kills 20] [--rows 2000] [--seed 1]

Moments are drawn over the whole life of a process, start, mending and scoring included. It says
what was paid and whether the figures are those of a calm run, and ends with 1 where they are not.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.e2e.faults import FaultServer
from tests.e2e.program import (
    apieval,
    configure,
    end,
    figures,
    folder,
    material,
    model,
    start,
    stored,
)

AT_ONCE = 32


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as home:
        os.chdir(home)
        os.environ.update(HOME=home, XDG_CACHE_HOME=f"{home}/.cache")
        made = material(Path("many.csv"), options.rows)
        words = ("run", "local", "--data", "many.csv", "--setting", "regular", "--yes")
        with FaultServer(made.answers) as server:
            configure(Path(), local=model(server.url, limits={"concurrency": AT_ONCE}))
            calm = apieval(*words, "--out", "calm", "--cache", "off")
            assert calm.code == 0, calm.err
        with FaultServer(made.answers, latency_s=0.15) as server:
            configure(Path(), local=model(server.url, limits={"concurrency": AT_ONCE}))
            killed = 0
            while killed < options.kills:
                process = start(*words, "--cache", "cache")
                time.sleep(chance.uniform(0.3, 1.6))
                process.kill()
                killed += end(process).code == -signal.SIGKILL
                saved = 0
                if Path("results").exists():
                    path = folder() / "responses.jsonl"
                    saved = path.read_bytes().count(b"\n") if path.exists() else 0
                sys.stderr.write(f"kill {killed}: {saved} saved, {server.paid} paid\n")
            done = apieval(*words, "--cache", "cache")
            assert done.code == 0, done.err
            count = len(stored(folder()))
            most = options.rows + options.kills * AT_ONCE
            same = figures(folder()) == figures(folder(Path("calm")))
            sys.stdout.write(
                f"{killed} kills, {count} answers stored, each once and no line torn; "
                f"{server.paid} paid, {most} allowed; figures {'identical' if same else 'DIFFER'}\n"
            )
            return 0 if same and server.paid <= most and count == options.rows else 1


if __name__ == "__main__":
    sys.exit(main())
