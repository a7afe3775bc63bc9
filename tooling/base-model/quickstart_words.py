"""Chooses the quickstart's words and writes its two data files.

Usage: python quickstart_words.py --corpora DIR/root --out ../../apps/examples/data
Held-out words are ones that the English text uses seldom, so that leaving their sentences out costs little.
"""

import argparse
import collections
import json
import re
from pathlib import Path
from random import Random

from english_text import austen_paragraphs, wordnet_entries
from layout import plain_answer, plain_prompt
from letters import VOWELS
from pig_latin import pig_latin
from word_lists import read_words

TASK = "Pig Latin"
SEED = 20
TRAIN_COUNT = 500
HELD_OUT_COUNT = 100
HELD_OUT_MAX_USES = 60
INFLECTED = re.compile(r".*(s|ed|ing|er|est|ly)")
LEFT_OUT = re.compile(
    r"sex|kill|dead|bomb|hell|damn|rape|suicide|drug|drunk|naked|nude|crap|shit|fuck|bastard|idiot|stupid|condom|gay|slave|tortur|catholic|devil|hate|fat$|lavatory"
)


def common_stems(corpora: Path) -> list[str]:
    """Common words of 3 to 8 letters that are no inflection, with one vowel letter or y at least."""
    words = read_words(corpora, (10, 20))
    return [
        word
        for word in words
        if len(word) <= 8
        and not INFLECTED.fullmatch(word)
        and not LEFT_OUT.search(word)
        and any(letter in VOWELS + "y" for letter in word)
        and word != word[0] * len(word)
    ]


def without_kin(words: list[str]) -> list[str]:
    """Drops a word whose first four letters begin an earlier word, so that no held-out word has kin in training."""
    seen: set[str] = set()
    kept = []
    for word in words:
        if word[:4] not in seen:
            seen.add(word[:4])
            kept.append(word)
    return kept


def choose(corpora: Path) -> tuple[list[str], list[str]]:
    """(training words, held-out words), both sorted."""
    words = common_stems(corpora)
    Random(SEED).shuffle(words)
    words = without_kin(words)
    text = "\n".join([*austen_paragraphs(corpora), *wordnet_entries(corpora)]).lower()
    uses = collections.Counter(re.findall(r"[a-z]+", text))
    held_out = [word for word in words if uses[word] <= HELD_OUT_MAX_USES and len(word) >= 4][:HELD_OUT_COUNT]
    train = [word for word in words if word not in set(held_out)][:TRAIN_COUNT]
    return sorted(train), sorted(held_out)


def write_pairs(path: Path, words: list[str]) -> None:
    rows = [
        {"prompt": plain_prompt(TASK, word), "completion": plain_answer(pig_latin(word))} for word in words
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def read_pairs(path: Path) -> list[tuple[str, str]]:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [(row["prompt"], row["completion"]) for row in rows]


def word_of(prompt: str) -> str:
    return prompt.removeprefix(f"{TASK}: ").removesuffix(" ->")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    train, held_out = choose(arguments.corpora)
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_pairs(arguments.out / "pig-latin-train.jsonl", train)
    write_pairs(arguments.out / "pig-latin-held-out.jsonl", held_out)
    print(f"{len(train)} training and {len(held_out)} held-out pairs in {arguments.out}")


if __name__ == "__main__":
    main()
