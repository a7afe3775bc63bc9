"""Words from SCOWL, the spell checkers' word lists (Debian package `scowl`)."""

import re
from pathlib import Path

PLAIN_WORD = re.compile(r"[a-z]{3,10}")


def read_words(corpora: Path, sizes: tuple[int, ...]) -> list[str]:
    """Lower-case words of 3 to 10 letters in SCOWL's English and American lists of the given sizes, sorted.

    A smaller size holds commoner words: 10 is about 4,000 of them.
    """
    words: set[str] = set()
    for size in sizes:
        for family in ("english", "american"):
            path = corpora / "usr/share/dict/scowl" / f"{family}-words.{size}"
            lines = path.read_text(encoding="latin-1").split("\n")
            words.update(line for line in lines if PLAIN_WORD.fullmatch(line))
    return sorted(words)
