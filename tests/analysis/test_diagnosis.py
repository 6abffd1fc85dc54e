from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.analysis.diagnosis import NEAR, Diagnosis, Step, diagnose
from apieval.rebus import prompts
from apieval.rebus.scoring import ScoredAnswer, of_prediction, scored
from apieval.records import Given, Outcome, Rebus
from tests.records import ANSWER, prediction, rebus, response

GUESSES = ("Rita", "scosta")
WORDS = ("Verità", "nascosta")
_EXAMPLES = prompts.template("regular").split("# Esempio")[1:3]


def answer(
    guesses: tuple[str, ...] | None = GUESSES,
    first_pass: str | None = "VE Rita NA scosta",  # noqa: S107 # of a rebus
    words: tuple[str, ...] | None = WORDS,
    solution: str | None = "Verità nascosta",
) -> str:
    """Return an answer in the template; what is None is not said."""
    lines = [
        f"- [{clue}] = {guess}"
        for clue, guess in zip(
            ("Santa di Cascia", "Sposta da un lato"), guesses or (), strict=False
        )
        if guess
    ]
    lines += [f"Prima lettura: {first_pass}"] if first_pass else []
    lines += [f"{len(word)} = {word}" for word in words or ()]
    lines += [f"Soluzione: {solution}"] if solution else []
    return "\n".join(lines) + "\n"


def found(text: str = ANSWER, gold: Rebus | None = None, **changes: Any) -> Diagnosis:  # noqa: ANN401 # any field
    result = diagnose(scored(response(text=text, **changes), gold or rebus()))
    assert result is not None
    return result


def of_parts(gold: Rebus | None = None, **changes: object) -> Diagnosis:
    """Diagnose parts that another tool parsed, as those of the study's CSV."""
    gold = gold or rebus()
    score = of_prediction(prediction(**changes), gold, parser="official", setting="regular")
    result = diagnose(ScoredAnswer(gold, {"official": score}))
    assert result is not None
    return result


BROKE = [
    pytest.param(ANSWER, "solved", id="all right"),
    pytest.param(answer(guesses=None, first_pass=None, words=None), "solved", id="nothing else said"),
    pytest.param(answer(("Anna", "scosta"), "VE Anna NA scosta"), "solved", id="despite a wrong guess"),
    pytest.param(ANSWER.replace("Soluzione:", "**Soluzione:**"), "format", id="a bold label"),
    pytest.param("Non lo so.", "format", id="nothing that can be read"),
    pytest.param("", "format", id="no text at all, yet ok"),
    pytest.param(
        answer(("Anna", "scosta"), "VE Anna NA scosta", ("Veanna", "nascosta"), "Veanna nascosta"),
        "definitions",
        id="a wrong guess",
    ),
    pytest.param(
        answer(("", "scosta"), "VE Anna NA scosta", None, "Verità scosta"),
        "definitions",
        id="a guess is missing and the first pass wrong",
    ),
    pytest.param(answer(None, None, None, "Verità scosta"), "definitions", id="only a wrong solution"),
    pytest.param(
        answer(("Anna", "scosta"), None, WORDS, "Verità scosta"),
        "definitions",
        id="a wrong guess, and right words that come from elsewhere",
    ),
    pytest.param(
        answer(first_pass="VE Rita scosta NA", solution="Verità scosta"),
        "first_pass",
        id="a first pass in the wrong order",
    ),
    pytest.param(
        answer(first_pass=None, words=None, solution="Verità scosta"),
        "first_pass",
        id="the first pass is missing",
    ),
    pytest.param(
        answer(words=("Verita", "ascosta"), solution="Verita ascosta"),
        "segmentation",
        id="a wrong solution word",
    ),
    pytest.param(
        answer(words=None, solution="Verità ascosta"), "segmentation", id="no solution words"
    ),
    pytest.param(
        answer(("", ""), words=("Verita", "ascosta"), solution="Verita ascosta"),
        "segmentation",
        id="no guesses, but a right first pass",
    ),
    pytest.param(
        answer(("Rità", "scosta"), "VE Rità NA scosta", ("Verita", "ascosta"), "Verita ascosta"),
        "segmentation",
        id="an accent too many in a guess",
    ),
    pytest.param(
        answer(first_pass="V E rita N A scosta.", words=None, solution="Verità scosta"),
        "segmentation",
        id="a first pass otherwise spaced",
    ),
    pytest.param(answer(solution="Veritànascosta"), "solution", id="words right, solution wrong"),
    pytest.param(answer(solution=None), "solution", id="words right, no solution"),
    pytest.param(
        answer(words=("Verita", "nascosta"), solution="Verita nascosta"),
        "solution",
        id="cut right, an accent too few",
    ),
    pytest.param(
        answer(words=None, solution="verita, nascosta"), "solution", id="cut right in the solution alone"
    ),
    pytest.param(
        answer(words=("Verità", "ascosta"), solution="Verita nascosta"),
        "solution",
        id="a wrong word that the solution puts right",
    ),
    pytest.param(
        answer(words=("Verita",), solution="Veritan ascosta"),
        "segmentation",
        id="a word is missing",
    ),
    pytest.param(
        answer(words=None, solution="Veritan ascosta"), "segmentation", id="otherwise cut"
    ),
    pytest.param(
        answer(None, None, WORDS, "Verità ascosta"), "solution", id="right words prove what is before"
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "step"), BROKE)
def test_where_it_broke_first(text: str, step: str) -> None:
    assert found(text).broke_first == step


