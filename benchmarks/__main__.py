"""`python -m benchmarks`."""

from __future__ import annotations

from benchmarks.bench import main

main()
