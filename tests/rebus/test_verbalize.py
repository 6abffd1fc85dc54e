from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.rebus import rules
from apieval.rebus.clue_table import Clues
from apieval.rebus.printed import Printed
from apieval.rebus.rules import RULES
from apieval.rebus.training import Training
from apieval.rebus.verbalize import Verbalizer, Wish
from apieval.records import Rebus

PAIRS = [
    ("Santa di Cascia", "RITA"),
    ("La Hayworth", "rita"),
    ("La Pavone", "Rita"),
    ("Sposta da un lato", "scosta"),
    ("Insetto", "ape"),
    ("Vola", "ape"),
    ("Vola", "ala"),
    ("La rosa", "rosa"),
    ("Il portale", "porta"),
    ("Era tale e quale", "era"),
]
PLAIN = Wish()
RITA = ("VE Rita NA scosta", "Verità nascosta")


def verbalizer(folder: Path, wish: Wish = PLAIN, training: Training | None = None) -> Verbalizer:
    path = folder / "clues.csv"
    path.write_text("\n".join(["Clue,Answer", *map(",".join, PAIRS), ""]), "utf-8")
    clues = Clues()
    clues.read(path)
    return Verbalizer(clues, wish, training)


def printed(*rows: tuple[str, str] | tuple[str, str, int | None]) -> list[Printed]:
    return [
        Printed(line, row[0], row[1], row[2] if len(row) > 2 else None)
        for line, row in enumerate(rows, start=2)
    ]


def dropped(maker: Verbalizer) -> dict[str, int]:
    return {name: why["rows"] for name, why in maker.dropped.as_json().items() if why["rows"]}


def errors(rebus: Rebus) -> list[str]:
    return [name for name, _ in rules.breaks(rebus) if RULES[name].level == "error"]


def test_both_settings_and_all_columns(tmp_path: Path) -> None:
    maker = verbalizer(tmp_path)
    (rebus,) = maker.verbalize(printed(RITA))
    clue = rules.clues_of(rebus.verbalized_rebus)[0]
    assert clue[1:-1] in {"Santa di Cascia", "La Hayworth", "La Pavone"}
    assert rebus == Rebus(
        id="r8b6167f8ad54601c",
        subset=None,
        verbalized_rebus=f"VE {clue} NA [Sposta da un lato]",
        verbalized_rebus_with_length_hints=f"VE {clue[:-1]} (4)] NA [Sposta da un lato (6)]",
        solution_key="6 8",
        word_guesses=("Rita", "scosta"),
        first_pass="VE Rita NA scosta",
        solution_words=("Verità", "nascosta"),
        solution="Verità nascosta",
    )
    assert errors(rebus) == []
    assert maker.dropped.rows == 0


def test_punctuation_stands_in_the_key_and_in_no_word(tmp_path: Path) -> None:
    (rebus,) = verbalizer(tmp_path).verbalize(printed(("L ape S ala", "L'ape, sala")))
    assert (rebus.solution_key, rebus.solution_words) == ("1 ' 3 , 4", ("L", "ape", "sala"))
    assert errors(rebus) == []


@pytest.mark.parametrize(
    ("first_pass", "solution", "reason"),
    [
        pytest.param("VE Rita", "Verità", "few_words", id="one word"),
        pytest.param("ape ala", "apeali", "letters", id="letters"),
        pytest.param("ape tasso", "apetasso", "no_clue", id="no clue"),
        pytest.param("ape rosa", "aperosa", "leaks", id="leak"),
        pytest.param("İ ape ala", "İape, ala", "rules", id="a letter whose lower case is two"),
    ],
)
def test_what_is_dropped(tmp_path: Path, first_pass: str, solution: str, reason: str) -> None:
    maker = verbalizer(tmp_path)
    made = list(maker.verbalize(printed((first_pass, solution), RITA)))
    assert [rebus.solution for rebus in made] == ["Verità nascosta"]
    assert dropped(maker) == {reason: 1}
    assert maker.dropped.as_json()[reason]["first"][0]["line"] == 2


def test_a_word_by_itself_in_its_clue_is_a_leak_only_if_it_is_no_function_word(
    tmp_path: Path,
) -> None:
    maker = verbalizer(tmp_path)
    assert list(maker.verbalize(printed(("era ape", "erape"), ("porta ape", "portape")))) == []
    assert dropped(maker) == {"letters": 2}
    assert [r.solution for r in maker.verbalize(printed(("porta ape", "portaape")))] == ["portaape"]
    assert maker.possible_leaks == 1


def test_the_words_that_lack_a_clue_are_counted_by_rows(tmp_path: Path) -> None:
    maker = verbalizer(tmp_path)
    rows = printed(("Tasso tasso ape", "x"), ("Tasso ape tasso", "tassoapetasso"))
    rows += printed(("tasso mulo", "tassomulo"))
    assert list(maker.verbalize(rows)) == []
    assert maker.lacking == {"tasso": 2, "mulo": 1}


