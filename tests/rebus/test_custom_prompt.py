from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.errors import ConfigError
from apieval.rebus import custom_prompt, examples, prompts
from apieval.rebus.custom_prompt import CustomPrompt
from apieval.records import SETTINGS
from tests.records import rebus

SOURCE = """\
{% for each in examples %}{{ each.verbalized_rebus }} / {{ each.solution_key }}
{{ each.answer }}
{% endfor %}{{ setting }}{% if hints %}, coi numeri{% endif %}
{{ verbalized_rebus }} / {{ solution_key }}
"""
TWO = examples.shipped()[:2]


def made(tmp_path: Path, source: str | bytes, name: str = "mio.j2") -> CustomPrompt:
    path = tmp_path / name
    path.write_bytes(source.encode() if isinstance(source, str) else source)
    return custom_prompt.load(path, TWO)


def test_a_template_is_filled_with_what_a_solver_may_see(tmp_path: Path) -> None:
    prompt = made(tmp_path, SOURCE)
    row = rebus()
    shown = "\n".join(
        f"{each.verbalized_rebus} / {each.solution_key}\n{examples.write(each)}" for each in TWO
    )
    end = "VE [Santa di Cascia] NA [Sposta da un lato] / 6 8\n"
    assert prompt.build(row, "regular") == f"{shown}\nregular\n{end}"
    hints = prompt.build(row, "hints")
    assert "hints, coi numeri\nVE [Santa di Cascia (4)] NA [Sposta da un lato (6)] / 6 8" in hints
    assert "AC [Un mollusco nell'insalata di mare (5)]" in hints
    assert prompt.length(row, "hints") == len(hints)
    assert prompt.name == "mio"


@given(clue=st.text(st.characters(exclude_categories=["Cs"])) | st.just("{{ 7 * 7 }}{% raw %}<b>"))
def test_what_stands_in_a_clue_is_text(clue: str) -> None:
    prompt = CustomPrompt("mio", "{{ verbalized_rebus }}", ())
    assert prompt.build(rebus(verbalized_rebus=f"A [{clue}]"), "regular") == f"A [{clue}]"


@pytest.mark.parametrize("field", ["solution", "first_pass", "word_guesses", "rebus", "id"])
def test_no_gold_field_is_there_to_be_asked_for(tmp_path: Path, field: str) -> None:
    with pytest.raises(ConfigError, match=rf"--prompt mio: cannot be filled: '{field}' is undef"):
        made(tmp_path, f"{{{{ verbalized_rebus }}}} {{{{ {field} }}}}")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("{{ solution_key }}", "does not show the rebus in the setting regular"),
        ("{% if hints %}{{ verbalized_rebus }}{% endif %}", "in the setting regular"),
        ("", "does not show the rebus"),
        ("{verbalized_rebus} {solution_key}", "does not show the rebus"),
        ("riga\n{% if %}{{ verbalized_rebus }}", r"--prompt mio, line 2: not a template"),
        ("{{ verbalized_rebus", "line 1: not a template"),
        ("{% include 'altro' %}{{ verbalized_rebus }}", "cannot be filled: no loader"),
        ("{{ verbalized_rebus.__class__.__mro__ }}", "cannot be filled: access to attribute"),
        ("{{ ''.join(examples.append(1)) }}", "cannot be filled"),
        ("{{ verbalized_rebus }}{{ 1 / 0 }}", "cannot be filled: division by zero"),
        ("{{ verbalized_rebus + 1 }}", "cannot be filled"),
        ("{{ verbalized_rebus }}{{ examples[9].answer }}", "cannot be filled"),
        ("{% for n in range(10**9) %}{{ n }}{% endfor %}", "cannot be filled: Range too big"),
        (b"\xff\xfe", "not UTF-8 text"),
        (b"x" * 1_000_001, "over 1,000,000 bytes"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_template_that_cannot_be_used_is_refused(
    tmp_path: Path, source: str | bytes, says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        made(tmp_path, source)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no\.j2: cannot be read: No such file"):
        custom_prompt.load(tmp_path / "no.j2", TWO)
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        custom_prompt.load(tmp_path, TWO)


def test_what_moves_the_texts_moves_the_hash_and_the_name_does_not(tmp_path: Path) -> None:
    prompt = made(tmp_path, SOURCE)
    others = [
        made(tmp_path, SOURCE + " "),
        CustomPrompt("mio", SOURCE, TWO[:1]),
        CustomPrompt("mio", SOURCE, ()),
    ]
    hashes = {each.hash(setting) for each in [prompt, *others] for setting in SETTINGS}
    assert len(hashes) == 2 * 4
    assert made(tmp_path, SOURCE, "altro.txt").hash("hints") == prompt.hash("hints")
    assert not prompts.is_official({each: prompt.hash(each) for each in SETTINGS})


def test_it_is_kept_and_made_again(tmp_path: Path) -> None:
    prompt = made(tmp_path, SOURCE)
    again = prompts.restore(json.loads(json.dumps(prompt.as_json())))
    assert again == prompt
    assert again.hash("regular") == prompt.hash("regular")


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf"], ids=["one", "two"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_what_an_editor_puts_before_a_text_is_no_part_of_it(
    tmp_path: Path, mark: bytes, end: str
) -> None:
    source = "Rebus: {{ verbalized_rebus }}\nChiave: {{ solution_key }}\n".replace("\n", end)
    plain, marked = made(tmp_path, source), made(tmp_path, mark + source.encode())
    assert marked == plain
    for setting in SETTINGS:
        assert marked.hash(setting) == plain.hash(setting)
        assert marked.build(rebus(), setting).startswith("Rebus: ")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"])
def test_another_encoding_is_refused_with_the_remedy(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(ConfigError, match="save the file as UTF-8"):
        made(tmp_path, "Perché: {{ verbalized_rebus }}".encode(encoding))
