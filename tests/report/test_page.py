"""`report.html`: what stands in it, whom it trusts, and whether everybody can read it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest

import apieval
from apieval.report import contents, markdown
from apieval.report.figures import style
from apieval.report.figures.drawing import Figure
from apieval.report.page import writing
from apieval.report.page.packing import Fragment
from tests.records import Json
from tests.report.documents import altered, scored
from tests.report.pages import Element, parsed
from tests.report_runs import gathered

HOSTILE = (
    "<script>alert(1)</script>{{ 7*7 }}{% raw %}\u202egnirts\x07 \" onload='x' javascript:x &amp;"
)


def page(*folders: Path) -> str:
    return writing.written(contents.outlined(gathered(folders)))


@pytest.fixture(scope="module")
def one(folders: dict[str, Path]) -> Element:
    return parsed(page(folders["half"]))


@pytest.fixture(scope="module")
def three(folders: dict[str, Path]) -> Element:
    return parsed(page(folders["half"], folders["more"], folders["none"]))


class TestOne:
    def test_what_was_measured_stands_at_the_top(self, one: Element) -> None:
        [top] = one.all("header")
        assert top.all("h1")[0].text == "half"
        for said in (
            "36 rebuses of rebuses.csv",
            "regular and hints",
            "prompt: not known",
            "apieval 0.",
        ):
            assert said in top.text

    def test_the_six_metrics_by_setting_and_parser(
        self, one: Element, folders: dict[str, Path]
    ) -> None:
        rows = {row[0]: row[1:] for row in one.table("half: the six metrics, micro")}
        assert list(rows) == [
            "Word guesses",
            "Word guess lengths",
            "First pass",
            "Solution words",
            "Solution word lengths",
            "Solution match",
        ]
        figures = json.loads((folders["half"] / "summary.json").read_text("utf-8"))["figures"]
        for at, (setting, parser) in enumerate(
            (s, p) for s in ("regular", "hints") for p in ("official", "tolerant")
        ):
            found = figures[setting]["all"][parser]["solution_match"]["micro"]
            said = f"{found['value']:.3f} {found['low']:.3f}\u2013{found['high']:.3f}"
            assert rows["Solution match"][at] == said
        assert rows["Solution match"][4:] == ["+33.3 +16.1 to +48.1", "36"]
        lengths = figures["regular"]["all"]["official"]["word_guess_length_accuracy"]["micro"]
        assert rows["Word guess lengths"][0].startswith(f"{lengths['value']:.3f} ")

    def test_macro_and_the_lenient_reading_are_folded(self, one: Element) -> None:
        fold = one.one("macro")
        assert fold.tag == "details"
        assert "open" not in fold.attributes
        assert len(fold.table("half: the six metrics, macro")[0]) == 1 + 6 + 1

    def test_sentences_say_what_stands_out(self, one: Element) -> None:
        said = one.one("short").text
        assert "It solves 16.7 % of 36 rebuses without hints (7.9 to 31.9)" in said
        assert "Hints raise" in said

    def test_published_figures_are_labelled_and_have_no_rank(self, one: Element) -> None:
        said = one.one("published").text
        assert "another prompt, another test set" in said
        assert "not ranked" in said
        assert ["Claude-3.5 Sonnet, 5-shot", "0.66", "0.28", "0.24"] in one.table(
            "Figures of the study"
        )

    def test_signatures_are_there_in_full(self, one: Element, folders: dict[str, Path]) -> None:
        summary = json.loads((folders["half"] / "summary.json").read_text("utf-8"))
        said = one.one("signatures").text
        for named in summary["signatures"].values():
            for text in named.values():
                assert text in said

    def test_without_doubts_there_is_no_warning(self, one: Element) -> None:
        assert "Warnings" not in one.text


class TestSeveral:
    def test_the_leaderboard_has_ranks_and_reference_rows(self, three: Element) -> None:
        rows = three.table("regular: without length hints, micro")
        assert [row[:2] for row in rows[:3]] == [["more", "1"], ["half", "2-3"], ["none", "2-3"]]
        assert rows[3][0].startswith("Published, for orientation only")
        assert rows[4][:3] == ["LLaMA-3 70B, 5-shot", "-", "0.00"]
        assert len(rows) == 11
        assert len(three.table("hints: every clue ends with the length of its word, micro")) == 3

    def test_the_best_stands_out_only_where_it_is_shown(self, three: Element) -> None:
        bold = [each.text for each in three.one("leaderboard").all("b")]
        assert "0.833" in bold
        assert "0.167" not in bold

    def test_the_matrix_has_every_pair_both_ways(self, three: Element) -> None:
        rows = three.one("comparison").table("regular: without length hints")
        assert [row[0] for row in rows] == ["half", "more", "none"]
        assert rows[0][2].startswith("-66.7 ")
        assert rows[1][1].startswith("+66.7 ")
        assert [rows[at][at + 1] for at in range(3)] == ["-"] * 3
        assert "p < 0.0001" in rows[0][2]

    def test_each_run_has_its_section(self, three: Element) -> None:
        assert [three.one(f"run-{at}").all("h2")[0].text for at in (1, 2, 3)] == [
            "half",
            "more",
            "none",
        ]
        said = three.one("short").text
        assert "'more' solves more than 'half' and 'none'" in said

    def test_every_pair_is_compared_in_full(self, three: Element) -> None:
        tables = three.one("comparison-all").all("table")
        assert len(tables) == 6


class TestDoubts:
    def test_a_partial_run_says_so_first_and_has_bounds(self, folders: dict[str, Path]) -> None:
        found = parsed(page(folders["part"]))
        [main] = found.all("main")
        first = next(each for each in main.children if isinstance(each, Element))
        assert first.all("h2")[0].text == "Warnings"
        assert "PARTIAL: 4 requests failed, 0 not requested" in first.text
        [row] = [r for r in found.table("part: the six metrics, micro") if r[0] == "Solution match"]
        assert row[1] == "0.139 to 0.194 (bounds) 0.147 of answered"
        told = found.one("results").text
        assert "over 36 rebuses, with bounds, since answers are missing" in told
        assert "the six metrics, micro, over 36 rebuses, with 95 % intervals" not in told
        assert "Bounds: what the figure is with every missing answer wrong, and right" in told
        assert "at least 13.9 % and at most 19.4 %" in found.one("short").text

    def test_a_run_begun_with_right_steps_is_held_against_no_other(
        self, folders: dict[str, Path], tmp_path: Path
    ) -> None:
        begun = altered(folders["half"], tmp_path / "x", lambda s: s.update(given="definitions"))
        found = parsed(page(begun, folders["more"], folders["none"]))
        assert "half : The correct definitions were given" in found.all("section")[0].text
        assert "cannot be compared" not in found.text
        board = next(each for each in found.all("table") if "rank" in each.text)
        assert "With given steps" in board.text
        matrix = found.one("comparison").all("table")[0]
        assert "half" not in matrix.text

    def test_findings_and_what_speaks_against_a_comparison(
        self, folders: dict[str, Path], tmp_path: Path
    ) -> None:
        def change(summary: Json) -> None:
            summary["findings"] = [
                {"kind": "note", "level": "note", "text": "a note"},
                {"kind": "prompts_cut", "level": "warning", "text": "prompts are cut"},
            ]
            audited = {"kind": "failures", "level": "warning", "text": "audited"}
            summary["audit"] = {"findings": [audited]}
            summary["data"]["digest"] = "sha256:f"
            summary["prompt"] = {"name": "mine", "official": False}

        found = parsed(page(altered(folders["half"], tmp_path / "x", change), folders["part"]))
        warnings, notes = (found.all("section")[at].text for at in (0, 1))
        assert "half : prompts are cut" in warnings
        assert "half : audited" in warnings
        assert "The prompt is mine, not the challenge's own" in warnings
        assert "cannot be compared: the data differ" in warnings
        assert "a note" in notes
        assert "so none has a rank" in found.one("leaderboard").text
        assert "comparison" not in [each.attributes.get("id") for each in found]

    def test_a_comparisons_warnings_stand_with_them(self, folders: dict[str, Path]) -> None:
        found = parsed(page(folders["half"], folders["part"]))
        assert "comparison : the failed requests differ in regular" in found.all("section")[0].text


class TestTrust:
    def test_nothing_is_fetched_and_nothing_runs_but_what_is_hashed(self, one: Element) -> None:
        [policy] = [
            each.attributes["content"]
            for each in one.all("meta")
            if each.attributes.get("http-equiv") == "Content-Security-Policy"
        ]
        assert policy is not None
        rules = dict(each.split(" ", 1) for each in policy.split("; "))
        assert rules["default-src"] == "'none'"
        assert rules["img-src"] == "data:"
        assert "unsafe" not in policy
        for tag, rule in (("script", "script-src"), ("style", "style-src")):
            [element] = one.all(tag)
            [text] = element.children
            digest = base64.b64encode(hashlib.sha256(str(text).encode()).digest()).decode()
            assert rules[rule] == f"'sha256-{digest}'"

    def test_no_element_runs_or_styles_by_itself_or_leads_away(self, three: Element) -> None:
        for each in three:
            names = set(each.attributes)
            assert not [name for name in names if name.startswith("on") or name == "style"]
            for name in names & {"src", "href", "action", "data", "poster", "srcset"}:
                assert (each.attributes[name] or "").startswith(("#", "data:image/"))
            assert each.tag not in {"iframe", "object", "embed", "form", "link", "base"}

    def test_hostile_text_is_shown_as_text(self, folders: dict[str, Path], tmp_path: Path) -> None:
        def change(summary: Json) -> None:
            summary["model"] = HOSTILE
            summary["data"]["name"] = HOSTILE
            summary["data"]["licence"] = HOSTILE
            summary["findings"] = [{"kind": "x", "level": "warning", "text": HOSTILE}]
            summary["served"] = {"served_model": {HOSTILE: 1}}
            for part in ("figures", "format_loss", "diagnosis"):
                for named in summary[part].values():
                    named[HOSTILE] = named.pop("ood")

        bad = altered(folders["half"], tmp_path / "bad", change)
        for folders_of in ([bad], [bad, folders["more"]]):
            text = page(*folders_of)
            assert "\u202e" not in text
            assert "\x07" not in text
            assert "49" not in re.findall(r"x27.{20}", text)
            found = parsed(text)
            assert len(found.all("script")) == 1
            seen = HOSTILE.replace("\u202e", "\\u202e").replace("\x07", "\\x07")
            assert seen in found.text
            assert not [each for each in found if "onload" in each.attributes]

    def test_marks_piled_up_cover_nothing(self, folders: dict[str, Path], tmp_path: Path) -> None:
        name = "e" + "\u0301" * 3_004
        bad = altered(folders["half"], tmp_path / "z", lambda s: s.update(model=name))
        assert "\u0301[+3,000 marks]" in page(bad)
        assert name not in page(bad)
        assert "\u0301\\[+3,000 marks\\]" in "".join(
            markdown.lines(contents.outlined(gathered([bad])))
        )

    def test_halves_of_characters_can_be_written(
        self, folders: dict[str, Path], tmp_path: Path
    ) -> None:
        bad = altered(folders["half"], tmp_path / "b", lambda s: s.update(model="a\ud800b"))
        assert "a\\ud800b" in page(bad).encode("utf-8").decode()


class TestReadable:
    def test_headings_are_in_order_and_ids_are_unique(self, three: Element) -> None:
        levels = [int(each.tag[1]) for each in three.all("h1", "h2", "h3", "h4")]
        assert levels.count(1) == 1
        assert levels[0] == 1
        assert all(b - a <= 1 for a, b in pairwise(levels))
        ids = [each.attributes["id"] for each in three if "id" in each.attributes]
        assert len(ids) == len(set(ids))

    def test_links_lead_somewhere(self, three: Element) -> None:
        ids = {each.attributes.get("id") for each in three}
        links = [each.attributes["href"] for each in three.all("a")]
        assert links[0] == "#main"  # the skip link comes first
        assert {(link or "")[1:] for link in links} <= ids

    def test_landmarks_and_language(self, three: Element) -> None:
        for tag in ("header", "nav", "main", "footer", "title"):
            assert len(three.all(tag)) == 1
        assert three.all("html")[0].attributes["lang"] == "en"
        labelled = [each.attributes.get("aria-labelledby") for each in three.all("section")]
        assert all(label and three.one(label) for label in labelled)

    def test_every_table_has_a_caption_headers_and_a_box_to_scroll_in(self, three: Element) -> None:
        tables = three.all("table")
        assert len(tables) > 20
        for table in tables:
            assert table.all("caption")[0].text
            for head in table.all("th"):
                assert head.attributes["scope"] in {"col", "row", "colgroup", "rowgroup"}
            widths = {
                sum(int(c.attributes.get("colspan") or 1) for c in row.all("th", "td"))
                for row in table.all("tr")
            }
            assert len(widths) == 1
        boxes = [each for each in three if each.attributes.get("class") == "scroll"]
        assert len(boxes) == len(tables)
        assert all(each.attributes["tabindex"] == "0" for each in boxes)

    def test_nothing_is_not_a_number(self, three: Element) -> None:
        for each in three.all("td", "dd", "p"):
            assert not re.search(r"\b(nan|inf|None|null|undefined)\b", each.text)


DRAWN = Figure(
    name="funnel",
    title='A <b>"figure"</b>',
    alt="what is <seen>",
    caption="a caption",
    light="<svg><text>light</text></svg>",
    dark="<svg><text>dark</text></svg>",
    png=b"",
    pdf=b"",
)
VIEW = Fragment(
    html='<div id="view">a view</div>',
    blocks='<script type="application/json" id="data">{}</script>',
    script="1 + 1;",
    style="#view { color: red; }",
    notices=(),
)


class TestEmbedded:
    def test_figures_are_pictures_for_light_and_dark(self, folders: dict[str, Path]) -> None:
        outline = contents.outlined(gathered([folders["half"]]))
        found = parsed(writing.written(outline, [DRAWN]))
        [figure] = found.all("figure")
        for image, svg in zip(figure.all("img"), (DRAWN.light, DRAWN.dark), strict=True):
            source = (image.attributes["src"] or "").partition("base64,")[2]
            assert base64.b64decode(source).decode() == svg
            assert image.attributes["alt"] == DRAWN.alt
        assert DRAWN.title in figure.text
        assert "#figures" in [each.attributes["href"] for each in found.all("a")]

    def test_a_view_brings_its_script_and_style(self, folders: dict[str, Path]) -> None:
        outline = contents.outlined(gathered([folders["half"]]))
        text = writing.written(outline, items=VIEW)
        found = parsed(text)
        assert found.one("view").text == "a view"
        assert [str(each.children[0]) for each in found.all("style")][1] == VIEW.style
        assert [str(each.children[0]) for each in found.all("script")][-1] == VIEW.script
        for each in (VIEW.script, VIEW.style):
            digest = base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()
            assert f"sha256-{digest}" in text.replace("&#43;", "+")

    def test_without_them_there_is_no_empty_place(self, one: Element) -> None:
        ids = [each.attributes.get("id") for each in one]
        assert "figures" not in ids
        assert "rebuses" not in ids


def test_the_same_runs_give_the_same_page(folders: dict[str, Path]) -> None:
    assert page(folders["half"], folders["more"]) == page(folders["half"], folders["more"])


def test_a_run_without_hints_or_subsets(tmp_path: Path) -> None:
    raw = tmp_path / "plain.jsonl"
    raw.write_text(json.dumps({"id": "0", "setting": "regular", "text": "x"}) + "\n", "utf-8")
    apieval.score(raw, "sample", setting="regular", subsets=["id"], limit=1, out=tmp_path / "s")
    found = parsed(page(tmp_path / "s"))
    assert "hints minus regular" not in found.text
    assert len(found.table("plain: the six metrics, micro")) == 6


def test_the_page_has_the_paper_of_its_figures() -> None:
    sheet = (files("apieval.report.page") / "page.css").read_text("utf-8")
    papers = re.findall(r"--paper: light-dark\((#\w+), (#\w+)\);", sheet)
    assert papers == [(style.LIGHT[style.PAPER], style.DARK[style.PAPER])]


@pytest.fixture(scope="module")
def of_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sample")
    folders = [
        scored(root, name, {"regular": many}, data="sample")
        for name, many in (("one", 5), ("two", 30))
    ]
    apieval.report(folders, root / "both")
    apieval.report(folders[:1], root / "alone")
    return root


class TestThePackagesSample:
    """A model's figures on the sample are called so, and no published figure stands beside them."""

    WHAT = "Measured on the package's sample, not on the challenge's test set"

    @pytest.mark.parametrize("which", ["both", "alone"])
    def test_it_is_said_in_every_form(self, of_sample: Path, which: str) -> None:
        for name in ("report.html", "report.md"):
            text = (of_sample / which / name).read_text("utf-8").replace("&#39;", "'")
            assert text.count(self.WHAT) == 1
            assert "36 rebuses of the package's sample" in text
            assert "Published" not in text
            assert "Claude-3.5 Sonnet" not in text
        table = (of_sample / which / "table.tex").read_text("utf-8")
        assert "36 rebuses of the package's sample" in table
        assert "The package's sample is not the challenge's test set" in table
        assert "Claude-3.5 Sonnet" not in table

    def test_a_dictionary_of_its_own_is_not_warned_of(
        self, of_sample: Path, tmp_path: Path
    ) -> None:
        def change(summary: Json) -> None:
            summary["coverage"] = {
                "rebuses": 36,
                "complete": 0,
                "clues": 2,
                "known": 1,
                "found": 1,
            }

        folder = altered(of_sample / "scores" / "one", tmp_path / "d", change)
        apieval.report([folder], tmp_path / "r")
        text = (tmp_path / "r" / "report.md").read_text("utf-8")
        assert self.WHAT not in text
        assert "36 rebuses of the package's sample" in text
