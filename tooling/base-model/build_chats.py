"""Writes sums.npz, chats.npz and tools.npz, which pocket-2 learns (token ids, rows with held-out words left out).

Usage: python build_chats.py --corpora DIR/root --data ../../apps/examples/data --out DIR/corpus
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np

from build_corpus import draw_question, word_source
from chat_tasks import chat_row
from conversations import Row
from held_out import Forbidden, read_forbidden
from rows import text_of, write_rows
from sum_questions import careless_row, split_pairs
from tool_tasks import QWEN_3, QWEN_3_5, tool_row

SEED = 11
ROWS = {"sums": 16_000, "chats": 4_000, "tools": 1_200}
QWEN_3_SHARE = 0.6


def allowed_word(draw_word: Callable[[], str], forbidden: Forbidden) -> str:
    while True:
        word = draw_word()
        if word.isalpha() and not forbidden.found_in(f"{word} {word[::-1]}"):
            return word


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    forbidden = read_forbidden(arguments.data)
    random = Random(SEED)
    draw_word = word_source(arguments.corpora, random)
    held_out = frozenset(split_pairs()[0])
    kinds: dict[str, Callable[[], Row]] = {
        "sums": lambda: careless_row(random, held_out),
        "chats": lambda: chat_row(random, lambda: draw_question(random, draw_word, forbidden)),
        "tools": lambda: tool_row(
            random, QWEN_3 if random.random() < QWEN_3_SHARE else QWEN_3_5, allowed_word(draw_word, forbidden)
        ),
    }
    for name, draw in kinds.items():
        drawn = [draw() for _ in range(ROWS[name])]
        rows = [row for row in drawn if not any(map(forbidden.found_in, text_of(row.ids).split("\n")))]
        write_rows(arguments.out / f"{name}.npz", rows)
        print(f"{name}: {len(rows):,} rows, {sum(len(row.ids) for row in rows):,} tokens")


if __name__ == "__main__":
    main()