@pytest.mark.parametrize("outcome", ["truncated", "empty", "refused"])
def test_what_is_no_whole_answer_breaks_at_no_step(outcome: str) -> None:
    result = found(ANSWER if outcome == "truncated" else "", outcome=outcome)
    assert result.broke_first is Step.UNANSWERED
    assert result.wrong_words == (1, 2)
    assert (result.key_obeyed, result.cer, result.near_miss, result.right) == (
        None,
        None,
        None,
        False,
    )


def test_a_failed_request_has_no_diagnosis() -> None:
    assert diagnose(scored(response(text="", outcome="failed"), rebus())) is None


@pytest.mark.parametrize(
    ("guesses", "wrong"),
    [
        (GUESSES, ()),
        (("rita", "SCOSTA"), ()),
        (("Anna", "scosta"), (1,)),
        (("Rita", ""), (2,)),
        (("Anna", ""), (1, 2)),
        (("", ""), (1, 2)),
    ],
)
def test_the_hidden_words_that_are_wrong(guesses: tuple[str, str], wrong: tuple[int, ...]) -> None:
    assert found(answer(guesses)).wrong_words == wrong


def test_solution_words_are_compared_along_the_key() -> None:
    gold = rebus(solution_key="1 ' 3 5", solution_words=("L'ora", "fatta"), solution="L'ora fatta")
    text = answer(words=("L", "ora", "fatta"), solution="L'ora fata")
    assert found(text, gold).broke_first is Step.SOLUTION


OWN = [
    pytest.param(ANSWER, True, True, id="as it should be"),
    pytest.param(answer(first_pass="verita na SCOSTA"), True, False, id="other blanks and case"),
    pytest.param(answer(("Anna", "scosta"), "VE Anna NA scosta"), True, True, id="its own, though wrong"),
    pytest.param(answer(("Anna", "scosta")), False, True, id="another word than guessed"),
    pytest.param(answer(("scosta", "Rita")), False, True, id="each at the other's clue"),
    pytest.param(answer(("Rita", "")), None, True, id="a guess is missing"),
    pytest.param(answer(first_pass="VE Rita scosta"), False, False, id="letters left out"),
    pytest.param(answer(first_pass="NA Rita VE scosta"), False, False, id="letters exchanged"),
    pytest.param(answer(first_pass=None), None, None, id="no first pass"),
    pytest.param("Non lo so.", None, None, id="nothing at all"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "own", "kept"), OWN)
def test_a_first_pass_of_own_guesses_and_given_letters(
    text: str, own: bool | None, kept: bool | None
) -> None:
    result = found(text)
    assert result.of_own_guesses is own
    # what is made of own guesses has the letters in their places, in whatever blanks
    assert result.letters_kept is (True if own else kept)


def test_marks_among_the_letters_are_no_letters() -> None:
    gold = rebus(
        verbalized_rebus="VE, [Santa di Cascia] NA: [Sposta da un lato]",
        first_pass="VE, Rita NA: scosta",
    )
    for guesses in (GUESSES, ("Anna", "scosta")):
        assert found(answer(guesses), gold).letters_kept is True


