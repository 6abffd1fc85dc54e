"""Answers in the template, decorated as models decorate them."""

from __future__ import annotations

import re
import string
import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

from hypothesis import strategies as st

from apieval.rebus import prompts
from apieval.rebus.equality import along_key
from apieval.rebus.rules import CLUE
from apieval.records import Rebus
from tests.records import rebus

INTRO: Final = "Procediamo alla risoluzione del rebus passo per passo:"
COMPOSE: Final = "Ora componiamo la soluzione seguendo la chiave risolutiva:"
EXAMPLES: Final = prompts.template("regular").partition("# Ora tocca a te!")[0]
EXAMPLE: Final = "# Esempio 2:" + EXAMPLES.partition("# Esempio 2:")[2]

NEXT: Final = """\
Rebus: MAR [Un colore dell'iride] TO [Lo beve chi ha sete]
Chiave di lettura: 5 7
- M A R = M A R
- [Un colore dell'iride] = verde
- [Lo beve chi ha sete] = acqua
Prima lettura: MAR verde TO acqua
5 = Marve
7 = dettoac
Soluzione: Marve dettoac
"""


def _row(shown: str, key: str, guesses: str, first_pass: str, words: str, solution: str) -> Rebus:
    return rebus(
        verbalized_rebus=shown,
        verbalized_rebus_with_length_hints=shown,
        solution_key=key,
        word_guesses=tuple(guesses.split(";")),
        first_pass=first_pass,
        solution_words=tuple(words.split(";")),
        solution=solution,
    )


HARD: Final = [
    rebus(),
    _row(
        "LO [Insenatura] RI [Prefisso = doppio] A",
        "1 ' 3 1 ' 4",
        "rada;bi",
        "LO rada RI bi A",
        "L'ora;d'aria",
        "L'ora d'aria",
    ),
    _row("[C'è all'alba] S", '" 5 2 "', "sole", "sole S", '"Edipo;re"', '"Edipo re"'),
    _row(
        "P AR [Saluto: lo dà il re] E.t. [Chi \"sa\"]",
        "9 4 ( 7 8 )",
        "ave;esperto",
        "P AR ave E.t. esperto",
        "Wonderful;time;(momento;stupendo)",
        "Wonderful time (momento stupendo)",
    ),
    _row("BI, [Poi] SUI?", "5 6 8 - 8", "indi", "BI, indi SUI?", "Treno;rapido;Cracovia-Varsavia", "Treno rapido Cracovia-Varsavia"),
    _row("[Sì] N [Sì]", "6 , 2 3 ?", "certo;già", "certo N già", "Tesoro,;mi;ami?", "Tesoro, mi ami?"),
    _row("S O [Città: la più alta] !", "3 10 2 8 !", "è", "S O è !", "Mai;alimentare;la;violenza!", "Mai alimentare la violenza!"),
    _row("[Uno] [Due] [Uno]", "6 1 1 . 9", "un;duo;una", "un duo una", "Prosit;a;S.;Silvestro", "Prosit a S. Silvestro"),
    _row("CH [Lo è il latte]", "2 2 ' 2 4", "bianco", "CH bianco", "Un;po';di;sale", "Un po' di sale"),
]  # fmt: skip


@dataclass(frozen=True)
class Style:
    """How an answer is decorated; each field as in the template where nothing else is said."""

    bullet: str = "- "
    sign: str = " = "
    emphasis: tuple[str, str] = ("", "")
    clue_emphasis: str = ""
    number: str = "{}"
    number_bullet: str = ""
    remark: str = ""
    quotes: str = ""
    stop: str = ""
    labels: tuple[str, str] = ("Prima lettura: ", "Soluzione: ")
    label_emphasis: str = "{}{}"
    table: bool = False
    boxed: str = ""
    corrected: str = ""
    spaced: bool = False
    joined: bool = False
    hints: bool = False
    upper_labels: bool = False
    apostrophe: str = "'"
    apostrophe_blank: bool = False
    form: Literal["NFC", "NFD"] = "NFC"
    blank: str = " "
    invisible: str = ""
    wide: Literal["", "signs", "all"] = ""
    newline: str = "\n"
    fence: bool = False
    token: str = ""
    before: str = ""
    after: str = ""


PLAIN: Final = Style()
_JOINS: Final = re.compile(r"(?<=[b-df-hj-np-tv-z])'(?=[^\W\d_])", re.IGNORECASE)
NO_LENGTH: Final = " \"'().,:!?-"
DRAFT: Final = "DRAFT"

