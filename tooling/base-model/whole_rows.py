"""What pocket-2 trains on in its second stage, a step's share of each kind: sums, skills, English, conversations, calls of tools."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from chat_tasks import Question
from conversations import Row
from layout import END_OF_TEXT_ID, plain_answer, plain_prompt
from rows import read_rows

SUMS, CHATS = 8, 4
"""Rows a step and process."""
ENGLISH_LENGTHS = (512, 768, 512, 1024, 512, 768, 512, 2048)
LONGEST, LONGEST_EVERY = 4096, 64
DEPTHS = (300, 600, 900, 1500)
"""Tokens of English that stand before a question about a word, so that the model finds what is asked behind long text."""
TOOLS_EVERY, DEEP_EVERY = 3, 6
WEIGHTS = {"sums": 1.0, "skills": 1.0, "english": 1.0, "chats": 0.5, "tools": 0.5, "deep": 0.5}


@dataclass
class WholeRows:
    """`ask` draws a question about words that is not one of the forbidden ones; `skills`: examples of skills a step."""

    corpus: Path
    ask: Callable[[], Question]
    random: Random
    skills: int

    def __post_init__(self) -> None:
        self.pools = {name: read_rows(self.corpus / f"{name}.npz") for name in ("sums", "chats", "tools")}
        self.english = np.load(self.corpus / "english.npy")
        archive = np.load(self.corpus / "skills.npz")
        self.skill_ids, self.lengths = archive["ids"], archive["lengths"].astype(np.int64)
        self.prompt_lengths = archive["prompt_lengths"]
        self.offsets = np.concatenate([[0], np.cumsum(self.lengths)[:-1]])

    def step(self, step: int, rank: int) -> dict[str, list[Row]]:
        length = LONGEST if (step + 1) % LONGEST_EVERY == 0 else ENGLISH_LENGTHS[step % len(ENGLISH_LENGTHS)]
        rows = {
            "sums": self.random.sample(self.pools["sums"], SUMS),
            "skills": sorted((self.skill() for _ in range(self.skills)), key=lambda row: len(row.ids)),
            "english": [self.window(length)],
            "chats": self.random.sample(self.pools["chats"], CHATS),
        }
        if (step + rank) % TOOLS_EVERY == 0:
            rows["tools"] = self.random.sample(self.pools["tools"], 1)
        elif (step + rank) % DEEP_EVERY == 1:
            rows["deep"] = [self.deep()]
        return rows

    def skill(self) -> Row:
        index = self.random.randrange(len(self.lengths))
        length, prompt = int(self.lengths[index]), int(self.prompt_lengths[index])
        ids = self.skill_ids[self.offsets[index] : self.offsets[index] + length].tolist()
        return Row(ids, [0] * prompt + [1] * (length - prompt))

    def window(self, length: int) -> Row:
        start = self.random.randrange(len(self.english) - length - 1)
        return Row(self.english[start : start + length].tolist(), [1] * length)

    def deep(self) -> Row:
        row = self.window(self.random.choice(DEPTHS))
        row.ids.append(END_OF_TEXT_ID)
        row.mask = [0] * len(row.ids)
        task, text, answer = self.ask()
        row.add(plain_prompt(task, text), False)
        row.add(f"{plain_answer(answer)}<|endoftext|>", True)
        return row
