"""Vowels, consonants and word shapes: what the skills and the quickstart's task agree on."""

from random import Random

VOWELS = "aeiou"
ONSETS = (
    "b c d f g h j k l m n p r s t v w y z b c d f g h l m n p r s t w "
    "bl br ch cl cr dr fl fr gl gr kn pl pr qu sc sh sk sl sm sn sp st sw th tr tw wh wr "
    "scr shr spl spr squ str thr"
).split()
NUCLEI = "a e i o u a e i o u ai ea ee ou oo oi au ie".split()
CODAS = "b ck d ft g k l ld ll lt m mp n nd ng nk nt p r rd rk rm rn rt s sh sk ss st t th x".split()


def onset_length(word: str) -> int:
    """Number of leading consonant letters. `y` is a consonant only as the first letter; `qu` counts as consonants.

    The length of the word where it holds no vowel.
    """
    for index, letter in enumerate(word):
        if letter == "u" and index > 0 and word[index - 1] == "q":
            continue
        if letter in VOWELS or (letter == "y" and index > 0):
            return index
    return len(word)


def is_vowel_at(word: str, index: int) -> bool:
    """Plain letters a, e, i, o, u; position plays no part."""
    return word[index] in VOWELS


def invented_word(random: Random) -> str:
    """A pronounceable word that means nothing, 3 to 10 letters."""
    while True:
        parts = []
        for _ in range(random.choice((1, 1, 2, 2, 2, 3))):
            parts.append(random.choice(ONSETS) if random.random() < 0.85 else "")
            parts.append(random.choice(NUCLEI))
            parts.append(random.choice(CODAS) if random.random() < 0.5 else "")
        word = "".join(parts)
        if 3 <= len(word) <= 10:
            return word