styles = st.builds(
    Style,
    bullet=st.sampled_from(["- ", "* ", "• ", "1. ", "1) ", "– ", "\u2011 ", "+ ", "> - ", ""]),
    sign=st.sampled_from([" = ", " : ", ": ", " -> ", " → ", "=", " => ", "  =  "]),
    emphasis=st.sampled_from(
        [
            *[("", "")] * 3,
            *[(mark, mark) for mark in ("**", "*", "__", "_", "`", "***")],
            *[("<b>", "</b>"), ("<strong>", "</strong>"), ("**<u>", "</u>**")],
            *[(r"\textbf{", "}"), (r"$\text{", "}$"), (r"\(\mathrm{", r"}\)")],
        ]
    ),
    clue_emphasis=st.sampled_from(["", "", "**", "*", "`"]),
    number=st.sampled_from(["{}", "{}", "**{}**", "({})", "{} lettere", "({} lettere)"]),
    number_bullet=st.sampled_from(["", "", "- ", "* ", "• ", "1) ", "> "]),
    remark=st.sampled_from(["", "", " (si dice \"così\", a volte)", " (4)", " (un inciso (doppio))"]),
    quotes=st.sampled_from(["", "", "“”", "«»", "‘’"]),
    stop=st.sampled_from(["", "", "."]),
    labels=st.sampled_from(
        [
            ("Prima lettura: ", "Soluzione: "),
            ("Prima Lettura : ", "Soluzione finale: "),
            ("First reading: ", "Solution: "),
            ("First pass -> ", "Final solution -> "),
            ("prima lettura (con le lettere): ", "La soluzione è: "),
            ("1ª lettura = ", "Quindi, la soluzione del rebus = "),
            ("Prima lettura:\n", "Soluzione:\n"),
            ("First pass: ", "The solution is: "),
            ("The first reading is: ", "Final answer: "),
            ("Prima lettura completa: ", "Soluzione del rebus: "),
            ("📖 Prima lettura: ", "✅ Soluzione: "),
            ("2. Prima lettura: ", "4. Soluzione finale: "),
            ("2) Prima lettura: ", "4) Risposta finale: "),
        ]
    ),
    label_emphasis=st.sampled_from(["{}{}", "**{}**{}", "### {}{}", "> {}{}", "- {}{}", "#### **{}**{}"]),
    table=st.booleans(),
    boxed=st.sampled_from(["", "", "", r"$\boxed{\text{@}}$", r"\boxed{@}", r"\(\boxed{\textbf{@}}\)", r"$$\boxed{\mathrm{@}}$$", r"\[ \boxed{\text{@}} \]"]),
    corrected=st.sampled_from(["", "", "Soluzione: Uno sbaglio\nNo, rileggo.\n", "**Soluzione:** Uno sbaglio?\n\nCorrezione:\n"]),
    spaced=st.booleans(),
    joined=st.booleans(),
    hints=st.booleans(),
    upper_labels=st.booleans(),
    apostrophe=st.sampled_from("'’ʼ′´"),
    apostrophe_blank=st.booleans(),
    form=st.sampled_from(["NFC", "NFD"]),
    blank=st.sampled_from([" ", " ", "\u00a0", "\u202f"]),
    invisible=st.sampled_from(["", "", "\u200b", "\u00ad", "\ufeff", "\u2060"]),
    wide=st.sampled_from(["", "", "signs", "all"]),
    newline=st.sampled_from(["\n", "\n", "\r\n", "\n\n", "\r"]),
    fence=st.booleans(),
    token=st.sampled_from(["", "", "<|im_end|>", "</s>", "<end_of_turn>\n", "<|eot_id|>\n\n"]),
    before=st.sampled_from(
        [
            "",
            "",
            "Certo! Ecco.\n",
            "<think>\nVediamo un po'.\n" + EXAMPLE + "</think>\n",
            "Penso: un draft.\n</think>\n",
            "<think>" + DRAFT + "</think>",
            "<thinking>\n" + DRAFT + "</thinking>\n",
            "[THINK]" + DRAFT + "[/THINK]",
            "<|channel|>analysis<|message|>" + DRAFT + "<|end|><|start|>assistant<|channel|>final<|message|>",
            DRAFT,
            EXAMPLES + "\n# Ora tocca a te!\n",
            EXAMPLE,
        ]
    ),
    after=st.sampled_from(["", "", NEXT, "\n# Esempio 3:\n" + NEXT]),
)  # fmt: skip


def draft(gold: Rebus) -> str:
    """Return an answer to a rebus in the template, with nothing right in it."""
    clues = CLUE.findall(gold.verbalized_rebus)
    words = along_key(gold).solution_words
    return "\n".join(
        [
            INTRO,
            *(f"- {clue} = sbaglio" for clue in clues),
            "Prima lettura: uno sbaglio",
            *(f"{len(word)} = sbaglio" for word in words),
            "Soluzione: Uno sbaglio",
            "No, non torna.\n",
        ]
    )


