from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from apieval.errors import StoreError
from apieval.report.figures import (
    Figure,
    canvas,
    contrasts,
    cost,
    draw,
    drawing,
    first_error,
    funnel,
    runs,
    style,
    write,
)
from apieval.report.figures import spending as spending_figure
from apieval.report.figures.drawing import FAMILIES
from tests.report.figures.documents import document, nothing, run, shown, spending, whole_summary

NAMES = (
    "$\\frac{1}{0}$ a_b^c",
    "</svg><script>alert(1)</script>",
    "-->&amp;\"'<!--",
    "\u202eevil\u2066\n\tx",
    "通义千问 🤖👩‍💻",
    "z" + "\u0301\u0489" * 40,
    "\x00\x1b[31m\ufffe\U0010ffff",
    "meta-llama/" + "very-" * 60 + "long-name",
    "نموذج عبري עברית",
    "100 % #1 {x} \\",
    "",
)
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def hostile() -> list[canvas.Prints]:
    """Return figures of each kind that names are drawn in."""
    several = [run(name, spent=spending(n + 1.0)) for n, name in enumerate(NAMES)]
    families = (
        funnel.sketches,
        first_error.sketches,
        contrasts.settings,
        cost.sketches,
        spending_figure.sketches,
    )
    with shown(*several) as drawn:
        return [canvas.prints(each.sheet) for family in families for each in family(drawn)]


def test_every_figure_is_drawn_in_every_form() -> None:
    figures = draw(document(run("$a_b$\u202e", spent=spending()), run("b", spent=spending(2.0))))
    assert [each.name for each in figures] == [
        "funnel",
        "broke-first",
        "hints",
        "gaps",
        "format-loss",
        "word-length",
        "hidden-words",
        "solution-length",
        "cost",
        "spending",
    ]
    assert {each.name for each in figures} == {*drawing.NAMES} - {"frequency"}
    for figure in figures:
        assert figure.png.startswith(PNG)
        assert figure.pdf.startswith(b"%PDF")
        assert figure.light != figure.dark
        for text in (figure.title, figure.caption, figure.alt):
            assert text
            assert not re.search("[\x00-\x1f\u202a-\u202e\u2066-\u2069]", text)


def test_hostile_names_break_nothing(hostile: list[canvas.Prints]) -> None:
    assert len(hostile) == 5
    for svg in (each for made in hostile for each in (made.light, made.dark)):
        tags = {each.tag.rpartition("}")[2] for each in ET.fromstring(svg).iter()}  # noqa: S314
        assert tags <= {"svg", "defs", "style", "g", "path", "use", "clipPath", "rect"}
        # names are outlines: nothing of them stands in the text
        assert "script" not in svg
        assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", svg)


def test_each_theme_has_its_own_colours(hostile: list[canvas.Prints]) -> None:
    for made in hostile:
        light, dark = (set(re.findall(": (#[0-9a-f]{6})", each)) for each in made[:2])
        drawn = {style.PAPER if each == style.LIGHT[style.PAPER] else each for each in light}
        assert drawn <= set(style.DARK)
        assert dark == {style.DARK[each] for each in drawn}
        assert not {style.PAPER, style.LIGHT[style.PAPER]} & dark


def test_the_same_document_gives_the_same_bytes() -> None:
    made = []
    for _ in range(2):
        with shown(run(spent=spending())) as drawn:
            [sketch] = funnel.sketches(drawn)
            made.append(canvas.prints(sketch.sheet))
    assert made[0] == made[1]
    assert b"Date" not in made[0].pdf
    assert not re.search(r"20\d\d-\d\d", made[0].light)


def test_of_nothing_nothing_is_drawn() -> None:
    assert draw(document()) == []
    assert draw(document(run(changed=nothing()), run("b", nothing()))) == []


