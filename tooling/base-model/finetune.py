"""The quickstart's fine-tuning in PyTorch: held-out exact match before, on the way and after, for several seeds.

Usage: python finetune.py --model ../../packages/local/models/pocket-1 --data ../../apps/examples/data
"""

import argparse
import time
from pathlib import Path
from random import Random

import numpy as np
import torch
import torch.nn.functional as F

from batches import padded
from checkpoint import greedy_answers, load_checkpoint
from layout import END_OF_TEXT_ID
from lora import add_lora
from quickstart_words import read_pairs

ANSWER_LIMIT = 16


def exact_match(model: torch.nn.Module, pairs: list[tuple[str, str]]) -> float:
    answers = greedy_answers(model, [list(prompt.encode()) for prompt, _ in pairs], ANSWER_LIMIT, END_OF_TEXT_ID)
    return sum(answer == list(completion.encode()) for answer, (_, completion) in zip(answers, pairs, strict=True)) / len(pairs)


def batches(pairs: list[tuple[str, str]], size: int, steps: int, seed: int) -> list[list[tuple[str, str]]]:
    """Epoch after epoch, each shuffled anew; a batch may span two."""
    random = Random(seed)
    stream: list[tuple[str, str]] = []
    while len(stream) < size * steps:
        epoch = pairs.copy()
        random.shuffle(epoch)
        stream += epoch
    return [stream[step * size : (step + 1) * size] for step in range(steps)]


def run(arguments: argparse.Namespace, seed: int) -> tuple[float, float]:
    model = load_checkpoint(arguments.model)
    train, held_out = (
        read_pairs(arguments.data / f"pig-latin-{part}.jsonl") for part in ("train", "held-out")
    )
    before = exact_match(model, held_out)
    parameters = add_lora(model, arguments.rank, seed)
    optimizer = torch.optim.AdamW(parameters, lr=arguments.lr, betas=(0.9, 0.95), eps=1e-12, weight_decay=0.0)
    tokens, started = 0, time.monotonic()
    for step, pairs in enumerate(batches(train, arguments.batch, arguments.steps, seed)):
        rows = [np.array([*(prompt + completion).encode(), END_OF_TEXT_ID]) for prompt, completion in pairs]
        batch = padded(rows, np.array([len(prompt) for prompt, _ in pairs]))
        losses = F.cross_entropy(model(batch.inputs).flatten(0, 1), batch.targets.flatten(), reduction="none")
        loss = (losses * batch.mask.flatten()).sum()
        if arguments.normalise:
            loss = loss / batch.mask.sum()
        loss.backward()
        for group in optimizer.param_groups:
            group["lr"] = arguments.lr * (1 - step / arguments.steps)
        optimizer.step()
        optimizer.zero_grad()
        tokens += batch.inputs.numel()
        if arguments.every and (step + 1) % arguments.every == 0:
            per_token = (losses * batch.mask.flatten()).sum().item() / batch.mask.sum().item()
            print(f"  step {step + 1} loss {per_token:.3f} exact {100 * exact_match(model, held_out):.1f} %", flush=True)
    after = exact_match(model, held_out)
    seconds = time.monotonic() - started
    print(
        f"seed {seed}: rank {arguments.rank} lr {arguments.lr} batch {arguments.batch} steps {arguments.steps}  "
        f"{tokens:,} tokens {seconds:.0f} s  held-out {100 * before:.1f} -> {100 * after:.1f} %  "
        f"training pairs {100 * exact_match(model, train[:100]):.1f} %",
        flush=True,
    )
    return before, after


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--batch", type=int, default=25)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--every", type=int, default=0, help="print held-out exact match every so many steps")
    parser.add_argument("--normalise", action="store_true", help="divide the loss by the batch's answer tokens")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for seed in range(arguments.seeds):
        run(arguments, seed)


if __name__ == "__main__":
    main()
