"""Prints how many sums a model gets right, in each layout, and how its skills and its English hold out in long text.

Usage: python evaluate_sums.py --model ../../packages/local/models/pocket-2 --corpora DIR/root --corpus DIR/corpus
The sums are of the numbers from 0 to 100 that the cookbook's arithmetic environment draws; the draw is a fixed one.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import numpy as np
import torch
import torch.nn.functional as F

from checkpoint import answered_right, load_checkpoint
from conversations import LAYOUTS, Row, Turn
from layout import END_OF_TEXT_ID, plain_answer, plain_prompt
from skills import SKILLS
from word_lists import read_words

SEED = 98
SUMS = 100
EXAMPLE = (Turn("user", "What is 4 + 5?"), Turn("assistant", "9"))
Layout = Callable[[Sequence[Turn]], Row]
DEPTHS = (0, 400, 1500, 3500)
DEEP_QUESTIONS = 25
PARTS = (0, 512, 1024, 2048, 4096)
WINDOWS = 6


def share_right(model: torch.nn.Module, rows: Sequence[Row]) -> float:
    """Share of rows whose last answer, the marked tokens at the end, is what greedy sampling gives."""
    lengths = [len(row.ids) - row.mask[::-1].index(0) for row in rows]
    questions = [(row.ids[:length], row.ids[length:]) for row, length in zip(rows, lengths, strict=True)]
    return sum(answered_right(model, questions)) / len(rows)


def sum_accuracy(model: torch.nn.Module, write: Layout, numbers: Sequence[tuple[int, int]], with_example: bool) -> float:
    start = EXAMPLE if with_example else ()
    turns = [[*start, Turn("user", f"What is {x} + {y}?"), Turn("assistant", str(x + y))] for x, y in numbers]
    return share_right(model, [write(conversation) for conversation in turns])


def deep_accuracy(model: torch.nn.Module, english: np.ndarray, words: list[str], depth: int) -> float:
    """Share of right answers to simple questions that stand behind `depth` tokens of English."""
    random = Random(SEED)
    rows = []
    for index in range(DEEP_QUESTIONS):
        skill = SKILLS[index % len(SKILLS)]
        word = random.choice(words)
        start = random.randrange(len(english) - depth)
        row = Row([*english[start : start + depth].tolist(), END_OF_TEXT_ID], [0] * (depth + 1))
        row.add(plain_prompt(skill.names[0], word), False)
        row.add(f"{plain_answer(skill.answer(word))}<|endoftext|>", True)
        rows.append(row)
    return share_right(model, rows)


@torch.no_grad()
def loss_by_position(model: torch.nn.Module, english: np.ndarray) -> list[float]:
    """Nats a token of English, for each part of a window of 4,096."""
    random = np.random.default_rng(SEED)
    starts = random.integers(0, len(english) - PARTS[-1] - 1, WINDOWS)
    losses = []
    for start in starts:
        ids = torch.from_numpy(english[start : start + PARTS[-1] + 1].astype(np.int64))[None]
        losses.append(F.cross_entropy(model(ids[:, :-1])[0], ids[0, 1:], reduction="none"))
    mean = torch.stack(losses).mean(0)
    return [mean[begin:end].mean().item() for begin, end in zip(PARTS, PARTS[1:])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    model = load_checkpoint(arguments.model)
    random = Random(SEED)
    groups = {"0 to 100": 100, "one digit": 9}
    for name, most in groups.items():
        numbers = [(random.randint(0, most), random.randint(0, most)) for _ in range(SUMS)]
        for write, _ in LAYOUTS:
            shares = [sum_accuracy(model, write, numbers, with_example) for with_example in (True, False)]
            print(f"{name}, {write.__name__}: {100 * shares[0]:.1f} % with the example, {100 * shares[1]:.1f} % without", flush=True)
    english = np.load(arguments.corpus / "english.npy")
    parts = ", ".join(f"{loss:.2f}" for loss in loss_by_position(model, english))
    print(f"English, nats a token between positions {PARTS}: {parts}", flush=True)
    words = read_words(arguments.corpora, (10, 20, 35))
    for depth in DEPTHS:
        print(f"skills behind {depth} tokens of English: {100 * deep_accuracy(model, english, words, depth):.0f} %")


if __name__ == "__main__":
    main()
