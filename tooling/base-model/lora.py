"""LoRA on every linear layer, as the Tinker API defines it: W0 x + (32 / rank) B (A x)."""

import torch
import torch.nn.functional as F
from torch import nn

from model import Llama, TiedLinear

ALPHA = 32.0


class LoraLinear(nn.Module):
    """A ~ U(-1/sqrt(d_in), 1/sqrt(d_in)), B = 0; the base weight stays frozen."""

    def __init__(self, base: nn.Linear | TiedLinear, rank: int, generator: torch.Generator):
        super().__init__()
        self.base = base
        bound = base.in_features**-0.5
        self.a = nn.Parameter(torch.empty(rank, base.in_features).uniform_(-bound, bound, generator=generator))
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = ALPHA / rank

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base(x) + self.scale * F.linear(F.linear(x, self.a), self.b)


def add_lora(model: Llama, rank: int, seed: int) -> list[nn.Parameter]:
    """Adapts the projections of attention and MLP, and the unembedding, in place; the adapter's parameters.

    The embedding that the unembedding is tied to stays as it is.
    """
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    generator = torch.Generator().manual_seed(seed)
    parameters: list[nn.Parameter] = []
    for layer in model.model.layers:
        for parent in (layer.self_attn, layer.mlp):
            for name, child in list(parent.named_children()):
                adapter = LoraLinear(child, rank, generator)
                setattr(parent, name, adapter)
                parameters += [adapter.a, adapter.b]
    unembedding = LoraLinear(model.unembedding, rank, generator)
    model.unembedding = unembedding
    parameters += [unembedding.a, unembedding.b]
    return parameters
