"""How frequent a word is in Italian, by the word lists of `wordfreq`, which is an extra.

The Zipf scale is the logarithm, base 10, of how often a word stands in a thousand million words:
3 is once in a million. 0 is a word the lists do not have. Source: R. Speer, wordfreq 3 (2022).
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from typing import Final

from apieval.wording import install

LANGUAGE: Final = "it"
MISSING: Final = (
    f"the word lists are an extra that is not installed; {install('frequency')} adds it"
)


def zipf(words: Iterable[str]) -> dict[str, float] | None:
    """Return the frequency of each word on the Zipf scale; None where the extra is not installed."""
    try:
        # with its lists it takes 0.4 s to import
        from wordfreq import zipf_frequency  # noqa: PLC0415
    except ModuleNotFoundError:
        return None
    return {word: float(zipf_frequency(word, LANGUAGE)) for word in set(words)}


def source() -> str:
    """Return whose word lists they are, and of which version; of an installed extra alone."""
    return f"wordfreq {version('wordfreq')}"
