"""What tells the built-in models apart: the tokens above the bytes, and the context."""

from dataclasses import dataclass

from layout import END_OF_TEXT, SPECIAL_TOKENS, TURN_END
from model import ModelConfig, RopeScaling

THINKING = ("<think>", "</think>")
TOOL_TAGS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
LLAMA_TOKENS = ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
SPARE = tuple(f"<|reserved_{index}|>" for index in range(3))


@dataclass(frozen=True)
class ModelKind:
    """`tokens`: those with ids 256 and up, in this order; `visible`: those of them that decoding never leaves out."""

    tokens: tuple[str, ...]
    context: int
    layers: int
    visible: frozenset[str] = frozenset()
    rope_scaling: RopeScaling | None = None
    ends: tuple[str, ...] = (END_OF_TEXT,)
    """Tokens that end an answer where nothing else is said."""

    @property
    def config(self) -> ModelConfig:
        return ModelConfig(
            vocab_size=256 + len(self.tokens),
            max_position_embeddings=self.context,
            num_hidden_layers=self.layers,
            rope_scaling=self.rope_scaling,
        )

    def id_of(self, token: str) -> int:
        return 256 + self.tokens.index(token)


POCKET_1 = ModelKind(SPECIAL_TOKENS, 512, 6)
# As in Qwen3, tags of thinking and tools are text to a decoder, while the marks of turns are not.
POCKET_2 = ModelKind(
    (*SPECIAL_TOKENS[:3], *THINKING, *TOOL_TAGS, *LLAMA_TOKENS, *SPARE),
    4096,
    9,
    frozenset(THINKING + TOOL_TAGS),
    RopeScaling(8.0, 0.5, 16.0, POCKET_1.context),
    (END_OF_TEXT, TURN_END, "<|eot_id|>"),
)
MODEL_KINDS = {"pocket-1": POCKET_1, "pocket-2": POCKET_2}
