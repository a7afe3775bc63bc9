"""Questions for sums in one layout, with what the layers of pocket-1 make of them, and the new layers' answers to them.

The words before the numbers are the same in all questions of a layout: they are computed once for all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from conversations import encode
from model import Attention, DecoderLayer, Llama, rotate
from sum_questions import QUESTION, Layout, answer_start, sum_row

ROWS_AT_ONCE = 128
ANSWER_TOKENS = 5
"""A sum of three digits, what stands before it in some layouts, and the mark of its end."""
NUMBER_TOKENS = 10
BEFORE_ANSWER = 2


@dataclass
class SumStates:
    """`prefix` [1, P, width], `states` [N, W, width], `ids` and `mask` [N, W], `start` [N]: one before the answer's first token.

    `kept` [N, K]: the positions in `states` of the numbers and around the answer, those which a short question is made of.
    """

    name: str
    prefix: torch.Tensor
    states: torch.Tensor
    ids: torch.Tensor
    mask: torch.Tensor
    start: torch.Tensor
    kept: torch.Tensor


@torch.no_grad()
def sum_states(model: Llama, depth: int, write: Layout, with_example: bool, pairs: Sequence[tuple[int, int]]) -> SumStates:
    rows = [sum_row(write, with_example, QUESTION.format(x=x, y=y), x + y) for x, y in pairs]
    first = encode(f"{pairs[0][0]} + {pairs[0][1]}?")
    begin = next(i for i in range(len(rows[0].ids), -1, -1) if rows[0].ids[i : i + len(first)] == first)
    width = max(len(row.ids) for row in rows) - begin
    ids, mask = torch.zeros(len(rows), width, dtype=torch.long), torch.zeros(len(rows), width)
    for line, row in enumerate(rows):
        ids[line, : len(row.ids) - begin] = torch.tensor(row.ids[begin:])
        mask[line, : len(row.ids) - begin] = torch.tensor(row.mask[begin:], dtype=torch.float32)
    start = torch.tensor([answer_start(row) - begin - 1 for row in rows])
    layers = model.model.layers[:depth]
    prefix = model.model.embed_tokens(torch.tensor([rows[0].ids[:begin]]))
    parts = []
    for line in range(0, len(rows), ROWS_AT_ONCE):
        states, shared = model.model.embed_tokens(ids[line : line + ROWS_AT_ONCE]), prefix
        places = torch.arange(width).expand(len(states), -1)
        for layer in layers:
            states, shared = layer_behind(model, layer, shared, states, places)
        parts.append(states)
    length = torch.tensor([len(f"{x} + {y}?") for x, y in pairs])[:, None]
    numbers = torch.arange(NUMBER_TOKENS)[None]
    around = (start[:, None] + torch.arange(-BEFORE_ANSWER, ANSWER_TOKENS)[None]).clamp(max=width - 1)
    kept = torch.cat([torch.where(numbers < length, numbers, width - 1), around], 1)
    name = f"{write.__name__}{' with the example' if with_example else ''}"
    return SumStates(name, shared, torch.cat(parts), ids, mask, start, kept)


def answer_logits(
    model: Llama, depth: int, group: SumStates, members: torch.Tensor, is_short: bool
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(logits, targets, mask) of the answers' tokens. The last layer works at these only."""
    width, count = group.states.shape[1], len(members)
    places = group.kept[members] if is_short else torch.arange(width).expand(count, -1)
    states, shared = pick(group.states[members], places), group.prefix
    *layers, last = model.model.layers[depth:]
    for layer in layers:
        states, shared = layer_behind(model, layer, shared, states, places)
    asked = (group.start[members][:, None] + torch.arange(ANSWER_TOKENS)[None]).clamp(max=width - 1)
    own = pick(states, (places[:, None] == asked[..., None]).float().argmax(2))
    keys = keys_and_values(model, last, shared, states, places)
    own = finished(last, own, attend(model, last.self_attn, last.input_layernorm(own), shared.shape[1], asked, places, keys))
    targets = (asked + 1).clamp(max=width - 1)
    mask = group.mask[members].gather(1, targets) * (asked + 1 < width)
    return model.unembedding(model.model.norm(own)), group.ids[members].gather(1, targets), mask


def layer_behind(
    model: Llama, layer: DecoderLayer, shared: torch.Tensor, states: torch.Tensor, places: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """One layer on `states` [B, S, width], which stand at `places` behind the shared words, and on these."""
    keys = keys_and_values(model, layer, shared, states, places)
    heard = attend(model, layer.self_attn, layer.input_layernorm(states), shared.shape[1], places, places, keys)
    length = shared.shape[1]
    return finished(layer, states, heard), layer(shared, model.cos[:length], model.sin[:length])


def keys_and_values(
    model: Llama, layer: DecoderLayer, shared: torch.Tensor, states: torch.Tensor, places: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    attention, length = layer.self_attn, shared.shape[1]
    first, rest = layer.input_layernorm(shared), layer.input_layernorm(states)
    before = rotate(split(attention, attention.k_proj(first)), model.cos[:length], model.sin[:length])
    behind = turned(model, split(attention, attention.k_proj(rest)), length + places)
    values = (split(attention, attention.v_proj(first)), split(attention, attention.v_proj(rest)))
    count = len(states)
    joined = [torch.cat([a.expand(count, -1, -1, -1), b], 2) for a, b in ((before, behind), values)]
    return joined[0], joined[1]


def attend(
    model: Llama,
    attention: Attention,
    normed: torch.Tensor,
    length: int,
    asked: torch.Tensor,
    places: torch.Tensor,
    keys: tuple[torch.Tensor, torch.Tensor],
) -> torch.Tensor:
    """What tokens at `asked` hear from the `length` shared words and from the tokens at `places` that are not behind them."""
    queries = turned(model, split(attention, attention.q_proj(normed)), length + asked)
    seen = torch.ones(*asked.shape, length, dtype=torch.bool)
    mask = torch.cat([seen, places[:, None] <= asked[..., None]], 2)[:, None]
    heard = F.scaled_dot_product_attention(queries, *keys, attn_mask=mask)
    return attention.o_proj(heard.transpose(1, 2).reshape(normed.shape))


def finished(layer: DecoderLayer, states: torch.Tensor, heard: torch.Tensor) -> torch.Tensor:
    states = states + heard
    return states + layer.mlp(layer.post_attention_layernorm(states))


def split(attention: Attention, x: torch.Tensor) -> torch.Tensor:
    return x.view(*x.shape[:2], attention.heads, attention.head_dim).transpose(1, 2)


def turned(model: Llama, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    return rotate(x, model.cos[positions][:, None], model.sin[positions][:, None])


def pick(states: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    return states.gather(1, places[..., None].expand(-1, -1, states.shape[-1]))
