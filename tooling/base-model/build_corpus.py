"""Writes the base model's training data: english.npy and skills.npz (token ids, held-out words left out).

Usage: python build_corpus.py --corpora DIR/root --data ../../apps/examples/data --out DIR/corpus
"""

import argparse
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import numpy as np

from english_text import austen_paragraphs, wordnet_entries
from held_out import Forbidden, read_forbidden
from layout import END_OF_TEXT_ID, chat_tokens, plain_tokens
from letters import invented_word
from skills import SKILLS, draw_text
from word_lists import read_words

SEED = 7
EXAMPLE_COUNT = 600_000
CHAT_SHARE = 0.06
INVENTED_SHARE = 0.35
CAPITAL_SHARE = 0.15
SKILL_WEIGHTS = [skill.weight for skill in SKILLS]
NOVEL_PIECE_CHARACTERS = 1500
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[.!?]\")\s+")


def clean(text: str, forbidden: Forbidden) -> str:
    """`text` without the sentences in which a forbidden word occurs."""
    if not forbidden.found_in(text):
        return text
    return " ".join(sentence for sentence in SENTENCE_END.split(text) if not forbidden.found_in(sentence))


def novel_pieces(corpora: Path, forbidden: Forbidden) -> Iterator[str]:
    """Consecutive paragraphs, joined to pieces of some length."""
    piece: list[str] = []
    for paragraph in austen_paragraphs(corpora):
        text = clean(paragraph, forbidden)
        if text:
            piece.append(text)
        if sum(map(len, piece)) > NOVEL_PIECE_CHARACTERS:
            yield "\n".join(piece)
            piece = []


def dictionary_pieces(corpora: Path, forbidden: Forbidden) -> Iterator[str]:
    """Entries whose names are plain lower-case words; an entry goes as a whole, an example by itself."""
    for entry in wordnet_entries(corpora):
        definition, *examples = entry.split("\n")
        name = definition.split(":")[0]
        if name != name.lower() or not name.replace(" ", "").replace(",", "").isalpha():
            continue
        if not forbidden.found_in(definition):
            yield "\n".join([definition, *(line for line in examples if not forbidden.found_in(line))])


def english_ids(corpora: Path, forbidden: Forbidden) -> np.ndarray:
    pieces = [*novel_pieces(corpora, forbidden), *dictionary_pieces(corpora, forbidden)]
    Random(SEED).shuffle(pieces)
    ids: list[int] = []
    for piece in pieces:
        ids.append(END_OF_TEXT_ID)
        ids.extend(piece.encode())
    return np.array(ids, dtype=np.uint16)


def word_source(corpora: Path, random: Random) -> Callable[[], str]:
    """Draws a word of the lists, or an invented one."""
    words = read_words(corpora, (10, 20, 35, 40, 50))
    return lambda: invented_word(random) if random.random() < INVENTED_SHARE else random.choice(words)


def draw_question(random: Random, draw_word: Callable[[], str], forbidden: Forbidden) -> tuple[str, str, str]:
    """(task, text, answer), drawn by weight; one that shows a forbidden word is drawn again."""
    while True:
        skill = random.choices(SKILLS, SKILL_WEIGHTS)[0]
        name = random.choice(skill.names)
        text = draw_text(skill.shape, draw_word, random)
        answer = skill.answer(text)
        if forbidden.found_in(f"{text} {answer}") or (skill.shape == "suffix" and answer.endswith("ay")):
            continue
        return name.capitalize() if random.random() < CAPITAL_SHARE else name, text, answer


def skill_examples(corpora: Path, forbidden: Forbidden) -> Iterator[tuple[list[int], list[int]]]:
    """(prompt ids, answer ids)"""
    random = Random(SEED)
    draw_word = word_source(corpora, random)
    for _ in range(EXAMPLE_COUNT):
        question = draw_question(random, draw_word, forbidden)
        write = chat_tokens if random.random() < CHAT_SHARE else plain_tokens
        yield write(*question)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    forbidden = read_forbidden(arguments.data)
    arguments.out.mkdir(parents=True, exist_ok=True)

    english = english_ids(arguments.corpora, forbidden)
    np.save(arguments.out / "english.npy", english)

    ids: list[int] = []
    prompt_lengths, lengths = [], []
    for prompt, answer in skill_examples(arguments.corpora, forbidden):
        ids.extend(prompt)
        ids.extend(answer)
        prompt_lengths.append(len(prompt))
        lengths.append(len(prompt) + len(answer))
    np.savez(
        arguments.out / "skills.npz",
        ids=np.array(ids, dtype=np.uint16),
        prompt_lengths=np.array(prompt_lengths, dtype=np.uint16),
        lengths=np.array(lengths, dtype=np.uint16),
    )
    print(f"{len(english):,} tokens of English, {len(lengths):,} skill examples with {len(ids):,} tokens")


if __name__ == "__main__":
    main()
