"""pocket-2 before it has learnt anything: pocket-1, more tokens, and layers on top that do nothing yet."""

from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file

from conversations import Row
from model import Llama, init_weights
from model_kinds import POCKET_2

LIKE = {
    "<|begin_of_text|>": "<|endoftext|>",
    "<|start_header_id|>": "<|im_start|>",
    "<|eot_id|>": "<|im_end|>",
}
"""New tokens that mean what one of pocket-1's does; their rows are its row. `<|end_header_id|>` has that of a line end."""
FIRST_NEW_ID = 259
ROWS_AT_ONCE = 64


class GrownModel:
    """The first `depth` layers are pocket-1's and stay as they are; `layers`, those above, learn."""

    def __init__(self, model: Llama, depth: int):
        self.model, self.depth, self.layers = model, depth, model.model.layers[depth:]
        model.requires_grad_(False)
        self.layers.requires_grad_(True)

    @torch.no_grad()
    def states_below(self, rows: Sequence[Row]) -> list[torch.Tensor]:
        """What the first layers make of each row, [tokens, width]."""
        outputs: list[torch.Tensor] = [torch.empty(0)] * len(rows)
        order = sorted(range(len(rows)), key=lambda i: len(rows[i].ids))
        for begin in range(0, len(order), ROWS_AT_ONCE):
            part = order[begin : begin + ROWS_AT_ONCE]
            width = max(len(rows[i].ids) for i in part)
            ids = torch.zeros(len(part), width, dtype=torch.long)
            for place, i in enumerate(part):
                ids[place, : len(rows[i].ids)] = torch.tensor(rows[i].ids)
            x = self.model.model.embed_tokens(ids)
            for layer in self.model.model.layers[: self.depth]:
                x = layer(x, self.model.cos[:width], self.model.sin[:width])
            for place, i in enumerate(part):
                outputs[i] = x[place, : len(rows[i].ids)].clone()
        return outputs

    def logits(self, states: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """The upper layers on `states` [B, T, width], whose tokens stand at `positions` [B, T]."""
        cos, sin = self.model.cos[positions][:, None], self.model.sin[positions][:, None]
        for layer in self.layers:
            states = layer(states, cos, sin)
        return self.unembed(states)

    def unembed(self, states: torch.Tensor) -> torch.Tensor:
        return self.model.unembedding(self.model.model.norm(states))


def grown_from(folder: Path, seed: int) -> GrownModel:
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
    for layer in model.model.layers[depth:]:
        layer.self_attn.o_proj.weight.data.zero_()
        layer.mlp.down_proj.weight.data.zero_()
    return GrownModel(model, depth)
