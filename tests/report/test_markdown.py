from __future__ import annotations

from pathlib import Path

import pytest

from apieval.report import contents, markdown
from tests.report.documents import altered
from tests.report_runs import gathered


def text(*folders: Path) -> str:
    return "\n".join(markdown.lines(contents.outlined(gathered(folders))))


def test_it_says_what_the_page_says(folders: dict[str, Path]) -> None:
    found = text(folders["half"], folders["more"], folders["none"])
    assert found.startswith("# 3 runs side by side\n\n36 rebuses of rebuses.csv; regular and hints")
    for section in ("Key findings", "Leaderboard", "Pairwise comparison", "Setup", "half"):
        assert f"\n## {section}\n" in found
    assert "| more | 1 | **0.833 (0.681–0.921)** |" in found
    assert "| *Published, for orientation only" in found
    assert "<details><summary>All metrics, pair by pair</summary>" in found
    assert found.count("<details>") == found.count("</details>")


def test_every_row_of_a_table_has_as_many_cells(folders: dict[str, Path]) -> None:
    tables = text(folders["half"], folders["more"]).split("\n\n")
    rows = [each.splitlines() for each in tables if each.startswith("| ")]
    assert len(rows) > 10
    for table in rows:
        assert len({line.replace("\\|", "").count("|") for line in table}) == 1


def test_doubts_come_first(folders: dict[str, Path]) -> None:
    found = text(folders["part"])
    assert found.index("**Warnings**") < found.index("## Key findings")
    assert "- PARTIAL: 4 requests failed" in found


def test_of_names_nothing_is_markup(folders: dict[str, Path], tmp_path: Path) -> None:
    name = "a|b *c* `d` _e_ [f](g) <h> & ~~i~~ $j$\n# k"
    found = text(altered(folders["half"], tmp_path / "x", lambda s: s.update(model=name)))
    seen = r"a\|b \*c\* \`d\` \_e\_ \[f\](g) &lt;h&gt; &amp; \~\~i\~\~ \$j\$ # k"
    assert found.startswith(f"# {seen}\n")


def test_pictures_stand_where_there_are_any(folders: dict[str, Path]) -> None:
    outline = contents.outlined(gathered([folders["half"]]))
    assert "## Figures" not in "\n".join(markdown.lines(outline))
    found = "\n".join(markdown.lines(outline, [("The *funnel*", "figures/funnel.svg")]))
    assert "## Figures\n\n![The \\*funnel\\*](figures/funnel.svg)\n" in found


@pytest.mark.parametrize("mark", ["\u202e", "\x1b", "\ud800"])
def test_what_is_not_seen_is_made_visible(mark: str) -> None:
    assert markdown.escaped(mark) == "\\" + mark.encode("unicode_escape").decode()
