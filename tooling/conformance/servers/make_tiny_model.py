"""Writes a model of random weights in the form of Qwen 3, small enough to train on a CPU in seconds, with a tokenizer of bytes.

usage: make_tiny_model.py FOLDER

The tokenizer is byte-level BPE without merges: 256 tokens of one byte, then <|endoftext|>, <|im_start|>, <|im_end|> and <pad>.
"""

import json
import pathlib
import sys

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

HIDDEN, INNER, LAYERS, HEADS, KV_HEADS, HEAD = 64, 128, 2, 4, 2, 16
# With the usual 0.02, or with tied embeddings, an adapter cannot move the logits of so small a model.
SCALE = 0.125


def write_tokenizer(folder):
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={letter: index for index, letter in enumerate(letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<pad>"])
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": 2048,
        "clean_up_tokenization_spaces": False,
        "eos_token": "<|endoftext|>",
        "pad_token": "<pad>",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=1))
    return tokenizer


def config_of(vocabulary, eos, pad):
    return {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "vocab_size": vocabulary,
        "hidden_size": HIDDEN,
        "intermediate_size": INNER,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": KV_HEADS,
        "head_dim": HEAD,
        "hidden_act": "silu",
        "max_position_embeddings": 2048,
        "rms_norm_eps": 1e-6,
        "rope_theta": 10000.0,
        "rope_scaling": None,
        "attention_bias": False,
        "attention_dropout": 0.0,
        "tie_word_embeddings": False,
        "initializer_range": SCALE,
        "use_cache": True,
        "dtype": "float32",
        "torch_dtype": "float32",
        "bos_token_id": None,
        "eos_token_id": eos,
        "pad_token_id": pad,
    }


def weights_of(vocabulary):
    random = np.random.default_rng(0)

    def matrix(*shape):
        return (random.standard_normal(shape) * SCALE).astype(np.float32)

    weights = {"model.embed_tokens.weight": matrix(vocabulary, HIDDEN)}
    for layer in range(LAYERS):
        prefix = f"model.layers.{layer}."
        weights |= {
            f"{prefix}input_layernorm.weight": np.ones(HIDDEN, np.float32),
            f"{prefix}post_attention_layernorm.weight": np.ones(HIDDEN, np.float32),
            f"{prefix}self_attn.q_proj.weight": matrix(HEADS * HEAD, HIDDEN),
            f"{prefix}self_attn.k_proj.weight": matrix(KV_HEADS * HEAD, HIDDEN),
            f"{prefix}self_attn.v_proj.weight": matrix(KV_HEADS * HEAD, HIDDEN),
            f"{prefix}self_attn.o_proj.weight": matrix(HIDDEN, HEADS * HEAD),
            f"{prefix}self_attn.q_norm.weight": np.ones(HEAD, np.float32),
            f"{prefix}self_attn.k_norm.weight": np.ones(HEAD, np.float32),
            f"{prefix}mlp.gate_proj.weight": matrix(INNER, HIDDEN),
            f"{prefix}mlp.up_proj.weight": matrix(INNER, HIDDEN),
            f"{prefix}mlp.down_proj.weight": matrix(HIDDEN, INNER),
        }
    return weights | {
        "model.norm.weight": np.ones(HIDDEN, np.float32),
        "lm_head.weight": matrix(vocabulary, HIDDEN),
    }


def main(out):
    folder = pathlib.Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = write_tokenizer(folder)
    eos, pad = tokenizer.token_to_id("<|endoftext|>"), tokenizer.token_to_id("<pad>")
    vocabulary = (tokenizer.get_vocab_size(with_added_tokens=True) + 3) // 4 * 4
    (folder / "config.json").write_text(json.dumps(config_of(vocabulary, eos, pad), indent=1))
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": eos, "pad_token_id": pad}))
    save_file(weights_of(vocabulary), str(folder / "model.safetensors"), metadata={"format": "pt"})


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