def test_a_row_without_a_rebus_says_nothing_of_letters_and_key() -> None:
    bare = rebus(verbalized_rebus="", verbalized_rebus_with_length_hints="", solution_key="")
    result = of_parts(bare)
    assert (result.of_own_guesses, result.letters_kept, result.key_obeyed) == (None, None, None)
    assert result.broke_first is Step.SOLVED


@pytest.mark.parametrize(
    ("first_pass", "solution", "cer"),
    [
        ("VE Rita NA scosta", "Verità nascosta", 0.0),
        ("VE Rita NA scosta", "Vérita, na scosta!", 0.0),
        ("VE Rita NA scosta", "Verità nascoste", 1 / 14),
        ("XY", "Verità nascosta", 14 / 2),
        ("VE Rita NA scosta", None, None),
        (None, "Verità nascosta", None),
        ("...", "Verità nascosta", None),
    ],
)
def test_cer(first_pass: str | None, solution: str | None, cer: float | None) -> None:
    assert found(answer(first_pass=first_pass, solution=solution)).cer == cer


@pytest.mark.parametrize(
    ("key", "solution", "obeyed"),
    [
        ("6 8", "Verità nascosta", True),
        ("6 8", "Parola sbagliat", True),
        ("6 8", "Verità scosta", False),
        ("6 8", "Verità; nascosta", False),
        ("1 ' 3 5", "L'ora fatta", True),
        ("1 ’ 3 5", "L'ora fatta", True),
        ("1 ' 3 5", "L’ora fatta", True),
        ("1 ' 3 5", "Lora fatta", False),
        ("6 8", None, None),
    ],
)
def test_the_key(key: str, solution: str | None, obeyed: bool | None) -> None:
    text = answer(words=None, solution=solution)
    assert found(text, rebus(solution_key=key)).key_obeyed is obeyed


@pytest.mark.parametrize(
    ("text", "despite"),
    [
        pytest.param(ANSWER, False, id="all right"),
        pytest.param(answer(None, None, None), False, id="no steps"),
        pytest.param(answer(("Anna", "scosta"), "VE Anna NA scosta"), True, id="wrong steps"),
        pytest.param(answer(("Anna", "scosta")), False, id="a guess put right in the first pass"),
        pytest.param(answer(("Anna", "scosta"), None), True, id="a wrong guess and no first pass"),
        pytest.param(answer(("Rita", ""), None), False, id="a guess is missing"),
        pytest.param(answer(first_pass="Verità nascosta"), False, id="the solution for a first pass"),
        pytest.param(answer(first_pass="VE NA"), True, id="a first pass without words"),
        pytest.param(
            answer(("Anna", "scosta"), "VE Anna NA scosta").replace("Soluzione", "**Soluzione**"),
            True,
            id="in a form that loses the score",
        ),
        pytest.param(answer(solution="Verità ascosta"), None, id="a wrong solution"),
    ],
)  # fmt: skip
def test_right_despite_wrong_steps(text: str, despite: bool | None) -> None:
    assert found(text).right_despite_wrong_steps is despite


@pytest.mark.parametrize(
    ("text", "despite"),
    [
        (ANSWER, False),
        (answer(solution="Verità ascosta"), True),
        (answer(solution=None), True),
        (answer(first_pass="VE Anna NA scosta", solution="Verità ascosta"), None),
    ],
)
def test_wrong_despite_a_right_first_pass(text: str, despite: bool | None) -> None:
    assert found(text).wrong_despite_right_first_pass is despite


@pytest.mark.parametrize(
    ("solution", "near"),
    [
        ("Verità nascosta", None),
        ("Verita nascosta", 0),
        ("Veritàna scosta", 0),
        ("Verità nascoste", 1),
        ("Verità ascost", 2),
        ("Verità asosti", 3),
        (None, None),
    ],
)
def test_near_misses(solution: str | None, near: int | None) -> None:
    expected = near if near is not None and near <= NEAR else None
    assert found(answer(solution=solution)).near_miss == expected


EXAMPLE = {
    name: [part.split(f"{name}: ")[1].split("\n")[0] for part in _EXAMPLES]
    for name in ("Prima lettura", "Soluzione")
}


