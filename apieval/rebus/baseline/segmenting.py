"""Where the letters are cut into words when they do not add up to the key.

A search over all cuts into as many words as the key has: each word is worth what the vocabulary
says, and each letter it is off its length in the key costs. It owns no spelling and no template.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from apieval.rebus.baseline.vocabulary import Vocabulary

OFF: Final = 0.75
"""What each letter costs by which a word is longer or shorter than the key says."""
FARTHEST: Final = 3
"""Letters by which a word may be off at most."""
MOST_WORDS: Final = 40
MOST_LETTERS: Final = 200
"""The search's work grows with words x letters; what is beyond is cut by the key."""


def segment(letters: str, lengths: Sequence[int], vocabulary: Vocabulary) -> list[str]:
    """Cut letters into as many words as there are lengths; nothing where no cut is near the key."""
    if len(lengths) > MOST_WORDS or len(letters) > MOST_LETTERS:
        return []
    ways: dict[int, tuple[float, tuple[str, ...]]] = {0: (0.0, ())}
    for length in lengths:
        longer: dict[int, tuple[float, tuple[str, ...]]] = {}
        for start, (score, words) in ways.items():
            for size in range(max(length - FARTHEST, 1), length + FARTHEST + 1):
                word = letters[start : start + size]
                if len(word) < size:
                    break
                worth = score + vocabulary.worth(word) - OFF * abs(size - length)
                if start + size not in longer or worth > longer[start + size][0]:
                    longer[start + size] = worth, (*words, word)
        ways = longer
    _, found = ways.get(len(letters), (0.0, ()))
    return [*found]
