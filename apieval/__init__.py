"""Measure how well language models solve verbalized Italian rebuses, through any model's API.

For notebooks: `load` a data file, `build_prompt` of a row, `parse` an answer, `run` models,
`score` what is stored and `compare` scores. Importing this package opens nothing and imports no network library.
"""

from apieval import loading as loading  # first: it guards all that follows
from apieval import version
from apieval.analysis.signatures import of_figure as figure_signature
from apieval.commands.datasets import load
from apieval.commands.options import RunOptions
from apieval.commands.score import Result
from apieval.errors import ApievalError, ConfigError, DataError, StoreError
from apieval.evaluate import (
    Exported,
    Reported,
    Verification,
    compare,
    export,
    report,
    run,
    score,
    verify,
)
from apieval.rebus.dataset import Dataset
from apieval.rebus.metrics import tally
from apieval.rebus.parsers.official import parse
from apieval.rebus.prompts import build as build_prompt
from apieval.records import ItemScore, Outcome, Prediction, Rebus, Response, Setting, Tally
from apieval.report.eee import About
from apieval.run.watcher import Watcher

__version__ = version.VERSION

__all__ = [
    "About",
    "ApievalError",
    "ConfigError",
    "DataError",
    "Dataset",
    "Exported",
    "ItemScore",
    "Outcome",
    "Prediction",
    "Rebus",
    "Reported",
    "Response",
    "Result",
    "RunOptions",
    "Setting",
    "StoreError",
    "Tally",
    "Verification",
    "Watcher",
    "__version__",
    "build_prompt",
    "compare",
    "export",
    "figure_signature",
    "load",
    "parse",
    "report",
    "run",
    "score",
    "tally",
    "verify",
]
