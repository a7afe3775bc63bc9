"""What pocket-2 is asked in conversations: sums, the word skills, a few greetings."""

from collections.abc import Callable, Sequence
from random import Random

from conversations import LAYOUTS, Row, Turn, chat_ml

Question = tuple[str, str, str]
"""The task's name, the given text, and the answer."""

SUM_QUESTIONS = ("What is {x} + {y}?", "What is {x} + {y}?", "What is {x} + {y}?", "{x} + {y} =", "Add {x} and {y}.")
SMALL_TALK = (
    ("Hello!", "Hello! Ask me about a word or a sum."),
    ("Hi", "Hi! Ask me about a word or a sum."),
    ("Who are you?", "I am pocket-2, a very small language model."),
    ("What can you do?", "I can answer about the letters of words, and add small numbers."),
    ("Thank you!", "You are welcome."),
)
SMALL_SHARE = 0.25
"""Share of sums of two one-digit numbers; the others have numbers from 0 to 100, as the cookbook's environment."""


def draw_numbers(random: Random) -> tuple[int, int]:
    most = 9 if random.random() < SMALL_SHARE else 100
    return random.randint(0, most), random.randint(0, most)


def plain_sum(random: Random) -> Row:
    x, y = draw_numbers(random)
    row = Row()
    row.add(f"{random.choice(('sum', 'add', 'plus'))}: {x} + {y} ->", False)
    row.add(f" {x + y}<|endoftext|>", True)
    return row


def draw_layout(random: Random) -> Callable[[Sequence[Turn]], Row]:
    return random.choices([layout for layout, _ in LAYOUTS], [weight for _, weight in LAYOUTS])[0]


def chat_of_sums(random: Random) -> Row:
    """One to four sums in a conversation; the first question in the cookbook's words, with its example or without."""
    turns: list[Turn] = []
    if random.random() < 0.5:
        turns += [Turn("user", "What is 4 + 5?"), Turn("assistant", "9")]
    for _ in range(random.randint(1, 3)):
        x, y = draw_numbers(random)
        turns += [Turn("user", random.choice(SUM_QUESTIONS).format(x=x, y=y)), Turn("assistant", str(x + y))]
    return draw_layout(random)(turns)


def sum_with_thinking(random: Random) -> Row:
    """`/think` asks for a block of thinking, as with Qwen3; it says the sum of the tens and that of the ones first."""
    x, y = draw_numbers(random)
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
