"""The statistics of a data file, and the length of its prompts in characters and tokens.

The figures are those of Sarti et al. 2024, "Non Verbis, Sed Rebus", table 1, as their published
script counts them: words as they are written, lengths in characters, word lengths over the
different words, standard deviations of the population (divided by n, not n - 1). Solutions are
split at punctuation, which is no word; a first pass and a solution have their blanks counted.
Tokens are those of a tokenizer's file on this machine; nothing is downloaded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from typing import Final, NamedTuple

from apieval.errors import ConfigError
from apieval.rebus import examples, prompts
from apieval.rebus.characters import composed
from apieval.rebus.columns import ALL
from apieval.rebus.equality import NUMBER, WORD
from apieval.rebus.training import Training
from apieval.records import SETTINGS, Rebus, RowId, Setting
from apieval.results.data import Keys, PromptLengths, PromptTokens, SubsetStats, Unseen, Words
from apieval.results.data import Spread as SpreadJson
from apieval.wording import install


@dataclass(slots=True)
class Spread:
    """The numbers that were added, in what their mean and standard deviation need."""

    n: int = 0
    total: int = 0
    squares: int = 0
    least: int | None = None
    most: int | None = None

    @classmethod
    def of(cls, numbers: Iterable[int]) -> Spread:
        """Return the spread of some numbers."""
        spread = cls()
        for number in numbers:
            spread.add(number)
        return spread

    def add(self, number: int, times: int = 1) -> None:
        """Take in a number, so many times."""
        self.n += times
        self.total += number * times
        self.squares += number * number * times
        self.least = number if self.least is None else min(self.least, number)
        self.most = number if self.most is None else max(self.most, number)

    def as_json(self) -> SpreadJson:
        """Return mean, standard deviation of the population (divided by n), extremes and n."""
        variance = self.n * self.squares - self.total * self.total  # whole, so nothing is lost
        return {
            "mean": self.total / self.n if self.n else None,
            "sd": sqrt(variance) / self.n if self.n else None,
            "min": self.least,
            "max": self.most,
            "n": self.n,
        }


ROOM: Final = 1024
"""Tokens that the study keeps prompt and answer within."""
IDS_SHOWN: Final = 1_000


class Tokens(NamedTuple):
    """Tokens of a prompt and of the right answer to it."""

    prompt: int
    answer: int


@dataclass(slots=True)
class Asked:
    """The prompts of some rebuses in one setting."""

    characters: Spread = field(default_factory=Spread)
    prompt: Spread = field(default_factory=Spread)
    answer: Spread = field(default_factory=Spread)
    together: Spread = field(default_factory=Spread)
    over: int = 0
    ids: list[RowId] = field(default_factory=list)

    def add(self, rebus: Rebus, setting: Setting, tokens: Tokens | None) -> None:
        """Take in a rebus, and the tokens of its prompt and answer where they are known."""
        self.characters.add(prompts.official().length(rebus, setting))
        if tokens is None:
            return
        self.prompt.add(tokens.prompt)
        self.answer.add(tokens.answer)
        self.together.add(sum(tokens))
        if sum(tokens) > ROOM:
            self.over += 1
            if len(self.ids) < IDS_SHOWN:
                self.ids.append(rebus.id)

    def as_json(self) -> PromptLengths:
        """Return the lengths; tokens are None without a tokenizer."""
        tokens: PromptTokens = {
            "prompt": self.prompt.as_json(),
            "right_answer": self.answer.as_json(),
            "together": self.together.as_json(),
            "room": ROOM,
            "rows_without_room": self.over,
            "ids": self.ids,
        }
        return {
            "characters": self.characters.as_json(),
            "tokens": tokens if self.prompt.n else None,
        }


def counted(
    rebuses: Iterable[Rebus], counter: Callable[[str], int] | None
) -> Iterator[tuple[Rebus, Mapping[str, Tokens]]]:
    """Yield each rebus with the tokens of its prompt, by setting; none without a counter."""
    for rebus in rebuses:
        if counter is None or not rebus.verbalized_rebus:
            yield rebus, {}
            continue
        answer = counter(examples.write(rebus))
        yield (
            rebus,
            {each: Tokens(counter(prompts.build(rebus, each)), answer) for each in SETTINGS},
        )


KEYS_SHOWN: Final = 10


@dataclass(slots=True)
class _Words:
    """The words of one part of all rebuses, and how long that part is."""

    words: Counter[str] = field(default_factory=Counter)
    per_example: Spread = field(default_factory=Spread)
    length: Spread = field(default_factory=Spread)

    def add(self, words: Sequence[str], text: str) -> None:
        self.words.update(words)
        self.per_example.add(len(words))
        self.length.add(len(text))

    def as_json(self) -> Words:
        every = Spread()
        for word, times in self.words.items():
            every.add(len(word), times)
        return {
            "words": self.words.total(),
            "unique_words": len(self.words),
            "unique_words_case_aside": len({word.casefold() for word in self.words}),
            "words_per_example": self.per_example.as_json(),
            "word_length": Spread.of(map(len, self.words)).as_json(),
            "word_length_of_every_word": every.as_json(),
            "length": self.length.as_json(),
        }

    def lengths(self) -> dict[str, int]:
        """Return how many words there are of each length."""
        counts: Counter[int] = Counter()
        for word, times in self.words.items():
            counts[len(word)] += times
        return _histogram(counts)


@dataclass(slots=True)
class _Seen:
    """How much of some rebuses a training file has."""

    rows: int = 0
    with_unseen: int = 0
    words: int = 0
    unseen: Counter[str] = field(default_factory=Counter)
    same_first_pass: int = 0
    same_solution: int = 0

    def add(self, rebus: Rebus, training: Training) -> None:
        unseen = training.unseen(rebus.word_guesses)
        self.rows += 1
        self.with_unseen += bool(unseen)
        self.words += len(rebus.word_guesses)
        self.unseen.update(composed(word).casefold() for word in unseen)
        self.same_first_pass += training.saw_first_pass(rebus)
        self.same_solution += training.saw_solution(rebus)

    def as_json(self, *, whole: bool) -> Unseen:
        """Return the counts and shares; only a training file, `whole`, says what is a double."""
        found: Unseen = {
            "rows": self.rows,
            "rows_with_unseen_words": self.with_unseen,
            "share_of_rows": _share(self.with_unseen, self.rows),
            "words": self.words,
            "unseen_words": self.unseen.total(),
            "share_of_words": _share(self.unseen.total(), self.words),
            "unique_unseen_words": len(self.unseen),
        }
        if whole:
            found["same_first_pass"] = self.same_first_pass
            found["same_solution"] = self.same_solution
        return found


@dataclass(slots=True)
class Described:
    """Some rebuses together: all of a file, or those of a subset."""

    first_pass: _Words = field(default_factory=_Words)
    solution: _Words = field(default_factory=_Words)
    numbers: Counter[int] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    keys: Counter[str] = field(default_factory=Counter)
    asked: dict[Setting, Asked] = field(
        default_factory=lambda: {each: Asked() for each in SETTINGS}
    )
    seen: _Seen = field(default_factory=_Seen)

    def add(self, rebus: Rebus, training: Training | None, tokens: Mapping[str, Tokens]) -> None:
        """Take in a rebus; `tokens`, by setting, are of its prompt and right answer."""
        self.first_pass.add(rebus.word_guesses, rebus.first_pass)
        self.solution.add(WORD.findall(composed(rebus.solution)), rebus.solution)
        if training:
            self.seen.add(rebus, training)
        if not rebus.verbalized_rebus:
            return
        lengths = [int(number[:9]) for number in NUMBER.findall(rebus.solution_key)]
        self.numbers[len(lengths)] += 1
        self.lengths.update(lengths)
        self.keys[rebus.solution_key] += 1
        for setting in SETTINGS:
            self.asked[setting].add(rebus, setting, tokens.get(setting))

    def as_json(self, training: Training | None) -> SubsetStats:
        """Return every figure of these rebuses."""
        asks = bool(self.keys)
        return {
            "examples": self.first_pass.per_example.n,
            "first_pass": self.first_pass.as_json(),
            "solution": self.solution.as_json(),
            "word_lengths": self.first_pass.lengths(),
            "solution_word_lengths": self.solution.lengths(),
            "keys": self._keys() if asks else None,
            "prompts": {s: each.as_json() for s, each in self.asked.items()} if asks else None,
            "unseen": self.seen.as_json(whole=training.digest is not None) if training else None,
        }

    def _keys(self) -> Keys:
        often = sorted(self.keys.items(), key=lambda item: (-item[1], item[0]))[:KEYS_SHOWN]
        return {
            "numbers_per_key": _histogram(self.numbers),
            "numbers": _histogram(self.lengths),
            "different": len(self.keys),
            "most_frequent": [{"key": key, "rows": rows} for key, rows in often],
        }


def describe(
    rebuses: Iterable[tuple[Rebus, Mapping[str, Tokens]]], training: Training | None = None
) -> dict[str, SubsetStats]:
    """Return the figures of all rebuses and of each subset, in the order they appear.

    What was seen is what `training` has; None where that is unknown.
    """
    parts = {ALL: Described()}
    for rebus, tokens in rebuses:
        parts[ALL].add(rebus, training, tokens)
        if rebus.subset is not None:
            parts.setdefault(rebus.subset, Described()).add(rebus, training, tokens)
    return {name: part.as_json(training) for name, part in parts.items()}


def _histogram(counts: Mapping[int, int]) -> dict[str, int]:
    return {str(number): counts[number] for number in sorted(counts)}


def _share(some: int, of: int) -> float | None:
    return some / of if of else None


FILE: Final = "tokenizer.json"

TokenCounter = Callable[[str], int]
"""Return how many tokens a text has."""


def counter(path: Path) -> TokenCounter:
    """Return what counts tokens by a Hugging Face `tokenizer.json`, or the folder of one.

    What a chat template puts around a message is not counted.

    Raises:
        ConfigError: for a file that is no tokenizer, and without the library that reads it.
    """
    try:
        # heavy, and needed where tokens are asked for alone
        from tokenizers import Tokenizer  # noqa: PLC0415
    except ImportError:
        raise ConfigError(
            f"--tokenizer needs the tokenizers library; {install('tokens')} adds it."
        ) from None
    file = path / FILE if path.is_dir() else path
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # noqa: BLE001 # the library raises nothing more exact
        reason = " ".join(str(error).split())
        raise ConfigError(
            f"--tokenizer {path}: not a {FILE}: {reason}; give the one of the model's folder."
        ) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False))
