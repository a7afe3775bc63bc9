"""pocket-2 before it has learnt anything: pocket-1, more tokens, a longer context, and layers on top that do nothing yet."""

from pathlib import Path

import torch
from safetensors.torch import load_file

from model import Llama, init_weights
from model_kinds import POCKET_2

LIKE = {
    "<|begin_of_text|>": "<|endoftext|>",
    "<|start_header_id|>": "<|im_start|>",
    "<|eot_id|>": "<|im_end|>",
}
"""New tokens that mean what one of pocket-1's does; their rows are its row. `<|end_header_id|>` has that of a line end."""
FIRST_NEW_ID = 259
SHARPNESS = 1.15
"""Queries and keys of pocket-1 are so much longer, as attention spreads over more positions; found by trying some values."""
APART = 0.5
"""Standard deviations of noise that tells the rows of new tokens from the ones that they were copied from."""
APART_SEED = 5


def grown_from(folder: Path, seed: int) -> tuple[Llama, int]:
    """(the model, the number of its layers that are pocket-1's)"""
    model = Llama(POCKET_2.config)
    init_weights(model, seed)
    state = {name: tensor.float() for name, tensor in load_file(folder / "model.safetensors").items()}
    depth = sum(name.endswith("input_layernorm.weight") for name in state)
    old = state.pop("model.embed_tokens.weight")
    rows = model.model.embed_tokens.weight.data
    rows[FIRST_NEW_ID:] *= old.std() / rows.std()
    rows[:FIRST_NEW_ID] = old[:FIRST_NEW_ID]
    for token, like in LIKE.items():
        rows[POCKET_2.id_of(token)] = rows[POCKET_2.id_of(like)]
    rows[POCKET_2.id_of("<|end_header_id|>")] = rows[ord("\n")]
    model.load_state_dict(state, strict=False)
    for layer in model.model.layers[:depth]:
        layer.self_attn.q_proj.weight.data *= SHARPNESS
        layer.self_attn.k_proj.weight.data *= SHARPNESS
    for layer in model.model.layers[depth:]:
        layer.self_attn.o_proj.weight.data.zero_()
        layer.mlp.down_proj.weight.data.zero_()
    return model, depth


def tell_new_tokens_apart(model: Llama) -> None:
    """Moves the rows of the new tokens a little: of two equal ones neither can ever be the likelier."""
    rows = model.model.embed_tokens.weight.data
    noise = torch.randn(rows[FIRST_NEW_ID:].shape, generator=torch.Generator().manual_seed(APART_SEED))
    rows[FIRST_NEW_ID:] += noise * rows[:256].std() * APART
