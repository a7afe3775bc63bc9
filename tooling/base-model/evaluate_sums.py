"""Prints how many sums a model gets right, in each layout, and how its skills hold out behind long text.

Usage: python evaluate_sums.py --model ../../packages/local/models/pocket-2 --corpora DIR/root --corpus DIR/corpus
The sums are of the numbers from 0 to 100 that the cookbook's arithmetic environment draws; the draw is a fixed one.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import numpy as np
import torch

from checkpoint import answered_right, load_checkpoint
from conversations import LAYOUTS, Row, Turn
from layout import END_OF_TEXT_ID, plain_answer, plain_prompt
from skills import SKILLS
from word_lists import read_words

SEED = 98
SUMS = 200
EXAMPLE = (Turn("user", "What is 4 + 5?"), Turn("assistant", "9"))
Layout = Callable[[Sequence[Turn]], Row]
DEPTHS = (0, 200, 400)
DEEP_QUESTIONS = 8


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
            print(f"{name}, {write.__name__}: {100 * shares[0]:.1f} % with the example, {100 * shares[1]:.1f} % without")
    english = np.load(arguments.corpus / "english.npy")
    words = read_words(arguments.corpora, (10, 20, 35))
    for depth in DEPTHS:
        print(f"skills behind {depth} tokens of English: {100 * deep_accuracy(model, english, words, depth):.0f} %")


if __name__ == "__main__":
    main()
