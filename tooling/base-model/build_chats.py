"""Writes chats.npz: short conversations that pocket-2 learns besides sums (token ids, held-out words left out).

Usage: python build_chats.py --corpora DIR/root --data ../../apps/examples/data --out DIR/corpus
"""

import argparse
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np

from build_corpus import draw_question, word_source
from chat_tasks import Question, chat_of_skills, chat_of_sums, plain_sum, small_talk, sum_with_thinking
from conversations import Row
from held_out import read_forbidden

SEED = 8
ROWS = 2000


def chat_rows(random: Random, ask: Callable[[], Question]) -> Iterator[Row]:
    kinds: tuple[tuple[Callable[[], Row], float], ...] = (
        (lambda: plain_sum(random), 8),
        (lambda: chat_of_sums(random), 42),
        (lambda: sum_with_thinking(random), 6),
        (lambda: chat_of_skills(random, ask), 16),
        (lambda: small_talk(random), 4),
    )
    draws, weights = [draw for draw, _ in kinds], [weight for _, weight in kinds]
    while True:
        yield random.choices(draws, weights)[0]()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    forbidden = read_forbidden(arguments.data)
    random = Random(SEED)
    draw_word = word_source(arguments.corpora, random)
    rows = list(islice(chat_rows(random, lambda: draw_question(random, draw_word, forbidden)), ROWS))
    np.savez(
        arguments.out / "chats.npz",
        ids=np.array([i for row in rows for i in row.ids], dtype=np.uint16),
        mask=np.array([m for row in rows for m in row.mask], dtype=np.uint8),
        lengths=np.array([len(row.ids) for row in rows], dtype=np.uint16),
    )
    print(f"{len(rows):,} conversations, {sum(len(row.ids) for row in rows):,} tokens")


if __name__ == "__main__":
    main()
