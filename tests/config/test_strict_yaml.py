from __future__ import annotations

from pathlib import Path

import pytest

from apieval.config import strict_yaml
from apieval.errors import ConfigError


def read(folder: Path, text: str | bytes) -> object:
    path = folder / "file.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return strict_yaml.read(path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "a: [no, NO, off, yes, on, Y]", ["no", "NO", "off", "yes", "on", "Y"], id="no"
        ),
        pytest.param("a: [true, False, null, ~]", [True, False, None, None], id="the real ones"),
        pytest.param("a: [1e-1, 1e-3, 1.5, .5]", [0.1, 0.001, 1.5, 0.5], id="exponents"),
        pytest.param("a: [010, 08, 0o10, 0x1F]", [10, 8, 8, 31], id="leading zeros"),
        pytest.param("a: ['007', \"010\"]", ["007", "010"], id="quoted"),
        pytest.param("a: [11:2, 22:30, 1:2:3]", ["11:2", "22:30", "1:2:3"], id="colons"),
        pytest.param("a: [è, 'it''s']", ["è", "it's"], id="text"),
        pytest.param("\ufeffa: [x]\r\n", ["x"], id="BOM and CRLF"),
        pytest.param("a: &x [1]\nb: *x\n", [1], id="anchor"),
        pytest.param('{"a": [1, "no", null, 1e-3]}', [1, "no", None, 0.001], id="JSON"),
        pytest.param(" \n{a: [x, no], }", ["x", "no"], id="YAML in braces"),
        pytest.param('{"a": ["\\u00e8"]}', ["è"], id="JSON escapes"),
    ],
)
def test_values(tmp_path: Path, text: str, expected: list[object]) -> None:
    value = read(tmp_path, text)
    assert isinstance(value, dict)
    assert value["a"] == expected
    assert [type(each) for each in value["a"]] == [type(each) for each in expected]


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, "") is None
    assert read(tmp_path, "# nothing but a remark\n") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("model: a\nmodel: b\n", r'duplicate key "model".* line 2', id="key twice"),
        pytest.param("a:\n  x: 1\n  x: 1\n", r'duplicate key "x".* line 3', id="inner key twice"),
        pytest.param(
            '{"x": 1, "x": 2}', r"the key 'x' appears twice; keep one", id="JSON key twice"
        ),
        pytest.param('{"a": {"x": 1, "x": 1}}', r"the key 'x' appears twice", id="inner JSON key"),
        pytest.param("a: 'x\nb: c\n", r"quoted scalar.* line", id="unclosed quote"),
        pytest.param("a: [x\nb: c: d\n", r"line 2", id="unclosed list"),
        pytest.param("\ta: x\n", r" at line 1, .*; indent with blanks, not tabs\.$", id="tab"),
        pytest.param("a:\n  b: 1\n\tc: 2\n", r"line 3.*blanks, not tabs\.$", id="tab further down"),
        pytest.param("a: *nobody", r"nobody", id="unknown alias"),
        pytest.param("a: !!python/object:os.system x", r"constructor for the tag", id="tag"),
        pytest.param("a: 1\n---\nb: 2\n", r"single document", id="two documents"),
        pytest.param("a: \x00", r"special characters", id="NUL"),
        pytest.param("[" * 1000, r"recursion depth", id="nested without end"),
        pytest.param("a: &x [*x]", r"recursion depth", id="a list in itself"),
        pytest.param("a: " + "9" * 5000, r"not YAML: .*digits", id="a number without end"),
        pytest.param(b"a: \xe0", r"not UTF-8 text \(byte 3\); save it as UTF-8", id="Latin-1"),
    ],
)
def test_faults(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(str(tmp_path / "file.yaml"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("a: {b: 2024-01-01}", r"a\.b: holds a date; put text in quotes", id="date"),
        pytest.param("- 2024-01-01 10:00:00", r": 0: holds a datetime", id="time"),
        pytest.param("a: [x, .nan]", r"a\.1: nan is no number that can be sent", id="NaN"),
        pytest.param("a: -.inf", r"a: -inf is no number", id="infinity"),
        pytest.param("a: 1e999", r"a: inf is no number", id="too large"),
        pytest.param('{"a": NaN}', r"a: nan is no number", id="NaN in JSON"),
        pytest.param("a: !!binary aGVsbG8=", r"a: holds a bytes", id="bytes"),
        pytest.param("a: !!set {x, y}", r"a: holds a set", id="set"),
        pytest.param("a: 0x" + "f" * 5000, r"a: the number is larger", id="no end of digits"),
        pytest.param('"\\ud800"', r": the file: holds half", id="the file itself"),
        pytest.param("a: {2024-01-01: x}", r"a: holds a date", id="date as a key"),
    ],
)
def test_what_no_request_can_carry_is_refused_with_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        read(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "api_key: sk-finta-000111\napi_key: sk-finta-000222\n",
        'api_key: "sk-finta-000111\\")"\napi_key: |\n  sk-finta-000222")\n  x\n',
        '{"api_key": "sk-finta-000111", "api_key": "sk-finta-000222"}',
        "a: {b: sk-finta-000111}\na: {b: sk-finta-000222}\n",
        "api_key: 'sk-finta-000111\n",
        "api_key: [sk-finta-000111\nb: c",
        "api_key: sk-finta-000111: b\n",
        "api_key: sk-finta-000111\n\tb: c\n",
    ],
    ids=["twice", "quotes", "JSON", "sections", "unclosed", "list", "colon", "tab"],
)
def test_no_message_repeats_a_value(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, text)
    assert "finta" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none.yaml: cannot be read: No such file"):
        strict_yaml.read(tmp_path / "none.yaml")
    with pytest.raises(ConfigError, match=r"cannot be read: Is a directory"):
        strict_yaml.read(tmp_path)


def test_aliases_of_aliases_end_soon(tmp_path: Path) -> None:
    levels = [f"x{each}: &x{each} [{', '.join([f'*x{each - 1}'] * 9)}]" for each in range(1, 10)]
    with pytest.raises(ConfigError, match=r"more than 100,000 values"):
        read(tmp_path, "\n".join(["x0: &x0 [1, 2]", *levels]))


def test_a_file_that_never_ends_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"/dev/zero: larger than 1,000,000 bytes"):
        strict_yaml.read(Path("/dev/zero"))
    with pytest.raises(ConfigError, match=r"is it the right file"):
        read(tmp_path, "a" * 1_000_001)
