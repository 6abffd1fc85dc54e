"""Published figures of the study, for orientation: another prompt, another test set, never ranked.

Source: Sarti, Caselli, Nissim, Bisazza, "Non Verbis, Sed Rebus: Large Language Models are Weak
Solvers of Italian Rebuses", CLiC-it 2024. Prompted models saw five examples; the others were tuned
with LoRA on the study's training set. All without length hints, on the study's own test set.
"""

from __future__ import annotations

from typing import Final, NamedTuple

SOURCE: Final = "Sarti et al., CLiC-it 2024"
LABEL: Final = (
    f"Published, for orientation only ({SOURCE}): another prompt, another test set, without length "
    "hints; not ranked"
)
METRICS: Final = ("word_guess_accuracy", "first_pass_accuracy", "solution_match")


class Published(NamedTuple):
    """One row of the study: the model, how it was used, and its figures in the order of METRICS."""

    model: str
    how: str
    figures: tuple[float, float, float]


ROWS: Final = (
    Published("LLaMA-3 70B", "5-shot", (0.22, 0.04, 0.00)),
    Published("Qwen-2 72B", "5-shot", (0.28, 0.04, 0.00)),
    Published("GPT-4o", "5-shot", (0.55, 0.15, 0.11)),
    Published("Claude-3.5 Sonnet", "5-shot", (0.66, 0.28, 0.24)),
    Published("Gemma-2 2B", "LoRA-tuned", (0.78, 0.43, 0.36)),
    Published("Phi-3 3.8B", "LoRA-tuned", (0.84, 0.56, 0.51)),
    Published("LLaMA-3.1 8B", "LoRA-tuned", (0.85, 0.59, 0.56)),
)
