"""Second stage of pocket-2: all layers learn everything together, on rows of up to 4,096 tokens.

Usage: python train_whole.py --start-from DIR/sums.pt --corpora DIR/root --data ../../apps/examples/data --corpus DIR/corpus
       --out DIR/pocket-2.pt; with --processes 2 --meeting DIR/meeting --rank 0 and 1 on two cores
"""

import argparse
import time
from collections import Counter
from pathlib import Path
from random import Random

import torch

from build_corpus import draw_question, word_source
from float32_muon import Float32Muon
from gradient_average import average_gradients, join
from grown_model import tell_new_tokens_apart
from held_out import read_forbidden
from model import Llama
from model_kinds import POCKET_1, POCKET_2
from rows import rows_loss
from whole_rows import WEIGHTS, WholeRows

WARM_UP_STEPS = 30
LOG_EVERY = 25
WEIGHT_DECAY = 0.01
LOWER_SHARE, EMBEDDING_SHARE = 0.5, 0.3
"""Shares of the rate for what pocket-1 has learnt, and for the embedding."""


def optimizers_of(model: Llama, rate: float) -> list[tuple[torch.optim.Optimizer, float]]:
    """Each with its own rate."""
    lower, upper = (list(part.parameters()) for part in (model.model.layers[: POCKET_1.layers], model.model.layers[POCKET_1.layers :]))
    norms = [p for p in [*lower, *upper] if p.dim() == 1] + [model.model.norm.weight]
    adam = {"lr": rate, "weight_decay": 0.0}
    return [
        (Float32Muon([p for p in lower if p.dim() == 2], rate, WEIGHT_DECAY), rate * LOWER_SHARE),
        (Float32Muon([p for p in upper if p.dim() == 2], rate, WEIGHT_DECAY), rate),
        (torch.optim.AdamW(norms, **adam), rate * LOWER_SHARE),
        (torch.optim.AdamW([model.model.embed_tokens.weight], **adam), rate * EMBEDDING_SHARE),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--start-from", type=Path, required=True)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=50)
    parser.add_argument("--steps", type=int, default=256)
    parser.add_argument("--skills", type=int, default=20, help="examples of skills a step and process")
    parser.add_argument("--flat-share", type=float, default=0.4, help="share of the steps before the rate falls")
    parser.add_argument("--lr", type=float, default=1.5e-3)
    parser.add_argument("--keep-tokens", action="store_true", help="the new tokens have been told apart by an earlier run")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--meeting", type=Path, default=Path("meeting"))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    join(arguments.rank, arguments.processes, arguments.meeting)
    model = Llama(POCKET_2.config)
    model.load_state_dict(torch.load(arguments.start_from, weights_only=True))
    if not arguments.keep_tokens:
        tell_new_tokens_apart(model)
    random = Random(arguments.seed + arguments.rank)
    forbidden, draw_word = read_forbidden(arguments.data), word_source(arguments.corpora, random)
    source = WholeRows(arguments.corpus, lambda: draw_question(random, draw_word, forbidden), random, arguments.skills)
    optimizers, parameters = optimizers_of(model, arguments.lr), list(model.parameters())
    sums, counts, started = Counter(), Counter(), time.monotonic()
    for step in range(arguments.steps):
        share = min(1.0, (step + 1) / WARM_UP_STEPS) * min(1.0, (1 - step / arguments.steps) / (1 - arguments.flat_share))
        for optimizer, rate in optimizers:
            optimizer.param_groups[0]["lr"] = rate * share
            optimizer.zero_grad()
        for name, rows in source.step(step, arguments.rank).items():
            loss = rows_loss(model, rows)
            (loss * WEIGHTS[name]).backward()
            sums[name] += loss.item()
            counts[name] += 1
        average_gradients(parameters)
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        for optimizer, _ in optimizers:
            optimizer.step()
        if arguments.rank == 0 and (step + 1) % LOG_EVERY == 0:
            means = "  ".join(f"{name} {value / counts[name]:.4f}" for name, value in sums.items())
            print(f"step {step + 1}  {means}  {time.monotonic() - started:.0f} s", flush=True)
            sums.clear()
            counts.clear()
            torch.save(model.state_dict(), arguments.out)
    if arguments.rank == 0:
        torch.save(model.state_dict(), arguments.out)


if __name__ == "__main__":
    main()
