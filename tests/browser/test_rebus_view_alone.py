"""The rebus view on a bare page: items such as few runs have, made for it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from apieval.report.page.items import Items, Key, Read, shown
from apieval.report.page.packing import fragment
from tests.browser.conftest import Opened
from tests.records import prediction
from tests.report.page.material import DIGEST, answer, items, key

Show = Callable[[Items, str], Page]


@pytest.fixture
def show(opened: Opened, tmp_path: Path) -> Show:
    """Return what opens a page with some items at an address."""

    def show(found: Items, address: str) -> Page:
        made = fragment(found)
        style = (files("apieval.report.page") / "page.css").read_text("utf-8") + made.style
        page = f"<style>{style}</style>{made.html}{made.blocks}<script>{made.script}</script>"
        path = tmp_path / "report.html"
        path.write_text(f'<!doctype html><html lang="en"><meta charset="utf-8">{page}', "utf-8")
        return opened.open(path.as_uri() + address)

    return show


def test_what_was_given_and_what_nobody_knows_is_no_mistake(show: Show) -> None:
    made = answer()
    counts = {"solution_match": (1, 1), "solution_word_accuracy": (1, 2)}
    made.official = Read(shown(prediction()), {"solution": "2"}, counts)
    page = show(items({"alfa": {key(0): made}}), "#item=0")  # no gold: the data file is not at hand
    titles = page.locator(".rv-steps td:last-child .rv-mark").evaluate_all(
        "all => all.map((each) => each.title)"
    )
    told = "1 of 2 right, which ones is not known"
    assert titles == ["given to the model"] * 3 + [told, told, "right"]
    expect(page.locator(".rv-gold .rv-value").first).to_have_text("not at hand")
    expect(page.locator(".rv-asked")).to_have_text("rebus not at hand")


def test_the_right_letters_are_otherwise_written_where_the_key_is_obeyed(show: Show) -> None:
    told = {
        "alfa": {"near_miss": 0, "key_obeyed": True},
        "beta": {"near_miss": 0, "key_obeyed": False},
        "gamma": {"near_miss": 0},
        "delta": {"near_miss": 1},
    }
    runs = {name: {key(0): answer(solved=False, diagnosis=each)} for name, each in told.items()}
    page = show(items(runs, 1), "#item=0")
    said = page.locator(".rv-facts li:last-child").all_inner_texts()
    assert said == [
        "the right letters, otherwise written (accents, punctuation)",
        "the right letters, otherwise divided or punctuated",
        "the right letters, otherwise divided or written",
        "1 letter off",
    ]


def test_names_and_notices_are_text_too(show: Show) -> None:
    name = "<b>alfa</b>\u202e"
    found = items({name: {key("<i>"): answer()}}, doubts=["</script><script>window.struck = 1"])
    page = show(found, "#item=%3Ci%3E&model=%3Cb%3Ealfa%3C%2Fb%3E%E2%80%AE")
    expect(page.locator(".rv-notices li")).to_have_text("</script><script>window.struck = 1")
    expect(page.locator(".rv-item h4")).to_have_text("<b>alfa</b>RLO")
    expect(page.locator(".rv-item h3")).to_contain_text("row <i>")
    assert page.input_value("#rv-solved") == ""
    assert page.locator(".rv option", has_text="<b>alfa</b>").count() == 3
    assert page.evaluate("window.struck") is None


def test_half_a_pair_and_long_runs_of_nothing_are_shown(show: Show) -> None:
    text = "a\ud83d\0è" + "\u200b" * 19_000
    page = show(items({"alfa": {key(0): answer(text=text)}}, 1), "#item=0")
    assert page.locator("pre .rv-unseen").all_inner_texts() == ["U+D83D", "NUL", "ZWSP ×19,000"]


def test_samples_and_rows_of_two_files_have_addresses_of_their_own(show: Show) -> None:
    other = Key("sha256:1", 0, "regular", 0)
    found = items(
        {"alfa": {key(0): answer(), key(0, 1): answer(), other: answer()}},
        data={DIGEST: "rows.csv", "sha256:1": "others.csv"},
    )
    page = show(found, "#item=0&in=regular&sample=1")
    heading = page.locator(".rv-item h3")
    expect(heading).to_have_text("row 0 · regular · sample 1 · rows.csv")
    page.keyboard.press("j")
    expect(heading).to_have_text("row 0 · regular · sample 0 · others.csv")
    assert page.evaluate("location.hash") == "#item=0&in=regular&data=1"


def test_without_items_it_says_so(show: Show) -> None:
    page = show(items({"alfa": {}}), "")
    expect(page.locator(".rv-count")).to_have_text(
        "No run has a scored answer, so there is no rebus to show."
    )
    for part in ("rv-filters", "rv-panes"):
        expect(page.locator(f".{part}")).to_be_hidden()


def test_data_that_cannot_be_unpacked_is_told(opened: Opened, tmp_path: Path) -> None:
    made = fragment(items({"alfa": {key(0): answer()}}))
    path = tmp_path / "report.html"
    path.write_text(f"<!doctype html>{made.html}<script>{made.script}</script>", "utf-8")
    opened.page.goto(path.as_uri())
    told = opened.page.locator(".rv-begin")
    expect(told).to_have_text("The rebuses cannot be shown: the page has no data block index.")