def written(gold: Rebus, style: Style = PLAIN) -> str:
    """Return the right answer to a rebus, decorated."""
    lines = [INTRO, *_guesses(gold, style)]
    first, last = style.labels
    lines += ["", _labelled(first, _first_pass(gold, style), style), "", COMPOSE]
    lines += _solution_words(gold, style)
    lines += ["", style.corrected + _labelled(last, _solution(gold, style), style)]
    text = "\n".join(lines)
    if style.fence:
        text = f"```text\n{text}\n```"
    before = style.before.replace(DRAFT, draft(gold))
    text = f"{before}{text}{style.token}\n{style.after}"
    return _characters(text, style)


def _guesses(gold: Rebus, style: Style) -> list[str]:
    shown = gold.verbalized_rebus
    words = iter(gold.word_guesses)
    lines = []
    at = 0
    for clue in CLUE.finditer(shown):
        if letters := "".join(shown[at : clue.start()].split()):
            lines.append(f"{style.bullet}{' '.join(letters)} = {letters}")
        at = clue.end()
        word = next(words)
        hinted = f"{clue[0][:-1]} ({len(word)})]" if style.hints else clue[0]
        hinted = f"{style.clue_emphasis}{hinted}{style.clue_emphasis}"
        value = _value(word, style, remark=True)
        lines.append(
            f"| {hinted} | {value} |"
            if style.table
            else f"{style.bullet}{hinted}{style.sign}{value}"
        )
    return ["| indizio | parola |", "|---|:---:|", *lines] if style.table else lines


def _solution_words(gold: Rebus, style: Style) -> list[str]:
    if style.joined:
        keys = _joined_key(gold)
        pairs = list(zip(keys, gold.solution.split(), strict=True))
    else:
        pairs = [(str(len(word)), word) for word in along_key(gold).solution_words]
    return [
        f"| {key} | {_value(word, style)} |"
        if style.table
        else f"{style.number_bullet}{style.number.format(key)}{style.sign}{_value(word, style, remark=True)}"
        for key, word in pairs
    ]


def _joined_key(gold: Rebus) -> list[str]:
    return [
        " ".join(str(len(part)) if part[0].isalnum() else part for part in _parts(word)).strip(
            NO_LENGTH
        )
        for word in gold.solution.split()
    ]


def _parts(word: str) -> list[str]:
    parts = [""]
    for char in word:
        if not char.isalnum():
            parts += [char, ""]
        else:
            parts[-1] += char
    return [part for part in parts if part]


def _value(word: str, style: Style, *, remark: bool = False) -> str:
    begin, end = style.emphasis
    opening, closing = tuple(style.quotes) or ("", "")
    said = f"{opening}{begin}{word}{end}{closing}"
    return f"{said}{style.remark if remark else ''}{style.stop}"


def _first_pass(gold: Rebus, style: Style) -> str:
    parts = CLUE.split(gold.verbalized_rebus)
    words = [word.join(style.emphasis) for word in gold.word_guesses]
    out = []
    for at, letters in enumerate(parts):
        tight = "".join(letters.split())
        out.append(" ".join(tight) if style.spaced else letters.strip())
        out += words[at : at + 1]
    return " ".join(part for part in out if part) + style.remark


def _solution(gold: Rebus, style: Style) -> str:
    if style.boxed:
        return style.boxed.replace("@", gold.solution)
    return _value(gold.solution, style, remark=True)


def _labelled(label: str, value: str, style: Style) -> str:
    if style.upper_labels:
        label = label.upper()
    if style.table and not label.endswith("\n"):
        return f"| {label.strip(' :=->')} | {value} |"
    return style.label_emphasis.format(label.rstrip(" "), "" if label[-1] == "\n" else " ") + value


def _characters(text: str, style: Style) -> str:
    if style.apostrophe_blank:
        text = _JOINS.sub("' ", text)
    text = text.replace("'", style.apostrophe)
    text = unicodedata.normalize(style.form, text)
    if style.invisible:
        text = text.replace("a", f"a{style.invisible}")
    if style.wide:
        all_ = string.ascii_letters + string.digits + ":=." if style.wide == "all" else ""
        signs = all_ or string.digits + ":="
        text = text.translate({ord(char): ord(char) + 0xFEE0 for char in signs})
    # an indented line is one of code, so blanks within lines alone
    text = text.replace(" ", style.blank)
    return text.replace("\n", style.newline)
