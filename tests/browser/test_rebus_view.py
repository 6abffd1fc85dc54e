"""The rebus view in a real browser: what is found, how one goes about, what hostile answers do."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Go, Opened
from tests.browser.test_report_page import CONTRAST
from tests.report_runs import LONG, REASONING, ROWS

EVERY: Final = 2 * ROWS
PAGE: Final = 40


def count(page: Page) -> int:
    """Return how many items are found, as the view says, once it is done."""
    expect(page.locator(".rv")).not_to_have_attribute("aria-busy", "true")
    return int(page.inner_text(".rv-count").split()[0].replace(",", ""))


def choose(page: Page, name: str, value: str) -> int:
    page.select_option(f".rv-filters [name={name}]", value)
    return count(page)


def search(page: Page, text: str) -> int:
    page.fill("#rv-q", text)
    return count(page)


def parsed(fragment: str) -> dict[str, str]:
    return {name: each for name, (each,) in parse_qs(fragment).items()}


def address(page: Page) -> dict[str, str]:
    return parsed(page.evaluate("location.hash.slice(1)"))


def entries(page: Page) -> list[str]:
    return page.locator(".rv-entry .rv-about").all_inner_texts()


def shown(page: Page) -> str:
    """Return which item is open."""
    return page.inner_text(".rv-item h3")


def test_every_item_is_in_the_list_a_page_at_a_time(page: Page) -> None:
    assert count(page) == EVERY
    assert len(entries(page)) == PAGE
    assert entries(page)[:3] == [
        "row 0 · regular · id",
        "row 0 · hints · id",
        "row 1 · regular · ood",
    ]
    assert page.get_attribute(".rv-list li", "aria-setsize") == str(EVERY)
    page.click(".rv-after")
    page.click(".rv-after")
    expect(page.locator(".rv-page")).to_have_text("page 3 of 3")
    assert len(entries(page)) == EVERY - 2 * PAGE
    assert page.is_disabled(".rv-after")


# alfa solves the even rows and row 1; beta row 1 and the odd rows that 3 divides, but for 9
FOUND: Final = {
    "setting=hints": 45,
    "subset=new": 30,
    "outcome=truncated": 2,
    "outcome=failed": 2,
    "broke=format": 16,
    "model=beta": 89,
    "solved=all": 2,
    "solved=none": 30,
    "solved=some": 57,
    "solved=only:alfa": 45,
    "solved=only:beta": 12,
    "solved=yes:beta": 14,
    "solved=no:beta": 73,
}


def test_filters_and_the_addresses_of_what_they_find(page: Page) -> None:
    found = {}
    for each in FOUND:
        name, _, value = each.partition("=")
        found[each] = choose(page, name, value)
        assert address(page) == {name: value}
        choose(page, name, "")
    assert found == FOUND
    # together they regard one answer
    choose(page, "outcome", "truncated")
    assert [choose(page, "model", name) for name in ("alfa", "beta")] == [0, 2]
    assert choose(page, "setting", "hints") == 1
    page.click("text=Clear filters")
    assert count(page) == EVERY
    assert address(page) == {}


SEARCHED: Final = {
    "cascia n. 17": 2,
    '"N. 4"': 12,  # in quotes, and in any case: row 4 and 40 to 44
    "#4": 2,
    "verita mostra": 71,  # apart, and without accents
    "anice": 2,
    "javascript:window": 1,
    "penso": 0,  # in a reasoning, which is not searched unasked
}


def test_search(page: Page) -> None:
    assert {text: search(page, text) for text in SEARCHED} == SEARCHED
    assert address(page) == {"q": "penso"}
    page.check(".rv-filters [name=raw]")
    assert count(page) == 2
    assert entries(page)[0] == "row 4 · regular · ood"


@pytest.mark.parametrize(
    ("where", "heading", "found", "listed"),
    [
        ("item=4&in=hints&setting=hints&solved=only%3Aalfa", "row 4 · hints · ood", 22, True),
        pytest.param(
            "item=3&in=hints&setting=regular", "row 3 · hints · id", 45, False, id="other"
        ),
        pytest.param("item=44", "row 44 · regular · new", EVERY, True, id="first of the row"),
    ],
)
def test_an_address_leads_to_an_item(
    go: Go, where: str, heading: str, found: int, listed: bool
) -> None:
    page = go(where)
    assert shown(page) == heading
    assert count(page) == found
    for name, value in address(page).items():
        assert name in {"item", "in"} or page.input_value(f".rv-filters [name={name}]") == value
    current = page.locator(".rv-entry[aria-current]")
    assert current.count() == listed
    if listed:
        link = parsed((current.get_attribute("href") or "")[1:])
        assert link.items() >= address(page).items()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(
    ("where", "said", "found"),
    [
        ("item=%3Cb%3E&model=nobody&broke=nothing", "row <b>", 0),
        ("item=999&in=hints", "row 999, hints", EVERY),
    ],
)
def test_an_address_that_leads_nowhere_says_so(
    opened: Opened, go: Go, where: str, said: str, found: int, width: int
) -> None:
    opened.page.set_viewport_size({"width": width, "height": 800})
    page = go(where)
    told = page.locator(".rv-gone")
    expect(told).to_have_text(f"The address names an item that is not here: {said}.")
    expect(told).to_have_role("status")
    expect(told).to_be_visible()
    expect(page.locator(".rv-item")).to_be_hidden()
    assert count(page) == found
    expect(page.locator(".rv-none")).to_be_visible(visible=bool(found and width > 800))
    choose(page, "setting", "hints")
    expect(told).to_be_empty()
    assert "item" not in address(page)


@pytest.mark.parametrize("width", [390, 1280])
def test_where_nothing_is_found_it_says_so(opened: Opened, go: Go, width: int) -> None:
    opened.page.set_viewport_size({"width": width, "height": 800})
    page = go("q=zzzz&setting=hints")
    expect(page.locator(".rv-nothing")).to_contain_text("Nothing is found.")
    expect(page.locator(".rv-none")).to_be_hidden()
    page.click(".rv-clear")
    expect(page.locator(".rv-nothing")).to_be_hidden()
    assert count(page) == EVERY
    assert page.input_value("#rv-q") == ""
    expect(page.locator("#rv-q")).to_be_focused()


def test_the_steps_stand_side_by_side_with_what_is_right(go: Go) -> None:
    page = go("item=13&in=regular")
    table = page.get_by_role("table", name="Steps")
    expect(table.get_by_role("columnheader")).to_have_text(["Step", "Gold", "alfa", "beta"])
    signs = table.locator("td:last-child .rv-mark .rv-sign").all_inner_texts()
    assert signs == ["✓", "≈", "✗", "✓", "≈", "✗"]
    assert [each.inner_text() for each in table.locator(".rv-gold .rv-value").all()] == [
        "Rita",
        "scosta",
        "VE Rita NA scosta",
        "Verità",
        "nascosta",
        "Verità nascosta",
    ]
    wrong = table.locator("tbody tr").nth(1).locator("td").last.locator(".rv-mark")
    assert wrong.get_attribute("title") == "wrong, of the right length"
    assert wrong.inner_text() != ""


def test_the_tolerant_reading_is_shown_where_it_differs(go: Go) -> None:
    page = go("item=6&in=regular")
    cells = page.locator(".rv-part-solution td")
    expect(cells.nth(1).locator(".rv-tolerant")).to_have_count(0)
    expect(cells.nth(2).locator(".rv-tolerant")).to_contain_text("tolerant: ✓")
    verdicts = page.locator(".rv-verdict").all_inner_texts()
    assert verdicts[0] == "✓ solved · outcome ok"
    assert verdicts[1].endswith("first error at format · solved as the tolerant parser reads it")
    assert "Read through (tolerant)\nbold" in page.locator(".rv-answer").nth(1).inner_text()


def test_solution_words_along_the_key_stand_apart(go: Go) -> None:
    page = go("item=1&in=regular")
    named = page.locator(".rv-part-solution_words th").all_inner_texts()
    assert named == [
        "word 1 (7)",
        "word 2 (8)",
        "beyond the last",
        "tolerant: word 1 (1)",
        "tolerant: word 2 (5)",
        "tolerant: word 3 (8)",
    ]


def test_what_became_of_a_request_and_what_it_took(go: Go) -> None:
    page = go("item=5&in=regular")
    verdict = page.locator(".rv-verdict").nth(1)
    expect(verdict).to_have_text("– no score · outcome failed, which is not the model's doing")
    took, failed = page.locator(".rv-answer").all_inner_texts()
    for part in ("1,700", "96, 40 of reasoning", "1.25 s", "$0.00375", "alfa-2"):
        assert part in took
    for part in ("503: <b>overloaded</b>", "Attempts\n6"):
        assert part in failed
    for row, outcome in {7: "truncated", 9: "refused", 11: "empty"}.items():
        page.evaluate(f"location.hash = 'item={row}&in=hints'")
        expect(verdict).to_have_text(f"✗ not solved · outcome {outcome}")
    page = go("item=2&in=hints")
    assert page.locator(".rv-answer").nth(1).inner_text().endswith("Not requested in this run.")
    assert page.locator(".rv-steps td:last-child .rv-value").first.inner_text() == "not requested"


def test_keys_go_from_one_rebus_to_the_next(page: Page) -> None:
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.closest('li').ariaPosInSet") == "1"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".rv-item h3")).to_be_focused()
    assert shown(page) == "row 0 · hints · id"
    page.keyboard.press("j")
    expect(page.locator(".rv-item h3")).to_have_text("row 1 · regular · ood")
    expect(page.locator(".rv-item h3")).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator(".rv-item h3")).to_have_text("row 0 · hints · id")
    page.keyboard.press("Escape")
    expect(page.locator(".rv-item")).to_be_hidden()
    expect(page.locator(".rv-entry").nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.locator(".rv-entry").nth(0)).to_be_focused()
    page.keyboard.press("k")  # there is none before the first
    expect(page.locator(".rv-entry").nth(0)).to_be_focused()


def test_keys_go_on_from_page_to_page(opened: Opened, report: str) -> None:
    page = opened.open(f"{report}#item=19&in=hints")
    page.keyboard.press("j")
    expect(page.locator(".rv-item h3")).to_have_text("row 20 · regular · new")
    expect(page.locator(".rv-page")).to_have_text("page 2 of 3")
    page.keyboard.press("Escape")
    page.keyboard.press("k")
    expect(page.locator(".rv-entry").last).to_be_focused()
    expect(page.locator(".rv-page")).to_have_text("page 1 of 3")


def test_keys_of_the_search_and_of_the_help(page: Page) -> None:
    page.keyboard.press("/")
    expect(page.locator("#rv-q")).to_be_focused()
    page.keyboard.type("j/k?")
    assert page.input_value("#rv-q") == "j/k?"
    page.keyboard.press("Escape")
    assert page.input_value("#rv-q") == ""
    page.keyboard.press("Escape")
    expect(page.locator("#rv-q")).not_to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.uncheck(".rv-keys-on")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_back_goes_where_one_was(page: Page) -> None:
    choose(page, "setting", "hints")
    page.click(".rv-entry >> nth=2")
    assert shown(page) == "row 2 · hints · new"
    page.keyboard.press("j")  # from one to the next there is no step of the history
    expect(page.locator(".rv-item h3")).to_have_text("row 3 · hints · id")
    page.go_back()
    expect(page.locator(".rv-item")).to_be_hidden()
    assert count(page) == 45
    page.go_back()
    assert count(page) == EVERY
    assert page.input_value(".rv-filters [name=setting]") == ""
    page.go_forward()
    assert count(page) == 45


def test_an_address_of_another_part_of_the_page_changes_nothing(page: Page) -> None:
    choose(page, "setting", "hints")
    page.evaluate("location.hash = '#rebuses'")
    assert page.input_value(".rv-filters [name=setting]") == "hints"
    assert page.inner_text(".rv-count").startswith("45 ")


def test_hostile_answers_are_text(opened: Opened, report: str) -> None:
    page = opened.open(f"{report}#item=13&in=hints")
    text = page.inner_text(".rv-item")
    for part in (
        "<script>window.struck = 1</script>",
        "{{jinja}} {% raw %} ${1}",
        "&lt;b&gt; ]]>",
        "[+2,997 marks]",
    ):
        assert part in text
    assert page.evaluate("window.struck") is None
    assert page.locator(".rv-item :is(script, img, a)").count() == 0
    assert page.locator("pre .rv-unseen").all_inner_texts() == ["RLO", "PDF", "ZWSP", "NUL"]
    assert page.locator(".rv-reading bdi").first.get_attribute("dir") == "ltr"
    said = f"Raw answer, {len(LONG):,} characters, not all of them here"
    expect(page.locator("summary", has_text="Raw answer").first).to_have_text(said)
    left_out = page.inner_text("pre .rv-left-out")
    assert f"{len(LONG) - 20_000:,} of {len(LONG):,} characters left out" in left_out
    assert "responses.jsonl" in left_out
    assert len(page.inner_text("pre >> nth=0")) < 21_000


def test_reasoning_is_folded_until_it_is_wanted(go: Go) -> None:
    page = go("item=13&in=hints")
    reasoning = page.locator(".rv-text").first
    expect(reasoning.locator("summary")).to_contain_text(
        f"Reasoning, {len(REASONING):,} characters"
    )
    expect(reasoning.locator("pre")).to_have_count(0)
    reasoning.locator("summary").click()
    expect(reasoning.locator("pre")).to_be_visible()
    expect(reasoning.locator("pre")).to_contain_text("<b>Rita</b>")


def test_the_policy_of_the_page_lets_no_other_script_run(opened: Opened, report: str) -> None:
    page = opened.open(report)
    policy = page.get_attribute("meta[http-equiv='Content-Security-Policy']", "content") or ""
    assert "default-src 'none'" in policy
    assert not re.search("unsafe|https?:|script-src[^;]*'self'", policy)
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.struck = 6";
          document.body.append(script);
          document.body.insertAdjacentHTML("beforeend", "<img src='data:,' onerror='window.struck = 7'>");
        }"""
    )
    assert page.evaluate("window.struck") is None
    assert len([each for each in opened.said if "Content Security Policy" in each]) >= 1
    opened.said.clear()


