"""Training batches: windows of English text, and skill examples grouped by length."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from layout import END_OF_TEXT_ID

LENGTH_STEP = 8
CHUNK_BATCHES = 64
LONG_WINDOW_EVERY = 4


@dataclass(frozen=True)
class Batch:
    """`inputs`, `targets` [B, T] token ids; `mask` [B, T] is 1 where a target counts."""

    inputs: torch.Tensor
    targets: torch.Tensor
    mask: torch.Tensor


def english_batches(path: Path, tokens: int, seed: int) -> Iterator[Batch]:
    """Random windows of 256 ids, in every fourth batch of 512, `tokens` ids a batch."""
    ids = np.load(path).astype(np.int64)
    random = np.random.default_rng(seed)
    count = 0
    while True:
        window = 512 if count % LONG_WINDOW_EVERY == LONG_WINDOW_EVERY - 1 else 256
        starts = random.integers(0, len(ids) - window - 1, tokens // window)
        rows = torch.from_numpy(np.stack([ids[start : start + window + 1] for start in starts]))
        yield Batch(rows[:, :-1], rows[:, 1:], torch.ones(len(rows), window))
        count += 1


def skill_batches(path: Path, size: int, seed: int) -> Iterator[Batch]:
    """`size` examples a batch, each from position 0 and padded to a multiple of 8; only answers count.

    Examples are shuffled, then sorted by length within 64 batches, and these batches shuffled.
    """
    archive = np.load(path)
    ids, lengths = archive["ids"].astype(np.int64), archive["lengths"].astype(np.int64)
    prompt_lengths = archive["prompt_lengths"].astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    random = np.random.default_rng(seed)
    while True:
        order = random.permutation(len(lengths))
        for begin in range(0, len(order) - size * CHUNK_BATCHES + 1, size * CHUNK_BATCHES):
            chunk = order[begin : begin + size * CHUNK_BATCHES]
            chunk = chunk[np.argsort(lengths[chunk], kind="stable")].reshape(CHUNK_BATCHES, size)
            for row in random.permutation(CHUNK_BATCHES):
                yield padded([ids[offsets[i] : offsets[i] + lengths[i]] for i in chunk[row]], prompt_lengths[chunk[row]])


def padded(rows: list[np.ndarray], prompt_lengths: np.ndarray) -> Batch:
    longest = max(len(row) for row in rows) - 1
    width = -(-longest // LENGTH_STEP) * LENGTH_STEP
    inputs = np.full((len(rows), width), END_OF_TEXT_ID, dtype=np.int64)
    targets, mask = inputs.copy(), np.zeros((len(rows), width), dtype=np.float32)
    for index, (row, prompt_length) in enumerate(zip(rows, prompt_lengths, strict=True)):
        inputs[index, : len(row) - 1] = row[:-1]
        targets[index, : len(row) - 1] = row[1:]
        mask[index, prompt_length - 1 : len(row) - 1] = 1
    return Batch(torch.from_numpy(inputs), torch.from_numpy(targets), torch.from_numpy(mask))
