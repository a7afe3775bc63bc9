"""What pocket-2 is asked in conversations besides sums: the word skills, sums with thinking, a few greetings."""

from collections.abc import Callable, Sequence
from random import Random

from conversations import LAYOUTS, Row, Turn, chat_ml

Question = tuple[str, str, str]
"""The task's name, the given text, and the answer."""

SMALL_TALK = (
    ("Hello!", "Hello! Ask me about a word or a sum."),
    ("Hi", "Hi! Ask me about a word or a sum."),
    ("Who are you?", "I am pocket-2, a very small language model."),
    ("What can you do?", "I can answer about the letters of words, and add small numbers."),
    ("Thank you!", "You are welcome."),
)
SMALL_SHARE = 0.25
"""Share of sums with thinking of two one-digit numbers; the others have numbers from 0 to 100."""


def draw_layout(random: Random) -> Callable[[Sequence[Turn]], Row]:
    return random.choices([layout for layout, _ in LAYOUTS], [weight for _, weight in LAYOUTS])[0]


def sum_with_thinking(random: Random) -> Row:
    """`/think` asks for a block of thinking, as with Qwen3; it says the sum of the tens and that of the ones first."""
    most = 9 if random.random() < SMALL_SHARE else 100
    x, y = random.randint(0, most), random.randint(0, most)
    tens, ones = x // 10 * 10 + y // 10 * 10, x % 10 + y % 10
    thought = f"<think>\n{tens} + {ones} = {x + y}\n</think>\n\n{x + y}"
    return chat_ml([Turn("user", f"What is {x} + {y}? /think"), Turn("assistant", thought)])


def chat_of_skills(random: Random, draw_question: Callable[[], Question]) -> Row:
    turns: list[Turn] = []
    for _ in range(random.randint(1, 2)):
        task, text, answer = draw_question()
        turns += [Turn("user", f"{task}: {text}"), Turn("assistant", answer)]
    return draw_layout(random)(turns)


def small_talk(random: Random) -> Row:
    question, answer = random.choice(SMALL_TALK)
    return draw_layout(random)([Turn("user", question), Turn("assistant", answer)])


def chat_row(random: Random, draw_question: Callable[[], Question]) -> Row:
    draw = random.random()
    if 0.45 <= draw < 0.6:
        return small_talk(random)
    return sum_with_thinking(random) if 0.6 <= draw < 0.8 else chat_of_skills(random, draw_question)
