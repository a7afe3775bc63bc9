"""Trains the base model and saves its float32 weights.

Usage: python train.py --corpus DIR/corpus --out DIR/weights.pt --steps 900
Every step takes `--english-batches` batches of English and one of skills; the loss is the mean loss of the English plus
that of the skills. Two threads take a batch each, on one core: on a busy machine that is faster than two cores sharing
every small matrix product.
"""

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import torch
import torch.nn.functional as F

from batches import Batch, english_batches, skill_batches
from model import Llama, ModelConfig, init_weights, parameter_count

LOG_EVERY = 50
SERIAL_STEPS = 8


LossFunction = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


def make_mean_loss(model: Llama, compiled: bool) -> LossFunction:
    """(inputs, targets, mask) -> the mean cross-entropy where the mask is 1; matrix products in bfloat16."""

    def mean_loss(inputs: torch.Tensor, targets: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(inputs)
        losses = F.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), reduction="none")
        return (losses * mask.flatten()).sum() / mask.sum()

    return torch.compile(mean_loss, dynamic=True) if compiled else mean_loss


def make_optimizers(model: Llama, lr: float) -> list[torch.optim.Optimizer]:
    """Muon for the matrices inside the layers, AdamW for the embedding and the norms."""
    matrices = [p for name, p in model.named_parameters() if p.dim() == 2 and "embed" not in name]
    others = [p for name, p in model.named_parameters() if p.dim() != 2 or "embed" in name]
    return [
        torch.optim.Muon(matrices, lr=lr, weight_decay=0.05, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(others, lr=lr, betas=(0.9, 0.95), weight_decay=0.0, fused=True),
    ]


def learning_rate_factor(step: int, arguments: argparse.Namespace) -> float:
    """Linear warm-up, then flat, then linear to zero at `--steps`."""
    steps = arguments.steps
    warm = min(1.0, (step + 1) / arguments.warmup_steps)
    return warm * min(1.0, (steps - step) / ((1 - arguments.flat_share) * steps))


def train(arguments: argparse.Namespace) -> None:
    corpus, out, steps, lr, seed = arguments.corpus, arguments.out, arguments.steps, arguments.lr, arguments.seed
    english_count = arguments.english_batches
    model = Llama(ModelConfig())
    if arguments.start_from is None:
        init_weights(model, seed)
    else:
        model.load_state_dict(torch.load(arguments.start_from, weights_only=True))
    print(f"{parameter_count(model):,} parameters", flush=True)
    optimizers = make_optimizers(model, lr)
    english = english_batches(corpus / "english.npy", arguments.english_tokens, seed)
    skills = skill_batches(corpus / "skills.npz", arguments.skill_examples, seed)
    parameters, mean_loss, pool = list(model.parameters()), make_mean_loss(model, arguments.compile), ThreadPoolExecutor(2)

    def loss_and_gradients(batch: Batch) -> tuple[float, tuple[torch.Tensor, ...]]:
        loss = mean_loss(batch.inputs, batch.targets, batch.mask)
        return loss.item(), torch.autograd.grad(loss, parameters)

    started, tokens, sums = time.monotonic(), 0, [0.0, 0.0]
    for step in range(arguments.stop_after or steps):
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = lr * learning_rate_factor(step, arguments)
        batches = [*islice(english, english_count), next(skills)]
        # Compiling is not safe in two threads at once: the first steps run in this one.
        results = list((pool.map if step >= SERIAL_STEPS else map)(loss_and_gradients, batches))
        tokens += sum(batch.inputs.numel() for batch in batches)
        sums[0] += sum(loss for loss, _ in results[:-1]) / english_count
        sums[1] += results[-1][0]
        for parameter, *english_gradients, skill_gradient in zip(parameters, *(g for _, g in results), strict=True):
            parameter.grad = sum(english_gradients) / english_count + skill_gradient
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        for optimizer in optimizers:
            optimizer.step()
        if (step + 1) % LOG_EVERY == 0:
            seconds = time.monotonic() - started
            means = [value / LOG_EVERY for value in sums]
            sums = [0.0, 0.0]
            print(
                f"step {step + 1}/{steps}  english {means[0]:.4f}  skills {means[1]:.4f}  "
                f"{tokens:,} tokens  {tokens / seconds:.0f} tokens/s  {seconds:.0f} s",
                flush=True,
            )
            torch.save(model.state_dict(), out)
    torch.save(model.state_dict(), out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start-from", type=Path, help="weights of an earlier run; without it, fresh ones")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=900)
    parser.add_argument("--stop-after", type=int, help="end after so many steps; the schedule stays that of --steps")
    parser.add_argument("--warmup-steps", type=int, default=60)
    parser.add_argument("--flat-share", type=float, default=0.4, help="share of the steps before the rate falls")
    parser.add_argument("--compile", action="store_true", help="torch.compile: 1.6 times as fast after 1 to 2 minutes")
    parser.add_argument("--lr", type=float, default=4e-3)
    parser.add_argument("--english-batches", type=int, default=1)
    parser.add_argument("--english-tokens", type=int, default=2048, help="tokens of one batch of English")
    parser.add_argument("--skill-examples", type=int, default=64)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    train(arguments)


if __name__ == "__main__":
    main()
