"""The page as a whole in a real browser: by keyboard, on a phone, in both colours, on paper."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opened

CONTRAST: Final = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgba = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = rgba(getComputedStyle(each).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const faint = new Set();
  for (const each of document.querySelectorAll("body *")) {
    const own = [...each.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !each.checkVisibility() || each.closest("script, style, svg")) continue;
    const pair = [light(rgba(getComputedStyle(each).color)), light(behind(each))].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < 4.5) faint.add(`${each.tagName}.${each.className}: ${ratio.toFixed(2)}`);
  }
  return [...faint];
}"""
"""Returns the elements whose text is fainter than WCAG's level AA allows."""


def unfold(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast_in_both_colours(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    unfold(page)
    assert page.evaluate(CONTRAST) == []


def test_colours_are_changed_by_keyboard(page: Page) -> None:
    page.emulate_media(color_scheme="light")
    button = page.locator("#theme")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    button.focus()
    page.keyboard.press("Enter")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    expect(button).to_have_attribute("aria-label", "Use light colours")
    expect(page.locator("figure img.light").first).to_be_hidden()
    expect(page.locator("figure img.dark").first).to_be_visible()
    page.keyboard.press("Space")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == before


def test_the_first_key_leads_past_the_contents(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_a_link_unfolds_what_it_leads_to(opened: Opened, report: str) -> None:
    page = opened.open(f"{report}#run-1-why")
    expect(page.locator("#run-1-why")).to_have_attribute("open", "")
    expect(page.locator("#run-2-why")).not_to_have_attribute("open", "")
    page.evaluate("location.hash = '#signatures'")
    expect(page.locator("#signatures")).to_have_attribute("open", "")


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_is_wider_than_the_screen_but_in_its_own_box(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    unfold(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


STAYS: Final = """box => {
  const before = box.scrollLeft;
  const head = box.querySelector("thead tr:last-child > :first-child");
  const first = box.querySelector("tbody th[scope=row]");
  box.scrollLeft = 80;
  const left = box.getBoundingClientRect().left;
  const found = [box.scrollLeft > before, ...[head, first].map((each) => each.getBoundingClientRect().left - left)];
  box.scrollLeft = before;
  return found;
}"""
"""Scrolls a box; returns whether it did, and where the first column's header and cells then are."""

BROKEN: Final = r"""() => {
  const broken = [];
  for (const cell of document.querySelectorAll(".scroll :is(th, td)")) {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const { index, 0: word } of node.data.matchAll(/[\p{L}\d]+/gu)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (word.length < 16 && new Set([...range.getClientRects()].map((r) => r.top)).size > 1) broken.push(word);
      }
    }
  }
  return broken;
}"""
"""Returns the words of tables that go from one line to the next."""


BACKGROUND: Final = """name => {
  const box = Object.assign(document.createElement("div"), { className: name.slice(1) });
  document.querySelector(".rv").append(box);
  const found = getComputedStyle(box).backgroundAttachment;
  box.remove();
  return found;
}"""
"""Returns how the background of a box of some class is attached, layer by layer."""


def test_wide_tables_show_that_they_scroll_and_keep_their_first_column(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    unfold(page)
    boxes = page.locator(".scroll")
    found = [boxes.nth(at).evaluate(STAYS) for at in range(boxes.count())]
    wide = [each[1:] for each in found if each[0]]
    assert len(wide) > 3
    assert wide == [[0, 0]] * len(wide)
    for box in (".scroll", ".picture", ".rv-scroll"):
        assert "local" in page.evaluate(BACKGROUND, box)


@pytest.mark.parametrize("width", [390, 1280])
def test_no_word_of_a_table_breaks_that_is_no_longer_than_its_column(
    page: Page, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    unfold(page)
    assert page.evaluate(BROKEN) == []


def test_on_paper_everything_is_unfolded_and_folded_again_after(page: Page) -> None:
    folds = page.locator("details.fold:not([open])")
    before = folds.count()
    assert before
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert folds.count() == 0
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert folds.count() == before
    assert page.pdf().startswith(b"%PDF")


def test_figures_are_shown_though_the_page_allows_nothing_from_elsewhere(page: Page) -> None:
    widths = page.evaluate(
        "Promise.all([...document.querySelectorAll('figure img.light')]"
        ".map((each) => each.decode().then(() => each.naturalWidth)))"
    )
    assert len(widths) > 3
    assert min(widths) > 100
