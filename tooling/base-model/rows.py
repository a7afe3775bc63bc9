"""Rows of token ids in files, in batches and as text."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from conversations import Row
from layout import END_OF_TEXT_ID

LENGTH_STEP = 8


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    np.savez(
        path,
        ids=np.array([i for row in rows for i in row.ids], dtype=np.uint16),
        mask=np.array([m for row in rows for m in row.mask], dtype=np.uint8),
        lengths=np.array([len(row.ids) for row in rows], dtype=np.uint16),
    )


def read_rows(path: Path) -> list[Row]:
    archive = np.load(path)
    cuts = np.cumsum(archive["lengths"].astype(np.int64))[:-1]
    parts = zip(np.split(archive["ids"], cuts), np.split(archive["mask"], cuts), strict=True)
    return [Row(ids.tolist(), mask.tolist()) for ids, mask in parts]


def text_of(ids: Sequence[int] | np.ndarray) -> str:
    """The bytes as text; special tokens become line ends, so no word spans two pieces."""
    array = np.asarray(ids)
    return np.where(array < 256, array, ord("\n")).astype(np.uint8).tobytes().decode()


def padded_rows(rows: Sequence[Row]) -> tuple[torch.Tensor, torch.Tensor]:
    """(ids, mask) [rows, width], the width a multiple of 8."""
    width = -(-max(len(row.ids) for row in rows) // LENGTH_STEP) * LENGTH_STEP
    ids, mask = torch.full((len(rows), width), END_OF_TEXT_ID), torch.zeros(len(rows), width)
    for line, row in enumerate(rows):
        ids[line, : len(row.ids)] = torch.tensor(row.ids)
        mask[line, : len(row.ids)] = torch.tensor(row.mask, dtype=torch.float32)
    return ids, mask


def rows_loss(model: torch.nn.Module, rows: Sequence[Row]) -> torch.Tensor:
    """Nats a token that counts."""
    ids, mask = padded_rows(rows)
    losses = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten(), reduction="none")
    counted = mask[:, 1:].flatten()
    return (losses * counted).sum() / counted.sum()