def test_the_least_number_of_words_can_be_set(tmp_path: Path) -> None:
    rows = printed(("VE Rita", "Verità"), RITA)
    assert len(list(verbalizer(tmp_path, Wish(least_words=1)).verbalize(rows))) == 2
    assert not list(verbalizer(tmp_path, Wish(least_words=3)).verbalize(rows))


def test_clues_hang_on_the_seed(tmp_path: Path) -> None:
    def drawn(seed: int) -> str:
        return next(verbalizer(tmp_path, Wish(seed=seed)).verbalize(printed(RITA))).verbalized_rebus

    assert drawn(1) == drawn(1)
    assert len({drawn(seed) for seed in range(20)}) == 3


def test_doubles_are_one_whatever_comes_first(tmp_path: Path) -> None:
    rows = printed((*RITA, 2025), ("VE RIta NA scosta", "verità nascosta", 2019), (*RITA, 2024))
    found = []
    for order in (rows, rows[::-1]):
        maker = verbalizer(tmp_path, Wish(new_since=2020))
        found += list(maker.verbalize(order))
        assert dropped(maker) == {"double": 2}
    assert found[0] == found[1]
    # printed in 2019 already
    assert (found[0].subset, found[0].first_pass) == ("old", "VE RIta NA scosta")


@pytest.mark.parametrize(
    ("years", "subset", "undated"),
    [
        pytest.param([2024], "new", 0, id="that year"),
        pytest.param([2023], "old", 0, id="before"),
        pytest.param([None], "old", 1, id="unknown"),
        pytest.param([2025, None, 2025], "old", 1, id="unknown of one"),
    ],
)
def test_new_by_year(tmp_path: Path, years: list[int | None], subset: str, undated: int) -> None:
    maker = verbalizer(tmp_path, Wish(new_since=2024))
    made = maker.verbalize(printed(*((*RITA, year) for year in years)))
    assert [rebus.subset for rebus in made] == [subset]
    assert maker.undated == undated


def test_id_ood_and_new_in_this_order_and_what_was_seen_is_dropped(tmp_path: Path) -> None:
    seen = Training("train.csv")
    seen.add(("rita", "scosta", "ape"), "l APE s ape", "lapesape")
    rows = printed(
        ("S ape S ape", "sapesape", 2025),
        ("S ape S ala", "sapesala", 2020),
        ("S ape Rita", "saperita", 2020),
        ("L ape S ape", "lapesape", 2020),
    )
    maker = verbalizer(tmp_path, Wish(new_since=2024), seen)
    assert [(r.subset, r.solution) for r in maker.verbalize(rows)] == [
        ("id", "saperita"),
        ("ood", "sapesala"),
        ("new", "sapesape"),
    ]
    assert dropped(maker) == {"seen": 1}


def test_of_two_that_ask_the_same_one_is_kept(tmp_path: Path) -> None:
    # "Vola" is ape or ala
    rows = printed(
        ("S scosta ala", "scostala a"), ("ala scosta", "alascosta"), ("ape scosta", "apescosta")
    )
    for seed in range(20):
        makers = [verbalizer(tmp_path, Wish(seed=seed)) for _ in range(2)]
        made = [list(makers[0].verbalize(rows)), list(makers[1].verbalize(rows[::-1]))]
        assert made[0] == made[1]
        if "same_rebus" in dropped(makers[0]):
            assert dropped(makers[0]) == {"letters": 1, "same_rebus": 1}
            assert len(made[0]) == 1
            return
    pytest.fail("no seed drew the same clue for both")


WORDS = ["rita", "Rita", "scosta", "ape", "ala", "porta", "era"]
ROWS = st.lists(
    st.tuples(
        st.lists(st.sampled_from([*WORDS, "S", "LA", "O"]), min_size=1, max_size=6),
        st.integers(1, 9),
        st.sampled_from([" ", "'", " - ", ", "]),
        st.sampled_from([None, 2020, 2025]),
    ),
    max_size=12,
)


@settings(max_examples=60)
@given(rows=ROWS, seed=st.integers(0, 3))
def test_whatever_comes_out_obeys_the_rules_and_no_order(
    tmp_path_factory: pytest.TempPathFactory,
    rows: Sequence[tuple[list[str], int, str, int | None]],
    seed: int,
) -> None:
    folder = tmp_path_factory.getbasetemp()
    seen = Training("train.csv")
    seen.add_word("ape")
    given_rows = []
    for elements, cut, mark, year in rows:
        spelt = "".join(elements).lower()
        solution = mark.join(filter(None, (spelt[:cut], spelt[cut:])))
        given_rows.append((" ".join(elements), solution, year))
    wish = Wish(seed=seed, new_since=2024)
    maker = verbalizer(folder, wish, seen)
    made = list(maker.verbalize(printed(*given_rows)))
    assert len(made) + maker.dropped.rows == len(given_rows)
    assert not [name for rebus in made for name in errors(rebus)]
    assert len({rebus.id for rebus in made}) == len(made)
    random.Random(seed).shuffle(given_rows)
    assert list(verbalizer(folder, wish, seen).verbalize(printed(*given_rows))) == made
