"""Proves that the held-out words are in no training data: reads back what train.py reads, and fine-tuning's pairs.

Usage: python check_held_out.py --corpus DIR/corpus --data ../../apps/examples/data
Looks for held-out words, their Pig Latin and the task's name: whole words, any case. Exit code 1 where one is found.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from held_out import Forbidden, held_out_words, read_forbidden
from quickstart_words import read_pairs
from rows import text_of


def occurrences(text: str, forbidden: Forbidden) -> Counter[str]:
    return Counter(word for line in text.split("\n") for word in forbidden.found_in(line))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    arguments = parser.parse_args()
    forbidden = read_forbidden(arguments.data)
    training_pairs = read_pairs(arguments.data / "pig-latin-train.jsonl")
    texts = {
        "English text": text_of(np.load(arguments.corpus / "english.npy")),
        "skill examples": text_of(np.load(arguments.corpus / "skills.npz")["ids"]),
    }
    for name in ("sums", "chats", "tools"):
        path = arguments.corpus / f"{name}.npz"
        if path.exists():
            texts[name] = text_of(np.load(path)["ids"])
    found = {name: occurrences(text, forbidden) for name, text in texts.items()}
    pair_text = "\n".join(prompt.split(": ")[1] + completion for prompt, completion in training_pairs)
    found["fine-tuning pairs"] = occurrences(pair_text, forbidden)

    print(f"searched for {len(held_out_words(arguments.data))} held-out words, {len(forbidden.words)} forms in all")
    for name, text in {**texts, "fine-tuning pairs": pair_text}.items():
        print(f"{name}: {len(text):,} characters, {found[name].total()} occurrences {dict(found[name]) or ''}".rstrip())
    if any(found.values()):
        sys.exit(1)


if __name__ == "__main__":
    main()
