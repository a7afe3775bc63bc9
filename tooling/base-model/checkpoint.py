"""Reads the exported model directory back into the plain PyTorch model."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from batches import padded
from model import Llama, ModelConfig, RopeScaling

QUESTIONS_AT_ONCE = 25


def load_checkpoint(folder: Path) -> Llama:
    """Weights widened to float32."""
    config = json.loads((folder / "config.json").read_text())
    fields = {name: config[name] for name in ModelConfig.__dataclass_fields__}
    scaling = config["rope_scaling"]
    if scaling is not None:
        fields["rope_scaling"] = RopeScaling(**{name: scaling[name] for name in RopeScaling.__dataclass_fields__})
    model = Llama(ModelConfig(**fields))
    state = {name: tensor.float() for name, tensor in load_file(folder / "model.safetensors").items()}
    model.load_state_dict(state)
    return model.eval()


@torch.no_grad()
def answered_right(model: torch.nn.Module, questions: Sequence[tuple[list[int], list[int]]]) -> list[bool]:
    """Whether greedy sampling answers each (prompt, answer) token by token: each one is the likeliest behind those before it."""
    right = []
    for begin in range(0, len(questions), QUESTIONS_AT_ONCE):
        part = questions[begin : begin + QUESTIONS_AT_ONCE]
        rows = [np.array([*prompt, *answer]) for prompt, answer in part]
        batch = padded(rows, np.array([len(prompt) for prompt, _ in part]))
        hits = (model(batch.inputs).argmax(-1) == batch.targets) | (batch.mask == 0)
        right += hits.all(1).tolist()
    return right


@torch.no_grad()
def greedy_answers(model: torch.nn.Module, prompts: list[list[int]], limit: int, stop: int) -> list[list[int]]:
    """The most likely continuation of each prompt up to `stop` (left out) or `limit` tokens.

    Without a cache: prompts of equal length run together, the whole row again for each token.
    """
    answers: list[list[int]] = [[] for _ in prompts]
    for length in sorted({len(prompt) for prompt in prompts}):
        rows = [index for index, prompt in enumerate(prompts) if len(prompt) == length]
        ids = torch.tensor([prompts[index] for index in rows])
        for _ in range(limit):
            ids = torch.cat([ids, model(ids)[:, -1].argmax(-1, keepdim=True)], dim=1)
            if bool((ids[:, length:] == stop).any(1).all()):
                break
        for index, row in zip(rows, ids[:, length:].tolist(), strict=True):
            answers[index] = row[: row.index(stop)] if stop in row else row
    return answers
