"""The Llama architecture in plain PyTorch, with parameter names as Hugging Face writes them.

Only what training needs: RMSNorm, rotary positions, causal attention, SwiGLU, tied embeddings.
The names match `LlamaForCausalLM`, so the state dict is the checkpoint.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class RopeScaling:
    """Llama 3's: slow rotations are slowed down by `factor`, so that positions beyond the original context look like those within."""

    factor: float
    low_freq_factor: float
    high_freq_factor: float
    original_max_position_embeddings: int


@dataclass(frozen=True)
class ModelConfig:
    vocab_size: int = 264
    hidden_size: int = 128
    intermediate_size: int = 384
    num_hidden_layers: int = 6
    num_attention_heads: int = 4
    max_position_embeddings: int = 512
    rope_theta: float = 10000.0
    rope_scaling: RopeScaling | None = None
    rms_norm_eps: float = 1e-5

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_attention_heads


class RmsNorm(nn.Module):
    def __init__(self, size: int, eps: float):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


def rotary_tables(config: ModelConfig) -> tuple[torch.Tensor, torch.Tensor]:
    """cos and sin of shape [max_position_embeddings, head_dim], halves repeated (the Hugging Face layout)."""
    half = config.head_dim // 2
    frequencies = config.rope_theta ** (-torch.arange(half, dtype=torch.float32) / half)
    if config.rope_scaling is not None:
        frequencies = scaled(frequencies, config.rope_scaling)
    angles = torch.outer(torch.arange(config.max_position_embeddings, dtype=torch.float32), frequencies)
    angles = torch.cat([angles, angles], dim=-1)
    return angles.cos(), angles.sin()


def scaled(frequencies: torch.Tensor, scaling: RopeScaling) -> torch.Tensor:
    """Frequencies that turn fast within the original context stay; slow ones are divided by the factor; those between are blended."""
    turns = scaling.original_max_position_embeddings * frequencies / (2 * math.pi)
    low, high = scaling.low_freq_factor, scaling.high_freq_factor
    kept = ((turns - low) / (high - low)).clamp(0, 1)
    return frequencies * (kept + (1 - kept) / scaling.factor)


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-second, first], dim=-1) * sin


class Attention(nn.Module):
    def __init__(self, config: ModelConfig):
        super().__init__()
        size = config.hidden_size
        self.heads, self.head_dim = config.num_attention_heads, config.head_dim
        self.q_proj = nn.Linear(size, size, bias=False)
        self.k_proj = nn.Linear(size, size, bias=False)
        self.v_proj = nn.Linear(size, size, bias=False)
        self.o_proj = nn.Linear(size, size, bias=False)

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        batch, length, size = x.shape

        def split(y: torch.Tensor) -> torch.Tensor:
            return y.view(batch, length, self.heads, self.head_dim).transpose(1, 2)

        q, k = rotate(split(self.q_proj(x)), cos, sin), rotate(split(self.k_proj(x)), cos, sin)
        y = F.scaled_dot_product_attention(q, k, split(self.v_proj(x)), is_causal=True)
        return self.o_proj(y.transpose(1, 2).reshape(batch, length, size))


class Mlp(nn.Module):
    def __init__(self, config: ModelConfig):
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class DecoderLayer(nn.Module):
    def __init__(self, config: ModelConfig):
        super().__init__()
        self.self_attn = Attention(config)
        self.mlp = Mlp(config)
        self.input_layernorm = RmsNorm(config.hidden_size, config.rms_norm_eps)
        self.post_attention_layernorm = RmsNorm(config.hidden_size, config.rms_norm_eps)

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        x = x + self.self_attn(self.input_layernorm(x), cos, sin)
        return x + self.mlp(self.post_attention_layernorm(x))


class Decoder(nn.Module):
    def __init__(self, config: ModelConfig):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.num_hidden_layers))
        self.norm = RmsNorm(config.hidden_size, config.rms_norm_eps)


class TiedLinear(nn.Module):
    """The embedding, transposed. The weight sits in a tuple, where it is not listed and saved a second time."""

    def __init__(self, embedding: nn.Embedding):
        super().__init__()
        self.in_features, self.out_features = embedding.embedding_dim, embedding.num_embeddings
        self.tied = (embedding.weight,)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.linear(x, self.tied[0])


class Llama(nn.Module):
    """`forward(ids [B, T]) -> logits [B, T, vocab_size]`; the unembedding is the embedding, transposed."""

    def __init__(self, config: ModelConfig):
        super().__init__()
        self.config = config
        self.model = Decoder(config)
        cos, sin = rotary_tables(config)
        self.unembedding: nn.Module = TiedLinear(self.model.embed_tokens)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        length = ids.shape[1]
        x = self.model.embed_tokens(ids)
        for layer in self.model.layers:
            x = layer(x, self.cos[:length], self.sin[:length])
        return self.unembedding(self.model.norm(x))


def init_weights(model: Llama, seed: int) -> None:
    """Normal(0, 0.02 at width 768, scaled by 1/sqrt(width)), residual projections divided by sqrt(2 * layers)."""
    generator = torch.Generator().manual_seed(seed)
    config = model.config
    std = 0.55 / config.hidden_size**0.5
    for name, parameter in model.named_parameters():
        if parameter.dim() < 2:
            continue
        residual = name.endswith(("o_proj.weight", "down_proj.weight"))
        scale = std / (2 * config.num_hidden_layers) ** 0.5 if residual else std
        parameter.data.normal_(0.0, scale, generator=generator)


def parameter_count(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())
