from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.rebus import serving
from tests.records import ANSWER


@pytest.mark.parametrize(
    ("text", "kind", "shown"),
    [
        pytest.param(ANSWER.replace(" ", "Ġ"), "tokenizer_marks", ["Ġ"], id="byte-level blanks"),
        pytest.param(
            ANSWER.replace("\n", "Ċ"), "tokenizer_marks", ["Ċ"], id="byte-level line ends"
        ),
        pytest.param(
            ANSWER.replace("\n", "Ċ").replace(" ", "Ġ"), "tokenizer_marks", ["Ġ", "Ċ"], id="both"
        ),
        pytest.param(ANSWER.replace(" ", "▁"), "tokenizer_marks", ["▁"], id="SentencePiece"),
        pytest.param(
            ANSWER.replace("\n", "<0x0A>"), "tokenizer_marks", ["<0x0A>"], id="byte fallback"
        ),
        pytest.param(
            ANSWER.replace("\n", "\\n"), "tokenizer_marks", ["literal \\n"], id="escaped line ends"
        ),
        pytest.param(
            "Soluzione: Verit\\u00e0", "tokenizer_marks", ["\\u00e0"], id="escaped accent"
        ),
        pytest.param(ANSWER + "<|im_end|>", "special_tokens", ["<|im_end|>"], id="ChatML"),
        pytest.param("Soluzione: x</s>", "special_tokens", ["</s>"], id="end of sequence"),
        pytest.param(
            "Soluzione: Verit&agrave; nascosta", "html_entities", ["&agrave;"], id="named"
        ),
        pytest.param("Soluzione: L&#39;ora", "html_entities", ["&#39;"], id="numbered"),
        pytest.param(
            "L&#x27;ora e l&quot;aia", "html_entities", ["&#x27;"], id="the first is shown"
        ),
        pytest.param(
            "Soluzione: VeritÃ\u00a0 nascosta", "wrong_encoding", ["Ã\u00a0"], id="Latin-1"
        ),
    ],
)
def test_marks_that_no_italian_text_has(text: str, kind: str, shown: list[str]) -> None:
    assert serving.marks(text) == {kind: shown}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param(ANSWER, id="the template"),
        pytest.param("Perché no? È così: città & campagna, 3 < 4, a|b", id="signs of a text"),
        pytest.param('{"passi": "- [a] = b\\n- [c] = d\\n", "soluzione": "x"}', id="a JSON string"),
        pytest.param(
            '```json\n{"soluzione": "Verit\\u00e0\\n\\n"}\n```', id="a fenced JSON string"
        ),
        pytest.param("- [La lettera \\nu] = ni\nPrima lettura: x\nSoluzione: y", id="LaTeX"),
        pytest.param("R&D; A&B;", id="ampersands"),
    ],
)
def test_a_text_without_them(text: str) -> None:
    assert serving.marks(text) == {}


@given(st.text())
def test_any_text_may_come(text: str) -> None:
    assert set(serving.marks(text)) <= set(serving.SAID)
    serving.answered_in_thoughts("", text)


@pytest.mark.parametrize(
    ("text", "reasoning", "expected"),
    [
        pytest.param("", ANSWER, True, id="the whole answer"),
        pytest.param(
            " \n", "Penso...\n**Soluzione**: Verità nascosta", True, id="bold, blank content"
        ),
        pytest.param("", "so\n- Soluzione finale: Verità nascosta", True, id="a list's item"),
        pytest.param("", "The steps.\nSolution: Verità nascosta", True, id="in English"),
        pytest.param("", "cerco la soluzione, ma non la trovo", False, id="spoken of"),
        pytest.param("", "Soluzione:", False, id="a label alone"),
        pytest.param("", None, False, id="no thoughts"),
        pytest.param("Soluzione: x", ANSWER, False, id="answered as well"),
    ],
)
def test_an_answer_that_went_into_the_thoughts(
    text: str, reasoning: str | None, expected: bool
) -> None:
    assert serving.answered_in_thoughts(text, reasoning) is expected
