"""The options of a run and of a report, as the command line and a notebook set them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import fspath
from pathlib import Path
from typing import Final, Literal

from platformdirs import user_cache_path

from apieval.rebus.dataset import SAMPLE
from apieval.records import SETTINGS, Given, Setting

TIMEOUT_S: Final = 600.0
"""How long one attempt may take, in a run and in a check: a model that thinks takes minutes."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run; the options of `apieval run`. Only the first group can change an answer.

    `data` is `sample`, `hub` (the challenge's test file) or a path. `params` and `drop` change what
    goes into the request, over the preset's and the file's own. `prompt` is a template of one's
    own, `prompt_set` a folder of them, `shots` a number of examples or a data file of them; `given`
    is how far the right answer is begun for the model. `limit` takes the first rows of each
    subset. `timeout_s` is the
    wall-clock limit of one attempt, in seconds. `concurrency` None is the model's own limit.
    `cache` None, or `off`, is no cache. Paths may be given as texts.
    """

    config: Path | None = None
    data: str = SAMPLE
    settings: tuple[Setting, ...] = SETTINGS
    subsets: tuple[str, ...] = ()
    limit: int | None = None
    samples: int = 1
    lexicon: Path | None = None
    words: Path | None = None
    prompt: Path | None = None
    prompt_set: Path | None = None
    shots: int | Path | None = None
    given: Given | None = None
    preset: str | None = None
    params: Mapping[str, object] = field(default_factory=dict)
    drop: tuple[str, ...] = ()

    concurrency: int | Literal["auto"] | None = None
    max_cost_usd: float | None = None
    timeout_s: float = TIMEOUT_S
    wait_for_server_s: float = 120.0
    retry_truncated: bool = False
    out: Path = Path("results")
    name: str | None = None
    cache: Path | None = field(default_factory=lambda: user_cache_path("apieval"))
    fresh: bool = False

    def __post_init__(self) -> None:
        """Take texts for the paths they are."""
        for name in ("config", "lexicon", "words", "prompt", "prompt_set", "shots", "out", "cache"):
            given: object = getattr(self, name)
            if name == "cache" and given == "off":
                object.__setattr__(self, name, None)
            elif isinstance(given, str):
                object.__setattr__(self, name, Path(given))
        object.__setattr__(self, "data", fspath(self.data))


Items = Literal["none", "wrong", "all"]
ITEMS: Final[tuple[Items, ...]] = ("none", "wrong", "all")
"""Which rebuses the page shows one by one."""
FIGURES: Final = "figures"
"""The folder of the drawings, beside the page."""


@dataclass(frozen=True, slots=True)
class Reported:
    """The files of a report, and what speaks against it."""

    files: tuple[Path, ...]
    doubts: tuple[str, ...]
