"""A first pass in the rebus's own spacing: `C L U` is `CLU` where the rebus has it so."""

from __future__ import annotations

from apieval.rebus.parsers.question import Question
from apieval.rebus.parsers.stops import own_stop


def respaced(text: str, question: Question) -> str | None:
    """Return a first pass with its letters spaced as in the rebus; None where they do not fit.

    It fits where the rebus's letters stand in their places, in any spacing and case, and one word
    in the place of each clue. The words themselves are as they are.
    """
    tokens = text.split()
    parts: list[str] = []
    at = 0
    for place, letters in enumerate(question.letters):
        if place:
            if at == len(tokens) or not _word(tokens[at]):
                return None
            parts.append(tokens[at])
            at += 1
        wanted, found = letters.replace(" ", "").lower(), ""
        while len(found) < len(wanted) and at < len(tokens):
            found += tokens[at].lower()
            at += 1
        if found != wanted:
            return None
        if letters:
            parts.append(letters)
    return " ".join(parts) if at == len(tokens) else None


def _word(token: str) -> bool:
    if not token[0].isalnum():
        return False
    return token[-1].isalnum() or token[-1] == "'" or own_stop(token, len(token) - 1)
