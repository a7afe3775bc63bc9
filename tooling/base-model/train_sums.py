"""First stage of pocket-2: new layers on top of pocket-1, which stays as it is, learn sums.

Usage: python train_sums.py --base ../../packages/local/models/pocket-1 --out DIR/sums.pt
       … --processes 2 --meeting DIR/meeting --rank 0, and beside it the same with --rank 1, for two cores
What the layers below make of a question is computed once. Most questions are shortened to the tokens that matter, at their own
positions, which costs half as much; the others teach the layers to pass over the rest.
"""

import argparse
import time
from pathlib import Path
from random import Random

import torch
import torch.nn.functional as F

from float32_muon import Float32Muon
from gradient_average import average_gradients, join
from grown_model import grown_from
from model import Llama
from sum_questions import SUM_LAYOUTS, split_pairs
from sum_states import SumStates, answer_logits, sum_states

WEIGHTS_SEED = 8
HELD_OUT_ROWS = 150
WARM_UP_STEPS = 20
LOG_EVERY = 50
LEAST_SHARE_OF_RATE = 0.1


def groups(model: Llama, depth: int, rows: int) -> list[SumStates]:
    """All layouts, with the example and without; the first rows of each are held out."""
    held_out, pairs = split_pairs()
    random = Random(WEIGHTS_SEED)
    small = [pair for pair in pairs if max(pair) < 10]
    made = []
    for write in SUM_LAYOUTS:
        for with_example in (False, True):
            drawn = [*held_out[:HELD_OUT_ROWS], *random.sample(pairs, rows), *small]
            made.append(sum_states(model, depth, write, with_example, drawn))
            print(f"{made[-1].name}: {len(drawn):,} questions", flush=True)
    return made


@torch.no_grad()
def share_right(model: Llama, depth: int, group: SumStates) -> float:
    """Share of held-out questions that greedy sampling answers rightly; which token ends the answer is left aside."""
    logits, targets, mask = answer_logits(model, depth, group, torch.arange(HELD_OUT_ROWS), False)
    return ((logits.argmax(-1) == targets) | (mask == 0) | (targets >= 256)).all(1).float().mean().item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start-from", type=Path, help="weights of an earlier run")
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--rows", type=int, default=2400, help="questions of each layout")
    parser.add_argument("--batch", type=int, nargs=3, default=(16, 56, 56), help="whole, short and short questions a step")
    parser.add_argument("--steps", type=int, default=1300)
    parser.add_argument("--stop-after", type=int, help="end a run of --steps early")
    parser.add_argument("--flat-share", type=float, default=0.4, help="share of the steps before the rate falls")
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--meeting", type=Path, default=Path("meeting"))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    join(arguments.rank, arguments.processes, arguments.meeting)
    model, depth = grown_from(arguments.base, WEIGHTS_SEED)
    model.requires_grad_(False)
    layers = model.model.layers[depth:].requires_grad_(True)
    questions = groups(model, depth, arguments.rows)
    if arguments.start_from is not None:
        model.load_state_dict(torch.load(arguments.start_from, weights_only=True))
    random = Random(arguments.seed + arguments.rank)
    torch.manual_seed(arguments.seed + arguments.rank)
    parameters = list(layers.parameters())
    matrices, norms = [p for p in parameters if p.dim() == 2], [p for p in parameters if p.dim() == 1]
    optimizers = [Float32Muon(matrices, arguments.lr, 0.02), torch.optim.AdamW(norms, lr=arguments.lr, weight_decay=0.0)]
    size, loss_sum, started = sum(arguments.batch), 0.0, time.monotonic()
    for step in range(arguments.stop_after or arguments.steps):
        fall = max(LEAST_SHARE_OF_RATE, (1 - step / arguments.steps) / (1 - arguments.flat_share))
        for optimizer in optimizers:
            optimizer.param_groups[0]["lr"] = arguments.lr * min(1.0, (step + 1) / WARM_UP_STEPS, fall)
            optimizer.zero_grad()
        for index, (group, count) in enumerate(zip(random.sample(questions, 3), arguments.batch, strict=True)):
            members = torch.randint(HELD_OUT_ROWS, len(group.ids), (count,))
            logits, targets, mask = answer_logits(model, depth, group, members, index > 0)
            losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
            loss = (losses * mask.flatten()).sum() / mask.sum() * count / size
            loss.backward()
            loss_sum += loss.item()
        average_gradients(parameters)
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        for optimizer in optimizers:
            optimizer.step()
        if (step + 1) % LOG_EVERY == 0 and arguments.rank == 0:
            right = " ".join(f"{100 * share_right(model, depth, group):.0f}" for group in questions)
            print(f"step {step + 1}  loss {loss_sum / LOG_EVERY:.4f}  new sums right, %: {right}  {time.monotonic() - started:.0f} s", flush=True)
            loss_sum = 0.0
            torch.save(model.state_dict(), arguments.out)
    if arguments.rank == 0:
        torch.save(model.state_dict(), arguments.out)


if __name__ == "__main__":
    main()
