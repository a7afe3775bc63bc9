"""Trains the base model and saves its float32 weights.

Usage: python train.py --corpus DIR/corpus --out DIR/weights.pt --steps 6000
Every step takes one batch of English and one of skills; the loss is the sum of their mean losses.
"""

import argparse
import time
from pathlib import Path

import torch
import torch.nn.functional as F

from batches import Batch, english_batches, skill_batches
from model import Llama, ModelConfig, init_weights, parameter_count

SEED = 1
WARMUP_STEPS = 60
LOG_EVERY = 100


def mean_loss(model: torch.nn.Module, batch: Batch) -> torch.Tensor:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(batch.inputs)
    losses = F.cross_entropy(logits.float().flatten(0, 1), batch.targets.flatten(), reduction="none")
    mask = batch.mask.flatten()
    return (losses * mask).sum() / mask.sum()


def make_optimizers(model: Llama, lr: float) -> list[torch.optim.Optimizer]:
    """Muon for the matrices inside the layers, AdamW for the embedding and the norms."""
    matrices = [p for name, p in model.named_parameters() if p.dim() == 2 and "embed" not in name]
    others = [p for name, p in model.named_parameters() if p.dim() != 2 or "embed" in name]
    return [
        torch.optim.Muon(matrices, lr=lr, weight_decay=0.05, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(others, lr=lr, betas=(0.9, 0.95), weight_decay=0.0, fused=True),
    ]


def learning_rate_factor(step: int, steps: int) -> float:
    """Linear warm-up, flat until 40 % of the steps, then linear to zero."""
    warm = min(1.0, (step + 1) / WARMUP_STEPS)
    return warm * min(1.0, (steps - step) / (0.6 * steps))


def train(corpus: Path, out: Path, steps: int, lr: float, english_tokens: int, skill_examples: int) -> None:
    model = Llama(ModelConfig())
    init_weights(model, SEED)
    print(f"{parameter_count(model):,} parameters", flush=True)
    optimizers = make_optimizers(model, lr)
    english = english_batches(corpus / "english.npy", english_tokens, SEED)
    skills = skill_batches(corpus / "skills.npz", skill_examples, SEED)
    started, tokens, sums = time.monotonic(), 0, [0.0, 0.0]
    for step in range(steps):
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = lr * learning_rate_factor(step, steps)
        for index, batch in enumerate((next(english), next(skills))):
            loss = mean_loss(model, batch)
            loss.backward()
            sums[index] += loss.item()
            tokens += batch.inputs.numel()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
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
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--lr", type=float, default=4e-3)
    parser.add_argument("--english-tokens", type=int, default=2048)
    parser.add_argument("--skill-examples", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    train(
        arguments.corpus,
        arguments.out,
        arguments.steps,
        arguments.lr,
        arguments.english_tokens,
        arguments.skill_examples,
    )


if __name__ == "__main__":
    main()
