"""Mean and standard deviation of whole numbers, exact, one number at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt


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

    def as_json(self) -> dict[str, float | int | None]:
        """Return mean, standard deviation of the population (divided by n), extremes and n."""
        variance = self.n * self.squares - self.total * self.total  # whole, so nothing is lost
        return {
            "mean": self.total / self.n if self.n else None,
            "sd": sqrt(variance) / self.n if self.n else None,
            "min": self.least,
            "max": self.most,
            "n": self.n,
        }