def test_nothing_is_wider_than_a_phone(opened: Opened, report: str) -> None:
    page = opened.page
    page.set_viewport_size({"width": 390, "height": 844})
    for where in ("#q=", "#item=13&in=hints", "#item=1&in=regular"):
        opened.go(report + where)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert not page.is_visible(".rv-list")  # the open item has the whole width
    page.click("text=Close")
    assert page.is_visible(".rv-list")


def test_an_open_rebus_has_contrast_in_both_colours(go: Go) -> None:
    page = go("item=13&in=hints")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate(CONTRAST) == []
    page.click("text=Keys")
    assert page.evaluate(CONTRAST) == []
    page.keyboard.press("Escape")


def test_who_hears_the_page_is_told(page: Page) -> None:
    expect(page.get_by_role("search", name="Rebuses")).to_be_visible()
    expect(page.get_by_role("list", name="Rebuses found")).to_be_visible()
    assert page.get_attribute(".rv-count", "role") == "status"
    for name in ("Run", "Setting", "Subset", "Outcome", "First error at", "Solved by"):
        assert page.get_by_label(name, exact=True).count() == 1
    first = page.get_by_role("link", name="row 0 · regular")
    assert "alfa: solved" in (first.text_content() or "")
    first.click()
    expect(page.get_by_role("article")).to_be_visible()
    assert page.get_by_role("article").get_attribute("aria-labelledby") == "rv-item-heading"
