"""The exceptions of apieval, each with the exit code it ends a command with.

    ApievalError                 2
    |-- ConfigError              2   providers.yaml, an option or an environment variable
    |-- DataError                2   a data, answers or lexicon file that cannot be used
    |-- StoreError               2   a run folder that cannot be opened, written or matched
    |-- StoppedEarly             3   going on is useless; the run can be resumed
    |-- Interrupted            130   the user stopped the run; it can be resumed
    `-- AttemptFailed            1   one attempt of one request failed
        |-- TransientFailure         worth another attempt
        |   |-- ServerDown             nothing listens there, or it is still loading
        |   |   `-- Unreachable            no such name, or a proxy that is down
        |   |-- LocalShortage          this process may open no more files: nothing was sent
        |   `-- WebPage                a page for people: most often not an API's address
        |-- ItemFailure              this request will never succeed
        |   |-- Unexpected             a fault of apieval's own, or of a library's
        |   `-- ContentRefused       a content filter refused it: the model's answer, of a kind
        `-- RunFailure           3   no request of this run can succeed

A message names the file, row, key or model, says what was wrong, and then the remedy.
This module owns no wording: whoever raises knows the context.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ApievalError(Exception):
    """Stand at the root of everything apieval raises on purpose."""

    exit_code = 2


class ConfigError(ApievalError):
    """Report a configuration, option or environment variable that cannot be used."""


class DataError(ApievalError):
    """Report a data, answers or lexicon file that cannot be used."""


class StoreError(ApievalError):
    """Report a run folder that cannot be opened, written, or belongs to another run."""


class StoppedEarly(ApievalError):
    """Report a run that stopped because going on is useless; what arrived is stored."""

    exit_code = 3


class Interrupted(ApievalError):
    """Report a run the user stopped; what arrived is stored."""

    exit_code = 130


class AttemptFailed(ApievalError):
    """Carry what one failed attempt told us.

    `status` is the HTTP status, or the one that an error inside a 200 names; None where no reply
    arrived. `retry_after_s` is how long the server asked us to wait, in seconds, None where it
    did not say. `billed` says that the server generated something that is paid and lost, as far as
    anybody can tell: a success of which no answer could be read, a reply that broke off, a timeout.
    `unsettled` says that the request was sent and no word came of what became of it, so that it
    may have been.
    """

    exit_code = 1
    billed = False
    unsettled = False

    def __init__(
        self, message: str, *, status: int | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after_s = retry_after_s


class TransientFailure(AttemptFailed):
    """Report a failure that another attempt may not meet."""


class ServerDown(TransientFailure):
    """Report a server that is not up: it refuses connections or says it is loading."""


class Unreachable(ServerDown):
    """Report a name that is not known, or a proxy that is down: before any answer, most often for good."""


class LocalShortage(TransientFailure):
    """Report that this machine had no descriptor or buffer for a connection: nothing was sent."""


class WebPage(TransientFailure):
    """Report a page for people where an answer was due."""


class ItemFailure(AttemptFailed):
    """Report a failure that every attempt of this request would meet."""


class Unexpected(ItemFailure):
    """Report a fault of our own or of a library's: one item's, until every item has it."""

    unsettled = True


class ContentRefused(ItemFailure):
    """Report a request that a content filter refused; that is an answer, not a fault.

    `category` is what the filter found, where it says so.
    """

    category: str | None = None


class RunFailure(AttemptFailed):
    """Report a failure that every request of this run would meet."""

    exit_code = 3


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ` (did you mean 'x'?)` for the nearest known words, or an empty text."""
    near = difflib.get_close_matches(word, list(known), n=3, cutoff=0.5)
    return f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""
