r"""What a model thought, parted from what it answered: every published model's marks, in one table.

A server with a reasoning parser puts thoughts into a field of their own; without one they stand in
the text, in tags, tokens, channels or between two sentences. The opening mark may stand in the chat
template, and so be missing; a thought that is never closed has no answer behind it.

Every pattern here takes linear time on any text, as everything under `tolerant` must.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from apieval.patterns import regex

_LT: Final = r"(?:\\?<|&lt;|\\u003c)"
_GT: Final = r"(?:\\?>|&gt;|\\u003e)"
_T: Final = rf"{_LT}\|"
_E: Final = rf"\|{_GT}"
_WORD: Final = (
    r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflections?|scratch_?pad|monologue|analysis|cot"
    r"|chain_of_thought|pensier[oi]|ragionament[oi]|riflession[ei])"
)
_SEP: Final = r"[:_|\u2581-]"
_NAME: Final = rf"(?:[a-z]{{1,16}}{_SEP}){{0,3}}(?:(?:start|begin|end)of|ant)?{_WORD}(?:{_SEP}[a-z]{{1,16}}){{0,2}}"
_END: Final = rf"(?=(?:[a-z]{{1,16}}{_SEP}){{0,3}}(?:end|close|stop)(?:of|{_SEP}|\|?{_GT}))"
"""What tells that a name is of a closing mark: `end_of_thought`, `think:end`."""


class Mark(NamedTuple):
    """How thoughts are marked: patterns of what opens and what closes them, and whose they are.

    `alone` tells that a closing mark without an opening one ends a thought that began with the
    text: its opening stands in the chat template. Other closing marks mean other things elsewhere.
    """

    opens: str
    closes: str
    source: str
    alone: bool = False


MARKS: Final = (
    Mark(
        rf"{_LT}\|? ?(?!{_END}){_NAME}(?: [^<>\n]{{0,200}}+)? ?\|?{_GT}",
        rf"{_LT}\|? ?(?:/ ?|{_END}){_NAME} ?\|?{_GT}",
        "<think>: DeepSeek-R1, QwQ, Qwen3, GLM-4.5, MiniMax, Phi-4-reasoning, Nemotron, Kimi K2, SmolLM3 "
        "(vLLM's deepseek_r1, qwen3, glm45, minimax_m2 ... parsers); <seed:think>: Seed-OSS; <mm:think>: "
        "MiniMax-M3; <longcat_think>: LongCat; <ifm|think_fast>: K2; <thought>: EXAONE Deep, Gemini; "
        "<thinking>, <reflection>: Claude, Reflection; <reasoning>: GRPO recipes; "
        "<REASONING_SCRATCHPAD>: Hermes; <|START_THINKING|>: Command A; <|begin_of_thought|>: "
        "OpenThinker, Sky-T1; <|think:start|>: Solar Open; <|plamo:begin_think:plamo|>: PLaMo",
        alone=True,
    ),
    Mark(
        rf"{_T}open{_E} ?think ?{_T}sep{_E}",
        rf"{_T}close{_E} ?think ?{_T}sep{_E}",
        "Kimi K3 (vLLM's kimi_k3 parser)",
        alone=True,
    ),
    Mark(
        rf"{_T}inner_prefix{_E}",
        rf"{_T}inner_suffix{_E}",
        "Apertus (vLLM's apertus parser)",
        alone=True,
    ),
    Mark(
        r"(?-i:\[(?:THINK|THINKING|REASONING)\])",
        r"(?-i:\[/(?:THINK|THINKING|REASONING)\])",
        "Magistral, Ministral (vLLM's mistral parser)",
        alone=True,
    ),
    Mark(rf"◁ ?{_NAME} ?▷", rf"◁ ?/ ?{_NAME} ?▷", "Kimi-VL, Kimi k1.5 (their model cards)", alone=True),
    Mark(
        rf"(?:{_T}start{_E} ?assistant ?)?{_T}channel{_E} ?(?:analysis|commentary)[^<\n]{{0,80}}+"
        rf"{_T}message{_E}|(?:{_T}start{_E} ?assistant ?)?\bto=self{_T}message{_E}",
        rf"{_T}(?:end|return|eom|eot){_E}",
        "harmony: gpt-oss (openai/harmony); to=self: Muse Glimmer (vLLM's muse_glimmer parser)",
    ),
    Mark(
        rf"{_T}channel{_GT}(?! ?(?:final|answer|response)\b)(?: ?[a-z]++(?=\n))?",
        rf"{_LT}channel{_E}",
        "Gemma 4 (vLLM's gemma4 parser)",
        alone=True,
    ),
    Mark(
        rf"{_T}im_start{_E} ?assistant/think\b",
        rf"{_T}im_end{_E}",
        "HyperCLOVA X SEED Think (its chat template)",
    ),
    Mark(r"<unused94>(?:thought\b)?", "<unused95>", "MedGemma (its model card)", alone=True),
    Mark(r"\[unused16\]", r"\[unused17\]", "openPangu (vLLM's pangu parser)", alone=True),
    Mark(
        r"^[ *#]*+here(?: i|')s my thought process:",
        r"^[ *#]*+here(?: i|')s my response:",
        "Granite 3.2 (vLLM's granite parser)",
    ),
    Mark(
        r"^[ *#]*+here are my reasoning steps:",
        r"(?-i:\[BEGIN FINAL RESPONSE\])",
        "Apriel Thinker (its chat template)",
        alone=True,
    ),
    Mark(
        r"^thinking\.\.\.$",
        r"^\.\.\.done thinking\.$",
        "what `ollama run` prints, and what is copied from it",
    ),
    Mark(
        r"<details type=\"?reasoning\b[^<>\n]{0,200}+>",
        r"</details>",
        "what Open WebUI saves",
    ),
    Mark(rf"^```[ ]?{_WORD}$", r"^```$", "fenced thoughts, of small models"),
    Mark(
        r"(?-i:(?:\A\s*+analysis|assistant(?:analysis|commentary))(?=[A-Z]))",
        r"(?-i:assistantfinal)",
        "harmony whose tokens a server left out (skip_special_tokens)",
        alone=True,
    ),
)  # fmt: skip
_ANSWERS: Final = (
    rf"(?:{_T}start{_E} ?assistant ?)?{_T}channel{_E} ?final[^<\n]{{0,80}}+{_T}message{_E}"
    rf"|\bto=user{_T}message{_E}|{_T}channel{_GT}(?:final|answer|response)\b"
    rf"|{_T}(?:start_response|begin_of_solution|(?:begin_of_)?answer|response|final){_E}"
    rf"|{_T}open{_E} ?response ?{_T}sep{_E}"
)
"""What opens an answer, and so ends every thought before it."""
_MARK: Final = regex(
    "|".join(
        [
            f"(?P<answer>{_ANSWERS})",
            *(f"(?P<c{at}>{mark.closes})|(?P<o{at}>{mark.opens})" for at, mark in enumerate(MARKS)),
        ]
    ),
    re.IGNORECASE | re.MULTILINE,
)
_SIGNS: Final = r"<(?=\|?[ /a-zA-Z])|◁|^```|&lt;|\\[<u]|\[(?=[/TRBu])"
_PLACE: Final = regex(_SIGNS, re.MULTILINE)
"""Where a mark may begin; to look there alone is quicker than to try every place."""
_PLACE_OR_WORD: Final = regex(
    _SIGNS + r"|^(?=[ *#]*+(?:here|thinking|\.\.\.done))|(?=assistant[acf])|\A(?=\s*+analysis)",
    re.IGNORECASE | re.MULTILINE,
)
_WORDS: Final = (
    "my thought process",
    "reasoning steps",
    "assistantfinal",
    "analysis",
    "thinking...",
)
"""What is in every mark that has no sign of its own."""
_KINDS: Final = {f"{side}{at}": at for side in "co" for at in range(len(MARKS))}
_ANSWER: Final = -1


class Parted(NamedTuple):
    """What stands outside of thoughts; what of a thought never closed; what before a stray mark.

    `stray` is what stands before a closing mark that nothing opened: where nothing follows, it may be
    an answer that such a mark was put behind. `thoughts` tells whether there are any.
    """

    outside: str
    pending: str = ""
    stray: str = ""
    thoughts: bool = False


class _Tag(NamedTuple):
    kind: int
    closes: bool
    start: int
    end: int


def parted(text: str) -> Parted:
    """Part what a model thought from what it answered.

    A closing mark that nothing opened ends a thought that began with the text. Marks that are
    opened more often than closed were spoken of: then the last closing one ends the thought. One
    that only another's mark closes (`<think>` by `[/THINK]`) is closed by that.
    """
    tags = list(_tags(text))
    return _walked(text, tags) if tags else Parted(text)


def _tags(text: str) -> Iterator[_Tag]:
    low = text.lower()
    places = _PLACE_OR_WORD if any(word in low for word in _WORDS) else _PLACE
    end = 0
    for place in places.finditer(text):
        found = _MARK.match(text, place.start()) if place.start() >= end else None
        if found is None or found.lastgroup is None:
            continue
        name, end = found.lastgroup, found.end()
        kind = _KINDS.get(name, _ANSWER)
        yield _Tag(kind, kind == _ANSWER or name[0] == "c", found.start(), end)


def _walked(text: str, tags: list[_Tag]) -> Parted:
    to_close = Counter(tag.kind for tag in tags if tag.closes)
    outside: list[str] = []
    open_: list[int] = []
    stray, begin, thoughts = "", 0, False
    for tag in tags:
        piece = text[begin : tag.start]
        to_close[tag.kind] -= tag.closes
        if tag.closes:
            if not _closes(tag.kind, open_, to_close):
                continue
            if not open_:
                stray = "\n".join([*outside, piece])
                outside.clear()
            del open_[open_.index(tag.kind) if tag.kind in open_ else 0 :]
            thoughts = thoughts or not (piece.isspace() or not piece)
        elif tag.kind in open_ and to_close[tag.kind] <= open_.count(tag.kind):
            continue  # it was spoken of
        else:
            if not open_:
                outside.append(piece)
            open_.append(tag.kind)
        begin = tag.end
    rest = text[begin:]
    if open_:
        return Parted("\n".join(outside), rest, "", thoughts or bool(rest.strip()))
    return Parted("\n".join([*outside, rest]), "", stray, thoughts)


def _closes(kind: int, open_: list[int], to_close: Counter[int]) -> bool:
    """Return whether a closing mark ends a thought here, and not only stands or is spoken of."""
    if kind == _ANSWER or kind in open_:
        return True
    if not MARKS[kind].alone:
        return False
    return not any(to_close[each] for each in open_)
