"""A run's answers written for other tools: the study's CSV, lm-evaluation-harness's samples, Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from apieval.errors import ConfigError, StoreError
from apieval.report.eee import About
from apieval.verbs import exported_study, exported_texts
from apieval.verbs.export_files import Exported
from apieval.verbs.results import run_of
from apieval.whole_file import is_folder

__all__ = ["Exported", "Format", "export"]

Format = Literal["csv", "lm-eval", "parquet", "eee"]
FOLDER: Final = "export"
"""Where the files go, in the run's folder, unless another is named."""


def export(
    folder: str | Path,
    format: Format,  # noqa: A002 # as the option
    out: str | Path | None = None,
    *,
    data: str | Path | None = None,
    exact: bool = False,
    about: About | None = None,
) -> Exported:
    """Write a run's answers in the layout of another tool.

    `csv` is the study's, of parsed parts, and also takes what `apieval score --out` wrote. No
    spreadsheet computes its cells, and `apieval.score` reads the text as it was; with `exact` it is
    the study's byte for byte. `lm-eval` is a sample log, `parquet` a table of texts, parts and
    figures, `eee` the interchange format "Every Eval Ever"; they need the run's texts and its data
    file, `data` where that stands elsewhere now. `about` is what an `eee` document says besides.
    The files go to `out`, else to `export` in the folder.

    Raises:
        ConfigError, DataError, StoreError: naming what cannot be exported, and the remedy.
    """
    folder = Path(folder)
    if not is_folder(folder):
        raise StoreError(f"{folder}: there is no such folder; name a run folder.")
    where = Path(out) if out else folder / FOLDER
    if about is not None and format != "eee":
        raise ConfigError("--model-id, --organization and --relationship are of --format eee.")
    if format == "csv":
        if data is not None:
            raise ConfigError("--data is not of --format csv, which needs no data file.")
        return exported_study.study(folder, where, exact=exact)
    if exact:
        raise ConfigError("--exact is of --format csv; leave it out.")
    run = run_of(folder, data)
    run.check_data()
    if format == "eee":
        # no other command or format pays for it
        from apieval.commands import export_eee  # noqa: PLC0415

        return export_eee.eee(folder, where, run, about or About())
    written = exported_texts.samples if format == "lm-eval" else exported_texts.table
    return written(folder, where, run)