class TestCopiedExample:
    @pytest.mark.parametrize("which", [0, 1])
    def test_a_solution_or_a_first_pass(self, which: int) -> None:
        for name, text in (
            ("Soluzione", answer(solution=EXAMPLE["Soluzione"][which].upper())),
            ("Prima lettura", answer(first_pass=EXAMPLE["Prima lettura"][which])),
        ):
            assert found(text).copied_example, name

    @pytest.mark.parametrize("which", [0, 1])
    def test_the_whole_example_instead_of_an_answer(self, which: int) -> None:
        result = found("#" + _EXAMPLES[which])
        assert result.copied_example
        assert result.broke_first is Step.FORMAT

    def test_an_echo_before_the_answer_is_no_copy(self) -> None:
        assert not found(f"#{_EXAMPLES[0]}\n{ANSWER}").copied_example

    def test_the_examples_own_rebus_is_no_copy(self) -> None:
        gold = rebus(solution=EXAMPLE["Soluzione"][0], first_pass=EXAMPLE["Prima lettura"][0])
        text = answer(first_pass=gold.first_pass, solution=gold.solution)
        assert not found(text, gold).copied_example
        assert found(answer(solution=EXAMPLE["Soluzione"][1]), gold).copied_example

    def test_of_a_cut_answer(self) -> None:
        text = answer(first_pass=EXAMPLE["Prima lettura"][0], words=None, solution=None)
        assert found(text, outcome="truncated").copied_example

    def test_most_answers_copy_nothing(self) -> None:
        assert not found().copied_example
        assert not found("").copied_example


class TestLoopsAndLanguages:
    loop = "e poi la parola nascosta non è quella che sembrava, " * 9

    def test_the_text_is_looked_at(self) -> None:
        assert found(ANSWER + self.loop).loop
        assert not found().loop
        assert found("答案是：隐藏的真相，这是一个意大利语的谜题。").other_language == "han"

    def test_of_a_cut_answer_too(self) -> None:
        assert found(self.loop, outcome="truncated").loop

    def test_where_there_are_thoughts_alone_they_are_looked_at(self) -> None:
        assert found("", outcome="truncated", reasoning=self.loop).loop
        assert not found(ANSWER, reasoning=self.loop).loop

    def test_thoughts_in_another_language_are_no_answer_in_it(self) -> None:
        thoughts = "the first clue is a city, and this is the answer to it"
        assert found("", outcome="empty", reasoning=thoughts).other_language is None

    def test_of_parsed_parts_nothing_is_known(self) -> None:
        result = of_parts()
        assert (result.loop, result.other_language, result.texts) == (None, None, False)


class TestParsedParts:
    def test_they_are_taken_as_they_are(self) -> None:
        wrong: dict[str, Any] = {
            "word_guesses": ("Anna", "scosta"),
            "first_pass": "VE Anna NA scosta",
        }
        result = of_parts(**wrong, solution="Veanna nascosta")
        assert (result.broke_first, result.parser) == (Step.DEFINITIONS, "official")
        assert result.wrong_words == (1,)
        assert result.of_own_guesses is True

    def test_the_official_equality_holds(self) -> None:
        assert of_parts(word_guesses=("RITA", "scosta ")).wrong_words == (2,)

    def test_nothing_at_all_is_the_formats_fault(self) -> None:
        blank: dict[str, Any] = {
            "word_guesses": ("",),
            "first_pass": "",
            "solution_words": ("",),
            "solution": "",
        }
        result = of_parts(**blank)
        assert (result.broke_first, result.wrong_words) == (Step.FORMAT, (1, 2))

    def test_letters_of_a_first_pass_may_be_spaced(self) -> None:
        result = of_parts(first_pass="V E Rita N A scosta", solution="Verità ascosta")
        assert result.broke_first is Step.SOLUTION


