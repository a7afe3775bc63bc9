"""What the new layers of pocket-2 must keep, which is what pocket-1 says, and the conversations that they learn."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from conversations import Row
from grown_model import GrownModel

WINDOW = 256
ENGLISH_EVERY = 8
"""Rows of English are longer: so many times fewer of them are drawn."""
ENGLISH_ROWS_A_STEP = 2


@dataclass(frozen=True)
class Pool:
    """Rows, and what the layers below make of them. `imitates`: pocket-1's predictions are the aim, not the row's tokens."""

    name: str
    rows: list[Row]
    below: list[torch.Tensor]
    imitates: bool

    def draw(self, random: np.random.Generator, size: int) -> list[int]:
        is_english = len(self.rows[0].ids) == WINDOW
        return random.integers(0, len(self.rows), ENGLISH_ROWS_A_STEP if is_english else size).tolist()


def read_pools(grown: GrownModel, corpus: Path, size: int, seed: int) -> list[Pool]:
    skills, chats = (read_rows(corpus / f"{name}.npz", size) for name in ("skills", "chats"))
    english = np.load(corpus / "english.npy")
    starts = np.random.default_rng(seed).integers(0, len(english) - WINDOW, size // ENGLISH_EVERY)
    windows = [Row(english[start : start + WINDOW].tolist(), [1] * WINDOW) for start in starts]
    named = (("skills", skills, True), ("chats", chats, False), ("english", windows, True))
    return [Pool(name, rows, grown.states_below(rows), imitates) for name, rows, imitates in named]


def read_rows(path: Path, size: int) -> list[Row]:
    """The first rows of a file; all tokens count where it has no mask."""
    archive = np.load(path)
    ids, ends = archive["ids"], np.cumsum(archive["lengths"].astype(np.int64))
    mask = archive["mask"] if "mask" in archive else np.ones(len(ids), dtype=np.uint8)
    parts = [slice(0 if i == 0 else int(ends[i - 1]), int(ends[i])) for i in range(size)]
    return [Row(ids[part].tolist(), mask[part].tolist()) for part in parts]


def replay_loss(grown: GrownModel, pool: Pool, members: list[int]) -> torch.Tensor:
    """Divergence from pocket-1's predictions, or cross-entropy of the marked tokens."""
    rows, below = [pool.rows[i] for i in members], [pool.below[i] for i in members]
    width = max(map(len, below))
    states = torch.stack([F.pad(own, (0, 0, 0, width - len(own))) for own in below])
    mask = torch.stack([F.pad(torch.tensor(row.mask, dtype=torch.float32), (0, width - len(row.mask))) for row in rows])
    logits = grown.logits(states, torch.arange(width).expand(len(rows), -1))
    if pool.imitates:
        wanted = grown.unembed(states).log_softmax(-1)
        divergence = F.kl_div(logits.log_softmax(-1), wanted, reduction="none", log_target=True).sum(-1)
        return (divergence * mask).sum() / mask.sum()
    targets = torch.stack([F.pad(torch.tensor(row.ids), (0, width - len(row.ids))) for row in rows])
    losses = F.cross_entropy(logits[:, :-1].flatten(0, 1), targets[:, 1:].flatten(), reduction="none")
    return (losses * mask[:, 1:].flatten()).sum() / mask[:, 1:].sum()
