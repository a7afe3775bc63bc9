"""Writes the model directory in Hugging Face layout: config, bfloat16 weights, tokenizer. The card is kept by hand.

Usage: python export.py --weights DIR/weights.pt --out ../../packages/local/models/pocket-1
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors.torch import save_file

from layout import END_OF_TEXT_ID
from model import ModelConfig
from model_kinds import MODEL_KINDS, ModelKind
from tokenizer_files import tokenizer_config, tokenizer_json


def config_json(config: ModelConfig) -> dict:
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": config.vocab_size,
        "hidden_size": config.hidden_size,
        "intermediate_size": config.intermediate_size,
        "num_hidden_layers": config.num_hidden_layers,
        "num_attention_heads": config.num_attention_heads,
        "num_key_value_heads": config.num_attention_heads,
        "head_dim": config.head_dim,
        "hidden_act": "silu",
        "max_position_embeddings": config.max_position_embeddings,
        "rms_norm_eps": config.rms_norm_eps,
        "rope_theta": config.rope_theta,
        "rope_scaling": None if config.rope_scaling is None else {"rope_type": "llama3", **asdict(config.rope_scaling)},
        "attention_bias": False,
        "attention_dropout": 0.0,
        "mlp_bias": False,
        "tie_word_embeddings": True,
        "initializer_range": 0.02,
        "use_cache": True,
        "bos_token_id": None,
        "eos_token_id": END_OF_TEXT_ID,
        "pad_token_id": END_OF_TEXT_ID,
        "torch_dtype": "bfloat16",
    }


def generation_config(kind: ModelKind) -> dict:
    ends = [kind.id_of(token) for token in kind.ends]
    return {
        "do_sample": False,
        "max_new_tokens": 64,
        "eos_token_id": ends if len(ends) > 1 else END_OF_TEXT_ID,
        "pad_token_id": END_OF_TEXT_ID,
    }


def write_json(path: Path, value: dict) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--kind", choices=MODEL_KINDS, default="pocket-1")
    arguments = parser.parse_args()
    kind = MODEL_KINDS[arguments.kind]
    state = torch.load(arguments.weights, weights_only=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    tensors = {name: tensor.to(torch.bfloat16).contiguous() for name, tensor in state.items()}
    save_file(tensors, arguments.out / "model.safetensors", metadata={"format": "pt"})
    write_json(arguments.out / "config.json", config_json(kind.config))
    write_json(arguments.out / "generation_config.json", generation_config(kind))
    write_json(arguments.out / "tokenizer.json", tokenizer_json(kind))
    write_json(arguments.out / "tokenizer_config.json", tokenizer_config(kind))
    print(f"{len(tensors)} tensors, {(arguments.out / 'model.safetensors').stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
