from __future__ import annotations

from dataclasses import replace

import pytest

from apieval.analysis import pairing
from apieval.analysis.pairing import Scored
from apieval.records import Setting
from tests.analysis.scores import SIGNATURE, run


def signed(name: str, setting: Setting = "hints", digest: str = "sha256:0", **parts: str) -> Scored:
    signatures = {setting: {**SIGNATURE, **parts}}
    return run(name, {0: [4]}, setting=setting, signatures=signatures, digest=digest)


class TestObjections:
    def test_equal_set_ups_have_none(self) -> None:
        assert list(pairing.found([signed("a"), signed("b")])) == []

    @pytest.mark.parametrize(
        ("part", "kind", "level"),
        [
            ("parser", "parsers_differ", "refusal"),
            ("prompt", "prompts_differ", "warning"),
            ("sampling", "sampling_differs", "warning"),
            ("dropped", "dropped_differ", "warning"),
            ("subset", "selections_differ", "warning"),
            ("limit", "selections_differ", "warning"),
            ("n", "selections_differ", "warning"),
            ("samples", "samples_differ", "warning"),
            ("apieval", "versions_differ", "note"),
        ],
    )
    def test_a_part_that_differs_is_named(self, part: str, kind: str, level: str) -> None:
        [found] = pairing.found([signed("a"), signed("b", "hints", "sha256:0", **{part: "other"})])
        assert (found.kind, found.level) == (kind, level)
        assert found.text.endswith(
            f"in hints: 'a' has {SIGNATURE.get(part, 'none')}; 'b' has other"
        )

    def test_other_data_are_refused(self) -> None:
        [found] = pairing.found([signed("a"), signed("b", digest="sha256:1")])
        assert (found.kind, found.level) == ("data_differ", "refusal")
        assert found.text == "the data differ: 'a' has sha256:0; 'b' has sha256:1"

    def test_the_same_data_may_have_another_name(self) -> None:
        [found] = pairing.found([signed("a"), signed("b", data="e.csv@0")])
        assert (found.kind, found.level) == ("data_names_differ", "note")
        assert found.text.endswith("'a' has d.csv; 'b' has e.csv")

    def test_what_differs_alike_in_every_setting_is_said_once(self) -> None:
        def both(name: str, regular: str, hints: str) -> Scored:
            parts: dict[Setting, str] = {"regular": regular, "hints": hints}
            signatures: dict[Setting, dict[str, str]] = {
                each: {**SIGNATURE, "prompt": said} for each, said in parts.items()
            }
            return replace(signed(name), signatures=signatures)

        [found] = pairing.found([both("a", "x", "x"), both("b", "y", "y")])
        assert found.text == "the prompts differ: 'a' has x; 'b' has y"
        apart = [each.text for each in pairing.found([both("a", "x", "x"), both("b", "y", "z")])]
        assert apart == [
            "the prompts differ in regular: 'a' has x; 'b' has y",
            "the prompts differ in hints: 'a' has x; 'b' has z",
        ]

    def test_settings_that_one_has_alone_differ_in_nothing(self) -> None:
        assert list(pairing.found([signed("a"), signed("b", "regular", prompt="q")])) == []
