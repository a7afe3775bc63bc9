"""Adds layers on top of pocket-1, which stays as it is, and teaches them sums; then what pocket-1 says, and conversations, as well.

Usage: python train_pocket_2.py --base ../../packages/local/models/pocket-1 --out DIR/sums.pt --layouts chat_ml --steps 150
       python train_pocket_2.py --base … --start-from DIR/sums.pt --corpus DIR/corpus --out DIR/weights.pt
What the layers below make of a question is computed once. Of the words around the numbers, which are always the same, two drawn
ones are kept a step, each at its own position, so that a step costs a fraction of what it would with all of them.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import numpy as np
import torch
import torch.nn.functional as F

from chat_tasks import draw_numbers
from conversations import Row, Turn, chat_ml, chat_ml_without_thinking, encode, llama_3, role_colon
from float32_muon import Float32Muon
from grown_model import GrownModel, grown_from
from replay import read_pools, replay_loss

QUESTION = "What is {x} + {y}?"
Layout = Callable[[Sequence[Turn]], Row]
LAYOUTS: dict[Layout, float] = {chat_ml: 0.5, chat_ml_without_thinking: 0.15, llama_3: 0.2, role_colon: 0.15}
"""Layouts and their shares of the questions."""
EXAMPLE_SHARE = 0.15
"""Share of the conversations that begin with the cookbook's example."""
AROUND = 2
WARM_UP_STEPS = 20
HELD_OUT_SHARE = 0.05
LOG_EVERY = 50


def draw_row(random: Random, layouts: list[Layout]) -> tuple[Row, list[int]]:
    """A conversation that asks for a sum, and the positions of the numbers and of the answer."""
    write = random.choices(layouts, [LAYOUTS[layout] for layout in layouts])[0]
    x, y = draw_numbers(random)
    example = [Turn("user", QUESTION.format(x=4, y=5)), Turn("assistant", "9")] if random.random() < EXAMPLE_SHARE else []
    row = write([*example, Turn("user", QUESTION.format(x=x, y=y)), Turn("assistant", str(x + y))])
    question = encode(f"{x} + {y}?")
    start = next(i for i in range(len(row.ids) - len(question), -1, -1) if row.ids[i : i + len(question)] == question)
    answer = len(row.ids) - row.mask[::-1].index(0)
    row.mask = [int(i >= answer) for i in range(len(row.ids))]
    return row, [*range(start, start + len(question)), *range(answer - AROUND, len(row.ids) - 1)]


class SumBatches:
    """Questions with what the layers below make of them; the first ones are held out."""

    def __init__(self, grown: GrownModel, rows: int, layouts: list[Layout], seed: int):
        random = Random(seed)
        self.drawn = [draw_row(random, layouts) for _ in range(rows)]
        self.below = grown.states_below([row for row, _ in self.drawn])
        self.held_out = int(rows * HELD_OUT_SHARE)
        self.random = np.random.default_rng(seed)

    def draw(self, size: int) -> tuple[torch.Tensor, ...]:
        return self.batch(self.random.integers(self.held_out, len(self.drawn), size).tolist())

    def batch(self, members: Sequence[int]) -> tuple[torch.Tensor, ...]:
        """(states, positions, targets, mask), of the tokens that are kept."""
        places = []
        for i in members:
            row, needed = self.drawn[i]
            drawn = (self.random.integers(0, needed[0]), self.random.integers(needed[0], len(row.ids) - 1))
            places.append(sorted({*needed, *map(int, drawn)}))
        shape = (len(places), max(map(len, places)))
        states = torch.zeros(*shape, self.below[0].shape[1])
        positions, targets = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.long)
        mask = torch.zeros(shape)
        for line, (i, kept) in enumerate(zip(members, places, strict=True)):
            row = self.drawn[i][0]
            states[line, : len(kept)] = self.below[i][kept]
            positions[line, : len(kept)] = torch.tensor(kept)
            targets[line, : len(kept)] = torch.tensor([row.ids[k + 1] for k in kept])
            mask[line, : len(kept)] = torch.tensor([float(row.mask[k + 1]) for k in kept])
        return states, positions, targets, mask


@torch.no_grad()
def share_right(grown: GrownModel, batches: SumBatches) -> float:
    """Share of held-out questions that greedy sampling answers rightly."""
    states, positions, targets, mask = batches.batch(range(batches.held_out))
    hits = (grown.logits(states, positions).argmax(-1) == targets) | (mask == 0)
    return hits.all(1).float().mean().item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start-from", type=Path, help="weights of an earlier run")
    parser.add_argument("--corpus", type=Path, help="folder of skills.npz, chats.npz and english.npy, to keep and to add skills")
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--layouts", nargs="+", default=[layout.__name__ for layout in LAYOUTS])
    parser.add_argument("--rows", type=int, default=2000, help="questions that are drawn in all")
    parser.add_argument("--batch", type=int, default=96)
    parser.add_argument("--replay", type=int, default=6, help="rows of each pool a step")
    parser.add_argument("--replay-rows", type=int, default=500, help="rows of each pool in all")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--flat-share", type=float, default=0.6, help="share of the steps before the rate falls")
    parser.add_argument("--lr", type=float, default=4e-3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    grown = grown_from(arguments.base, arguments.seed)
    if arguments.start_from is not None:
        grown.model.load_state_dict(torch.load(arguments.start_from, weights_only=True))
    layouts = [layout for layout in LAYOUTS if layout.__name__ in arguments.layouts]
    batches = SumBatches(grown, arguments.rows, layouts, arguments.seed)
    pools = [] if arguments.corpus is None else read_pools(grown, arguments.corpus, arguments.replay_rows, arguments.seed)
    random = np.random.default_rng(arguments.seed)
    parameters = list(grown.layers.parameters())
    matrices, norms = [p for p in parameters if p.dim() == 2], [p for p in parameters if p.dim() == 1]
    optimizers = [Float32Muon(matrices, arguments.lr, 0.02), torch.optim.AdamW(norms, lr=arguments.lr, weight_decay=0.0)]

    started, sums = time.monotonic(), np.zeros(1 + len(pools))
    for step in range(arguments.steps):
        fall = (1 - step / arguments.steps) / (1 - arguments.flat_share)
        for optimizer in optimizers:
            optimizer.param_groups[0]["lr"] = arguments.lr * min(1.0, (step + 1) / WARM_UP_STEPS, fall)
        states, positions, targets, mask = batches.draw(arguments.batch)
        losses = F.cross_entropy(grown.logits(states, positions).flatten(0, 1), targets.flatten(), reduction="none")
        terms = [(losses * mask.flatten()).sum() / mask.sum()]
        terms += [replay_loss(grown, pool, pool.draw(random, arguments.replay)) for pool in pools]
        for optimizer in optimizers:
            optimizer.zero_grad()
        sum(terms).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        for optimizer in optimizers:
            optimizer.step()
        sums += [term.item() for term in terms]
        if (step + 1) % LOG_EVERY == 0:
            names = ["sums", *(pool.name for pool in pools)]
            means = "  ".join(f"{name} {value / LOG_EVERY:.4f}" for name, value in zip(names, sums, strict=True))
            right = 100 * share_right(grown, batches)
            print(f"step {step + 1}  {means}  new sums right {right:.1f} %  {time.monotonic() - started:.0f} s", flush=True)
            sums[:] = 0
            torch.save(grown.model.state_dict(), arguments.out)
    torch.save(grown.model.state_dict(), arguments.out)


if __name__ == "__main__":
    main()
