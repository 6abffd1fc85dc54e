"""What a broken tokenizer or serializer leaves in a text, and what only looks like it."""

from __future__ import annotations

import json

import pytest

from apieval.rebus.parsers.cleaning import mended, without_struck

TEXT = "Verità nascosta\n- [È così] = perché\n"


@pytest.mark.parametrize(
    ("text", "better", "kind"),
    [
        pytest.param("VeritÃłĠnascostaĊ", "Verità nascosta\n", "tokenizer", id="bytes as characters"),
        pytest.param("VeritàĠnascostaĊ", "Verità nascosta\n", "tokenizer", id="blanks alone"),
        pytest.param("Verità▁nascosta<0x0A>", "Verità nascosta\n", "tokenizer", id="pieces"),
        pytest.param("Verit<0xC3><0xA0>▁così", "Verità così", "tokenizer", id="bytes by number"),
        pytest.param("▁Sì<｜end▁of▁sentence｜>".replace("｜", "|"), " Sì\n", "tokenizer", id="a token with marks"),
        pytest.param(TEXT.strip().replace("\n", "\\n"), TEXT.strip(), "escapes", id="literal line breaks"),
        pytest.param(TEXT.strip().replace("\n", "\\\\n"), TEXT.strip(), "escapes", id="escaped twice"),
        pytest.param(json.dumps(TEXT), TEXT, "escapes", id="a JSON text"),
        pytest.param("Verit\\u00e0 \\ud83d\\ude00", "Verità 😀", "escapes", id="letters escaped"),
        pytest.param("\\ud83d", "\ufffd", "escapes", id="half of a pair"),
        pytest.param("Verit&agrave; &#232; l&apos;ora", "Verità è l'ora", "entities", id="entities"),
        pytest.param("Verit&amp;agrave;", "Verità", "entities", id="entities twice"),
        pytest.param(TEXT.encode().decode("latin-1"), TEXT, "encoding", id="read as Latin-1"),
        pytest.param("L’ora è".encode().decode("cp1252"), "L’ora è", "encoding", id="read as Windows-1252"),
    ],
)  # fmt: skip
def test_what_a_server_left_is_mended(text: str, better: str, kind: str) -> None:
    assert mended(text) == (better, {kind})


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "A & B; C &D",
        "&nessuna;",
        r"$a \neq b$",
        "C:\\nomi\nseconda riga",
        "Ã è",
        "x < 0x0A",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert mended(text) == (text, set())


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("~~oro~~ argento", " argento"),
        ("a <s>oro</s> b", "a  b"),
        ("<del>uno\ndue</del>tre", "tre"),
        (r"\sout{oro} rame", " rame"),
        ("o\u0336r\u0336o\u0336 rame", " rame"),
        ("<s>Soluzione: oro</s>", "<s>Soluzione: oro</s>"),
        ("~~~\ncodice\n~~~", "~~~\ncodice\n~~~"),
        ("circa ~~ 5", "circa ~~ 5"),
    ],
)
def test_what_was_struck_out_is_gone(text: str, left: str) -> None:
    kinds: set[str] = set()
    assert without_struck(text, kinds) == left
    assert kinds == ({"struck"} if left != text else set())
