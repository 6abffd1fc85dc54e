from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.rebus.characters import oddities


def kinds(cell: str, *, latin: bool = True) -> dict[str, str]:
    return dict(oddities(cell, latin=latin))


@pytest.mark.parametrize(
    "cell",
    ["", "Verità nascosta", "Perché «Caesar»? L'È – così…", "VE [Santa (4)] NA", "naïf, Müller, ß"],
)
def test_plain_text(cell: str) -> None:
    assert kinds(cell) == {}


@pytest.mark.parametrize(
    ("cell", "kind", "text"),
    [
        pytest.param("a\x00b", "control", "U+0000", id="NUL"),
        pytest.param("a\tb", "control", "U+0009", id="tab"),
        pytest.param("a\x85b", "control", "U+0085", id="C1"),
        pytest.param("a\u2028b", "control", "U+2028 (line separator)", id="line separator"),
        pytest.param("a\ufffdb", "control", "U+FFFD (replacement character)", id="replaced"),
        pytest.param("a\u00a0b", "odd", "U+00A0 (no-break space)", id="NBSP"),
        pytest.param("a\u200bb", "odd", "U+200B (zero width space)", id="zero width"),
        pytest.param("\ufeffab", "odd", "U+FEFF (zero width no-break space)", id="BOM inside"),
        pytest.param("a\u00adb", "odd", "U+00AD (soft hyphen)", id="soft hyphen"),
        pytest.param("a\u202eb", "odd", "U+202E (right-to-left override)", id="direction"),
        pytest.param("verita\u0300", "odd", "U+0300 (combining grave accent)", id="NFD"),
        pytest.param("a\ue000b", "odd", "U+E000", id="private"),
        pytest.param("\u212bb", "odd", "U+212B (angstrom sign)", id="another form"),
        pytest.param("ﬁn\uff41", "odd", "U+FF41 (fullwidth latin small letter a)", id="full width"),
        pytest.param("c\u0430sa", "odd", "U+0430 (cyrillic small letter a)", id="Cyrillic"),
        pytest.param("PerchÃ© no", "odd", "'Ã©', which was UTF-8 before it was misread", id="misread"),
        pytest.param("lâ€™ora Ã\u0192", "odd", "misread", id="misread twice"),
        pytest.param("l\u2019ora", "apostrophe", "U+2019 (right single quotation mark)", id="curly"),
    ],
)  # fmt: skip
def test_oddities(cell: str, kind: str, text: str) -> None:
    found = kinds(cell)
    assert list(found) == [kind]
    assert text in found[kind]


def test_letters_of_other_scripts_count_where_an_answer_must_be_equal() -> None:
    assert kinds("La π greca, Ωmega", latin=False) == {}
    assert set(kinds("La π greca")) == {"odd"}


def test_several_kinds_and_many_characters() -> None:
    found = kinds("a\x00\u2019" + "".join(map(chr, range(0x0430, 0x0440))))
    assert set(found) == {"control", "apostrophe", "odd"}
    assert found["odd"].endswith("and 11 more")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_judged_and_decomposed_text_is_found(text: str) -> None:
    kinds(text)
    apart = unicodedata.normalize("NFD", text)
    if unicodedata.normalize("NFC", apart) != apart:
        assert "odd" in kinds(apart)