def test_parts_that_are_lacking_have_no_figure() -> None:
    parts = ("gaps", "diagnosis", "dependence", "format_loss")
    empties: tuple[object, ...] = (None, {})
    for empty in empties:
        lacking = whole_summary(**dict.fromkeys(parts, empty))
        with shown(run(changed=lacking)) as drawn:
            found = [each.name for family in FAMILIES for each in family(drawn)]
        assert found == ["funnel", "hints"]


def test_one_setting_is_held_against_no_other() -> None:
    summary = whole_summary(settings=["regular"])
    for part in ("figures", "gaps", "diagnosis", "dependence", "format_loss"):
        del summary[part]["hints"]
    with shown(run(changed=summary, spent=spending())) as drawn:
        found = [each.name for family in FAMILIES for each in family(drawn)]
    assert "hints" not in found
    assert "cost" not in found
    assert {"funnel", "broke-first", "gaps", "word-length", "spending"} <= set(found)


def test_of_too_many_runs_the_first_by_the_headline_are_drawn() -> None:
    several = []
    for n in range(14):
        summary = whole_summary()
        summary["figures"]["regular"]["all"]["official"]["solution_match"]["micro"]["value"] = (
            n / 20
        )
        several.append(run(f"model-{n}", summary))
    several[5].summary["figures"]["regular"]["all"]["official"]["solution_match"]["micro"][
        "value"
    ] = None
    with shown(*several) as drawn:
        assert [each.label for each in drawn.runs] == [
            f"model-{n}" for n in range(13, 1, -1) if n != 5
        ] + ["model-1"]
        assert len({each.look for each in drawn.runs}) == 12
    assert drawn.note.startswith("Of 14 runs the first 12 by solution match are shown.")
    assert [*drawn.rest()] == ["7 more runs: see the table."]


def test_runs_keep_the_order_they_are_named_in() -> None:
    with shown(run("b"), run("a")) as drawn:
        assert [each.label for each in drawn.runs] == ["b", "a"]
    assert [*drawn.rest()] == []


def test_names_that_are_drawn_alike_have_numbers() -> None:
    with canvas.ready():
        one, other, third = runs.distinct(["x" * 40 + "y" * 40, "x" * 41 + "y" * 41, "z"])
    assert one.endswith(" (1)")
    assert other.endswith(" (2)")
    assert third == "z"
    assert len(one) <= runs.WIDEST


@pytest.mark.parametrize(
    ("name", "drawn"),
    [
        ("gpt-4o", "gpt-4o"),
        ("a\nb\tc", "a b c"),
        ("通 x", "□ x"),
        ("e\u0301\u0301\u0301", "é"),
        ("a\u200db", "ab"),
        ("\u202ex", "\\u202ex"),
        ("perché", "perché"),
        ("a\ufffe\ud800", "a��"),
        (" \n", "(no name)"),
    ],
)
def test_a_name_as_it_is_drawn(name: str, drawn: str) -> None:
    with canvas.ready():
        assert runs.drawable(name) == drawn


def test_files_are_written_whole_under_the_figures_name(tmp_path: Path) -> None:
    figure = Figure(
        name="funnel",
        title="t",
        caption="c",
        alt="a",
        light="<svg>è</svg>",
        dark="",
        png=PNG,
        pdf=b"%PDF",
    )
    written = write([figure], tmp_path / "figures")
    assert [each.name for each in written] == ["funnel.svg", "funnel.png", "funnel.pdf"]
    assert [each.read_bytes() for each in written] == ["<svg>è</svg>".encode(), PNG, b"%PDF"]
    assert sorted((tmp_path / "figures").iterdir()) == sorted(written)
    for name in ("cost.svg", "cost.pdf", "mine.svg"):
        (tmp_path / "figures" / name).touch()
    write(
        [figure], tmp_path / "figures"
    )  # what was drawn of other runs goes, what is no figure stays
    there = sorted(each.name for each in (tmp_path / "figures").iterdir())
    assert there == ["funnel.pdf", "funnel.png", "funnel.svg", "mine.svg"]
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be written"):
        write([figure], tmp_path / "file")
