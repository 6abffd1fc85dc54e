"""A real Chromium for the page, one for all tests of a file; without one they are skipped.

`APIEVAL_CHROMIUM` names another than the system's. With `APIEVAL_BROWSER=required` a browser that
is not there is a failure.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Route, sync_playwright

from apieval import evaluate
from apieval.report.figures import drawing
from tests.report_runs import alfa, beta, write_data, write_run

# read before a test takes them away
_REQUIRED: Final = os.environ.get("APIEVAL_BROWSER") == "required"
_NAMED: Final = os.environ.get("APIEVAL_CHROMIUM")
_KNOWN: Final = ("chromium", "chromium-browser", "google-chrome")
_ARGUMENTS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--disable-dev-shm-usage",
)


def _chromium() -> str | None:
    return _NAMED or next(filter(None, map(shutil.which, _KNOWN)), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Give the browser; its loop is running, so it must end before tests that have a loop of their own."""
    path = _chromium()
    if path is None:
        missing = (
            f"no browser: none of {', '.join(_KNOWN)} is installed; or name one by APIEVAL_CHROMIUM"
        )
        if _REQUIRED:
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of a report of two runs with right, wrong, lacking and hostile answers."""
    folder = tmp_path_factory.mktemp("report")
    data = write_data(folder / "rows.csv")
    runs = [write_run(folder / say.__name__, data, say) for say in (alfa, beta)]
    with pytest.MonkeyPatch.context() as few:  # drawing them all takes longest
        few.setattr(drawing, "FAMILIES", drawing.FAMILIES[:4])
        evaluate.report(runs, folder / "out")
    return (folder / "out" / "report.html").as_uri()


_GO: Final = """to => new Promise((done) => {
  if (location.hash === `#${to}`) done();
  addEventListener("hashchange", () => done(), { once: true }); // after the view has heard of it
  location.hash = to;
})"""


Go = Callable[[str], Page]


class Opened:
    """A page that notes what it must not do: say anything on the console, or ask for anything."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.route("**/*", self._route)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.said.append(message.text)

    def _route(self, route: Route) -> None:
        self.asked.append(route.request.url)
        route.continue_() if route.request.url.startswith("file://") else route.abort()

    def open(self, address: str) -> Page:
        """Load an address anew, and wait until the view shows what it says."""
        self.page.goto("about:blank")  # from one hash to another nothing would be loaded
        self.page.goto(address)
        self.page.wait_for_selector(".rv[data-ready]")
        return self.page

    def go(self, address: str) -> Page:
        """Go to an address of the page that is loaded, as a link in it would; load it if it is not."""
        report, _, fragment = address.partition("#")
        if self.page.url.partition("#")[0] != report:
            return self.open(address)
        self.page.evaluate(_GO, fragment)
        self.page.wait_for_selector(".rv:not([aria-busy])")
        return self.page


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Opened]:
    """Give the one page that all tests load the report into: another takes longer to open."""
    context = browser.new_context()
    context.set_default_timeout(20_000)
    yield Opened(context.new_page())
    context.close()


@pytest.fixture
def opened(tab: Opened) -> Iterator[Opened]:
    """Give the page, and make sure that nothing was said on its console and nothing asked for."""
    tab.page.set_viewport_size({"width": 1280, "height": 900})
    tab.said.clear()
    tab.asked.clear()
    yield tab
    assert tab.said == []
    assert {Path(url.partition("#")[0]).name for url in tab.asked} <= {"report.html"}


@pytest.fixture
def page(opened: Opened, report: str) -> Page:
    """Return the report, opened with nothing chosen."""
    return opened.open(report)


@pytest.fixture
def go(opened: Opened, report: str) -> Go:
    """Return what goes to an item or to what is chosen, as a link in the report would."""
    return lambda where: opened.go(f"{report}#{where}")
