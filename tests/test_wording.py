from __future__ import annotations

import pytest

from apieval.wording import counted


@pytest.mark.parametrize(
    ("count", "nouns", "text"),
    [
        (0, ("request",), "0 requests"),
        (1, ("request",), "1 request"),
        (2_000, ("request",), "2,000 requests"),
        (1, ("rebus", "rebuses"), "1 rebus"),
        (3, ("rebus", "rebuses"), "3 rebuses"),
    ],
)
def test_one_is_no_plural(count: int, nouns: tuple[str, ...], text: str) -> None:
    assert counted(count, *nouns) == text
