from __future__ import annotations

from pathlib import Path

import pytest

from tools import check_site


def site(folder: Path, head: str, style: str = "") -> str:
    (folder / "index.html").write_text(f"<head>{head}</head>", encoding="utf-8")
    (folder / "a.css").write_text(style, encoding="utf-8")
    return str(folder)


@pytest.mark.parametrize(
    ("head", "style"),
    [
        ('<script src="https://cdn.example/x.js"></script>', ""),
        ('<link rel="stylesheet" href="//fonts.example/css">', ""),
        ("<IMG SRC=http://example.org/a.png>", ""),
        ('<p style="background: url(https://example.org/a.png)">', ""),
        ("", "@import 'https://fonts.example/css';"),
        ("", "a { background: url(//example.org/a.png) }"),
    ],
)
def test_what_comes_from_elsewhere_is_told(
    tmp_path: Path, head: str, style: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_site.main([site(tmp_path, head, style)]) == 1
    assert ": loads " in capsys.readouterr().err


def test_what_is_its_own_and_what_a_reader_follows_pass(tmp_path: Path) -> None:
    own = '<script src="a.js"></script><link rel="icon" href="data:image/png;base64,AA">'
    followed = (
        '<a href="https://example.org">x</a><link rel="canonical" href="https://example.org">'
    )
    assert check_site.main([site(tmp_path, own + followed, "a { b: url(data:x) }")]) == 0


def test_a_folder_without_a_site_is_told(tmp_path: Path) -> None:
    assert check_site.main([str(tmp_path)]) == 2
