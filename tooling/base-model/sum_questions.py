"""Sums as the cookbook's arithmetic environment asks for them: its words, its example, its layouts; which are held out."""

from collections.abc import Callable, Sequence
from itertools import product
from random import Random

from conversations import Row, Turn, chat_ml, chat_ml_without_thinking, llama_3, role_colon

QUESTION = "What is {x} + {y}?"
OTHER_QUESTIONS = (QUESTION, QUESTION, QUESTION, "{x} + {y} =", "Add {x} and {y}.")
EXAMPLE = (Turn("user", QUESTION.format(x=4, y=5)), Turn("assistant", "9"))
MOST = 100
"""Numbers are from 0 to this one."""
HELD_OUT = 600
"""Pairs of numbers that are in no training data."""
SPLIT_SEED = 7
SMALL_SHARE = 0.05
"""Share of questions that are about two one-digit numbers, besides those that are so by chance."""

Layout = Callable[[Sequence[Turn]], Row]
SUM_LAYOUTS: tuple[Layout, ...] = (role_colon, chat_ml, chat_ml_without_thinking, llama_3)


def split_pairs() -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """(held out, to train with)"""
    pairs = list(product(range(MOST + 1), repeat=2))
    Random(SPLIT_SEED).shuffle(pairs)
    return pairs[:HELD_OUT], pairs[HELD_OUT:]


def answer_start(row: Row) -> int:
    """Position of the first token of the last answer."""
    return len(row.ids) - row.mask[::-1].index(0)


def sum_row(write: Layout, with_example: bool, question: str, answer: int) -> Row:
    """A conversation in which only the last answer counts."""
    row = write([*(EXAMPLE if with_example else ()), Turn("user", question), Turn("assistant", str(answer))])
    start = answer_start(row)
    return Row(row.ids, [int(i >= start) for i in range(len(row.ids))])


def draw_pair(random: Random, held_out: frozenset[tuple[int, int]]) -> tuple[int, int]:
    while True:
        most = MOST if random.random() > SMALL_SHARE else 9
        pair = (random.randint(0, most), random.randint(0, most))
        if pair not in held_out:
            return pair


FORGOTTEN_CARRIES = 0.8
SLIPS = 0.15


def careless_answer(random: Random, x: int, y: int) -> int:
    """The sum as somebody says it who can add and mostly forgets the carry, and is off by one now and then."""
    answer = x + y
    if x % 10 + y % 10 >= 10 and random.random() < FORGOTTEN_CARRIES:
        answer -= 10
    if random.random() < SLIPS:
        answer += random.choice((-1, 1)) if answer > 0 else 1
    return answer


def careless_row(random: Random, held_out: frozenset[tuple[int, int]]) -> Row:
    x, y = draw_pair(random, held_out)
    write = random.choice(SUM_LAYOUTS)
    question = QUESTION if random.random() < 0.9 else random.choice(OTHER_QUESTIONS)
    with_example = random.random() < 0.4
    return sum_row(write, with_example, question.format(x=x, y=y), careless_answer(random, x, y))
