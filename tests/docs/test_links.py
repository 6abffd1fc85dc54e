"""Links between the pages, as a code host shows them and as the built site has them."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import apieval
from tests.docs import pages
from tests.docs.pages import DOCS, PAGES, name, take_apart
from tests.records import REPOSITORY


def prose(page: Path) -> str:
    return take_apart(page.read_text(encoding="utf-8"))[1]


def inner_links(page: Path) -> list[tuple[Path, str]]:
    """Return the file and the anchor of each link that stays in the repository."""
    found = [link for link in pages.links(prose(page)) if "://" not in link]
    parts = [link.partition("#") for link in found]
    return [((page.parent / at).resolve() if at else page, anchor) for at, _, anchor in parts]


def check_links(page: Path) -> None:
    for at, anchor in inner_links(page):
        assert at.exists(), f"there is no {at}"
        if page.parent == DOCS:
            assert at.parent == DOCS, f"{at.name} is no page of the site"
        if anchor:
            headings = pages.headings(prose(at))
            ours = [each for each in headings if pages.anchor_on_host(each) == anchor]
            assert len(ours) == 1, f"{at.name} has {len(ours)} headings of the anchor #{anchor}"
            assert pages.anchor_on_site(ours[0]) == anchor, f"the site has another #{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_somewhere(page: Path) -> None:
    check_links(page)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[a](gone.md)", "there is no"),
        ("[a](other.md#not-there)", "0 headings"),
        ("[a](other.md#twice)", "2 headings"),
        ("[a `b`](other.md#one--two)", "the site has another"),
    ],
)
def test_a_link_that_leads_nowhere_is_told(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "other.md").write_text("# Twice\n\n## Twice\n\n## One & two\n", encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError, match=fault):
        check_links(page)


def test_the_site_has_every_page_and_fetches_nothing() -> None:
    site: Any = YAML(typ="safe").load((REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8"))
    assert site["strict"] is True
    assert site["theme"]["font"] is False
    assert not {"repo_url", "edit_uri", "extra_javascript"} & set(site)
    listed = [
        page
        for entry in site["nav"]
        for value in entry.values()
        for page in (
            [value] if isinstance(value, str) else [at for x in value for at in x.values()]
        )
    ]
    assert sorted(listed) == [page.name for page in PAGES if page.parent == DOCS]


def test_the_python_page_has_every_public_name() -> None:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    named = re.findall(r"^::: ([\w.]+)$", text, flags=re.MULTILINE)
    public = [path.rpartition(".")[2] for path in named if ".errors." not in path]
    assert sorted(public) == sorted(set(apieval.__all__) - {"__version__"})
    # where a folder has the name of a function, the site would show the folder's docstring
    assert [path for path in named if find_spec(path.rpartition(".")[0]) is None] == []
    assert [path for path in named if is_module(path)] == []


def is_module(path: str) -> bool:
    try:
        return find_spec(path) is not None
    except ModuleNotFoundError:
        return False
