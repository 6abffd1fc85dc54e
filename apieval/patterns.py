"""Regular expressions that are compiled when they are first used.

Compiling all of the package's takes longer than a third of its import, and no command uses them all.
"""

from __future__ import annotations

import re
from typing import Any, Final, cast

_METHODS: Final = (
    "search",
    "match",
    "fullmatch",
    "finditer",
    "findall",
    "sub",
    "subn",
    "split",
    "pattern",
    "flags",
    "groups",
    "groupindex",
)


class _Pattern:
    """A pattern to be; its first use makes its methods attributes, as fast as the pattern's own."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 # a pattern's attributes
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        for each in _METHODS:
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)


def regex(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return what serves as the compiled pattern, and is compiled at its first use.

    Raises:
        re.error: where it is used, if the source is no regular expression.
    """
    return cast("re.Pattern[str]", _Pattern(source, flags))
