"""The stand-in for a worker on pages opened from disk, in a real browser: the site's search needs it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.docs.pages import DOCS

CHROMIUM = shutil.which("chromium") or ""
PAGE = """<!doctype html><title>nothing</title><body><script src="iframe-worker.js"></script><script>
const worker = new Worker("worker.js");
worker.addEventListener("message", (event) => { document.title = event.data; });
worker.postMessage("one");
worker.postMessage("two");
</script>"""
WORKER = """let said = [];
addEventListener("message", (event) => { said.push(event.data); postMessage(said.join("+")); });"""


@pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium on this machine")
def test_a_page_from_disk_has_a_worker(tmp_path: Path) -> None:
    shutil.copy(DOCS / "iframe-worker.js", tmp_path)
    (tmp_path / "worker.js").write_text(WORKER, encoding="utf-8")
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--no-first-run"]
        )
        page = browser.new_page()
        page.goto((tmp_path / "page.html").as_uri())
        page.wait_for_function("document.title === 'one+two'", timeout=20_000)
        browser.close()
