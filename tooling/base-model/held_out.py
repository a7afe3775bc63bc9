"""What must not be in the base model's training data, and how text is searched for it."""

import re
from dataclasses import dataclass
from pathlib import Path

from pig_latin import pig_latin
from quickstart_words import TASK, read_pairs, word_of

LETTER_RUN = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class Forbidden:
    """`words`: held-out words and their Pig Latin; `phrase`: the task's name."""

    words: frozenset[str]
    phrase: str

    def found_in(self, text: str) -> set[str]:
        """The forbidden words in `text` as whole words, and the phrase, whatever the case."""
        lower = text.lower()
        found = self.words.intersection(LETTER_RUN.findall(lower))
        return found | {self.phrase} if self.phrase in lower else set(found)


def held_out_words(data: Path) -> list[str]:
    return [word_of(prompt) for prompt, _ in read_pairs(data / "pig-latin-held-out.jsonl")]


def read_forbidden(data: Path) -> Forbidden:
    words = held_out_words(data)
    return Forbidden(frozenset([*words, *map(pig_latin, words)]), TASK.lower())
