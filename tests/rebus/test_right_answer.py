from __future__ import annotations

import pytest

from apieval.rebus import dataset, examples, metrics, prompts
from apieval.rebus.parsers import official
from tests.records import rebus


def example(number: int) -> list[str]:
    """Return the lines of one of the prompt's examples, and of its answer."""
    return (
        prompts.template("regular").split(f"# Esempio {number}:\n")[1].split("\n#")[0].split("\n")
    )


@pytest.mark.parametrize(
    ("number", "words", "solution_words"),
    [
        (1, ("cozza", "edile", "fanti"), ("Accozzaglie", "di", "lestofanti")),
        (
            2,
            ("chiesa", "gioco", "rude", "ava"),
            ("Chi", "è", "saggio", "con", "prudenza", "va"),
        ),
    ],
)
def test_it_is_what_the_prompts_examples_show(
    number: int, words: tuple[str, ...], solution_words: tuple[str, ...]
) -> None:
    shown, key, *answer = example(number)
    row = rebus(
        verbalized_rebus=shown.removeprefix("Rebus: "),
        solution_key=key.removeprefix("Chiave di lettura: "),
        word_guesses=words,
        first_pass=next(line for line in answer if line.startswith("Prima")).partition(": ")[2],
        solution_words=solution_words,
        solution=answer[-1].removeprefix("Soluzione: "),
    )
    assert examples.write(row).split("\n") == answer


def test_the_official_parser_finds_it_right_in_all() -> None:
    for row in dataset.load().rebuses:
        tallies = metrics.tally(official.parse(examples.write(row)), row)
        wrong = {name for name, tally in tallies.items() if tally.right != tally.total}
        # along the key, as an answer is; the sample's words are split at blanks
        assert wrong <= {"solution_word_accuracy", "solution_word_length_accuracy"}
        assert not wrong or "'" in row.solution


def test_letters_behind_the_last_clue_and_a_word_too_few() -> None:
    row = rebus(verbalized_rebus="[A] B [C] DE", word_guesses=("a",), solution_key="3 3 1")
    assert examples.write(row).split("\n")[1:9] == [
        "- [A] = a",
        "- B = B",
        "- [C] = ",
        "- D E = D E",
        "Prima lettura: VE Rita NA scosta",
        "Ora componiamo la soluzione seguendo la chiave risolutiva:",
        "3 = Verità",
        "3 = nascosta",
    ]