class TestGivenSteps:
    """Where an answer was begun for the model, what was given is right and not judged."""

    @pytest.mark.parametrize(
        ("told", "said", "step"),
        [
            pytest.param("definitions", answer(guesses=None), "solved", id="solved"),
            pytest.param(
                "definitions",
                answer(None, "VE Rita scosta NA", None, "Verità scosta"),
                "first_pass",
                id="the first pass",
            ),
            pytest.param("definitions", answer(None, None, None, None), "first_pass", id="silence"),
            pytest.param(
                "first-pass",
                answer(None, None, ("Verita", "ascosta"), "Verita ascosta"),
                "segmentation",
                id="segmentation",
            ),
            pytest.param(
                "first-pass", answer(None, None, None, None), "segmentation", id="no more"
            ),
        ],
    )
    def test_the_step_is_one_behind(self, told: Given, said: str, step: str) -> None:
        result = self.found(said, told)
        assert (result.broke_first, result.wrong_words, result.hidden_words) == (step, (), 0)

    def test_of_given_steps_nothing_is_said(self) -> None:
        said = answer(None, None, ("Verita", "ascosta"), "Verita ascosta")
        result = self.found(said, "first-pass")
        assert (result.of_own_guesses, result.letters_kept) == (None, None)
        assert result.wrong_despite_right_first_pass is True
        assert self.found(answer(guesses=None), "definitions").of_own_guesses is True

    def test_a_cut_answer_has_no_wrong_words_either(self) -> None:
        assert self.found("", "definitions", outcome="truncated").wrong_words == ()

    @staticmethod
    def found(said: str, told: Given, **changes: Any) -> Diagnosis:  # noqa: ANN401 # any field
        result = diagnose(scored(response(text=said, **changes), rebus(), told))
        assert result is not None
        return result


def test_what_stands_on_a_line() -> None:
    text = answer(("Anna", "scosta"), "VE Anna NA scosta", None, "Verità nascosti")
    told = json.loads(json.dumps(found(text).as_json(), allow_nan=False))
    assert told == {
        "broke_first": "definitions",
        "wrong_words": [1],
        "of_own_guesses": True,
        "letters_kept": True,
        "cer": round(4 / 14, 4),
        "key_obeyed": True,
        "right_despite_wrong_steps": None,
        "wrong_despite_right_first_pass": None,
        "near_miss": 1,
        "copied_example": False,
        "loop": False,
        "other_language": None,
    }


LINES = st.sampled_from([*ANSWER.split("\n"), "<think>", "```", "Soluzione: ", "6 = ", "**"])


@given(st.lists(st.one_of(LINES, st.text(max_size=20)), max_size=12), st.sampled_from(Outcome))
@settings(max_examples=100)
def test_any_answer_has_a_diagnosis_that_agrees_with_its_scores(
    lines: list[str], outcome: Outcome
) -> None:
    answered = scored(response(text="\n".join(lines), outcome=outcome), rebus())
    result = diagnose(answered)
    tallies = answered.scores["tolerant"].tallies
    if result is None or tallies is None:
        assert outcome is Outcome.FAILED
        return
    json.dumps(result.as_json(), allow_nan=False)
    assert (result.broke_first is Step.UNANSWERED) == (outcome is not Outcome.OK)
    assert len(result.wrong_words) == 2 - tallies["word_guess_accuracy"].right
    assert result.right == (
        result.broke_first is Step.SOLVED or tallies["solution_match"].right > 0
    )
    assert (result.cer is None) == (result.edits is None)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            f"Prima lettura: {'a' * 500_000}\nSoluzione: {'b' * 500_000}", id="long parts"
        ),
        pytest.param("Soluzione: a" + "\u0301\u0323" * 250_000, id="marks upon marks"),
        pytest.param("Prima lettura: a" + "\u0301\u0323" * 250_000, id="marks upon marks, before"),
    ],
)
def test_a_megabyte_takes_no_long_time(text: str) -> None:
    answered = scored(response(text=text), rebus())
    before = time.process_time()
    assert diagnose(answered) is not None
    assert time.process_time() - before < 2


@pytest.mark.parametrize(
    ("first_pass", "solution", "edits"),
    [
        pytest.param("VE Rita NA scosta", "Verità nascosta", (1, 14), id="an accent is a letter"),
        pytest.param("L oro", "L'oro", (1, 4), id="so is an apostrophe"),
        pytest.param("a b", "A B", (0, 2), id="blanks and case are not"),
        pytest.param("", "", (0, 1), id="both missing: x and x"),
        pytest.param("", "oro", (3, 1), id="one missing: x and a word"),
        pytest.param("oro", " ", (3, 3), id="the other: a word and x"),
    ],
)
def test_edits_as_the_studys_script_counts_them(
    first_pass: str, solution: str, edits: tuple[int, int]
) -> None:
    assert of_parts(first_pass=first_pass, solution=solution).study_edits == edits
