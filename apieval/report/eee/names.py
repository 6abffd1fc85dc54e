"""What a run, its model, its figures and its files are called in the interchange format.

A run has one identity: exported again it has the same names, and is no second evaluation.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final, Literal

from apieval.rebus.columns import ALL
from apieval.rebus.dataset import SAMPLE
from apieval.schema import RunSpec
from apieval.signature import canonical_json

SCHEMA: Final = "0.3.0"
UNKNOWN: Final = "unknown"
BENCHMARK: Final = "verbalized_rebus"
Relationship = Literal["first_party", "third_party", "collaborative", "other"]
"""Who evaluated, seen from the model's developer."""
_NO_NAME: Final = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]|[. ]+$|^(?=[. ]*$)')
_RESERVED: Final = re.compile(r"(?i)(data|con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")


@dataclass(frozen=True, slots=True)
class About:
    """What a run's folder cannot say: who evaluated, and what the model is called everywhere.

    `model_id` is `developer/model`, None for the name that the model has in the request.
    """

    model_id: str | None = None
    organization: str = UNKNOWN
    relationship: Relationship = "other"


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one run; `folder` is where its files belong among everybody's."""

    dataset: str
    model_id: str
    retrieved: str
    uuid: str

    @property
    def evaluation_id(self) -> str:
        """Return what no other evaluation is called."""
        return f"{self.dataset}/{self.model_id}/{self.retrieved}"

    @property
    def developer(self) -> str:
        """Return who made the model, as its name says."""
        return self.model_id.partition("/")[0]

    @property
    def folder(self) -> PurePosixPath:
        """Return `data/<dataset>/<developer>/<model>`."""
        model = self.model_id.partition("/")[2]
        return PurePosixPath("data", *map(_portable, (self.dataset, self.developer, model)))

    @property
    def document(self) -> PurePosixPath:
        """Return the path of the document."""
        return self.folder / f"{self.uuid}.json"

    @property
    def items(self) -> PurePosixPath:
        """Return the path of the items."""
        return self.folder / f"{self.uuid}_samples.jsonl"


def names_of(spec: RunSpec, retrieved: str, answers: str, about: About) -> Names:
    """Return the names of a run.

    `retrieved` is when its last answer came, in seconds since 1970, `answers` the hash of all.
    """
    dataset = f"apieval-{SAMPLE}" if spec.data == SAMPLE else spec.data
    model = about.model_id or _model_id(spec)
    return Names(
        dataset, model, retrieved, _uuid(canonical_json([dataset, model, retrieved, answers]))
    )


def evaluation_name(setting: str, subset: str = ALL) -> str:
    """Return the name of a setting's evaluation, or of a part of its rows."""
    return ".".join((BENCHMARK, setting, *([] if subset == ALL else [subset])))


def result_id(setting: str, subset: str, parser: str, metric: str, aggregation: str) -> str:
    """Return what one figure is called within its run."""
    return f"{setting}/{subset}/{parser}/{metric}/{aggregation}"


def strings(named: Mapping[str, Any]) -> dict[str, str]:
    """Return details as the format takes them, all texts; what is not known is left out."""
    return {
        name: value if isinstance(value, str) else canonical_json(value)
        for name, value in named.items()
        if value is not None
    }


def _model_id(spec: RunSpec) -> str:
    name = str((spec.identity.get("body") or {}).get("model") or spec.model)
    developer, _, model = name.partition("/")
    if developer and model:
        return name
    return f"{'apieval' if spec.provider == 'embedded' else UNKNOWN}/{name.strip('/')}"


def _uuid(text: str) -> str:
    """Return a text's hash in the form of a UUID of version 4.

    That version is random; but the format takes no other, and a number by chance would make a
    second run of one that is exported again. (The module `uuid` takes 10 ms to import.)
    """
    digits = hashlib.sha256(text.encode()).hexdigest()
    variant = "89ab"[int(digits[16], 16) % 4]
    return "-".join(
        (digits[:8], digits[8:12], f"4{digits[13:16]}", f"{variant}{digits[17:20]}", digits[20:32])
    )


def _portable(name: str) -> str:
    """Return a name that every file system takes for a folder."""
    made = _NO_NAME.sub("_", name)
    return f"_{made}" if _RESERVED.fullmatch(made) else made
