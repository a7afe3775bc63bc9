"""The word skills the base model learns: names, a function from the given text to the answer, a weight.

Pig Latin is not among them, and none of them moves the leading consonants of a word to its end.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from letters import VOWELS, is_vowel_at, onset_length


@dataclass(frozen=True)
class Skill:
    """`names`: ways a prompt asks for it; `answer`: from the given text; `weight`: share of examples; `shape`: of the text."""

    names: tuple[str, ...]
    answer: Callable[[str], str]
    weight: float = 1.0
    shape: str = "word"


def onset(word: str) -> str:
    return word[: onset_length(word)] or "none"


def rest(word: str) -> str:
    return word[onset_length(word) :] or "none"


def keep(word: str, vowels: bool) -> str:
    return "".join(word[i] for i in range(len(word)) if is_vowel_at(word, i) == vowels) or "none"


def swap_parts(text: str, mark: str, joint: str) -> str:
    first, second = text.split(mark)
    return second + joint + first


def next_letter(word: str) -> str:
    return "".join(chr((ord(letter) - ord("a") + 1) % 26 + ord("a")) for letter in word)


def yes_no(truth: bool) -> str:
    return "yes" if truth else "no"


SKILLS: tuple[Skill, ...] = (
    Skill(("copy", "repeat", "say"), lambda w: w, 0.7),
    Skill(("reverse", "backwards", "mirror"), lambda w: w[::-1], 1.5),
    Skill(("rotate one", "rotate by one", "first letter last"), lambda w: w[1:] + w[0], 2.0),
    Skill(("rotate two", "rotate by two", "first two letters last"), lambda w: w[2:] + w[:2], 2.0),
    Skill(("rotate three", "rotate by three", "first three letters last"), lambda w: w[3:] + w[:3], 2.0),
    Skill(("rotate back one", "last letter first"), lambda w: w[-1] + w[:-1], 1.0),
    Skill(("rotate back two", "last two letters first"), lambda w: w[-2:] + w[:-2], 1.0),
    Skill(("split", "split at the first vowel"), lambda w: f"{w[: onset_length(w)]}-{rest(w)}", 2.0),
    Skill(("onset", "consonants before the first vowel"), onset, 1.5),
    Skill(("rest", "from the first vowel on"), rest, 2.0),
    Skill(("drop first", "without the first letter"), lambda w: w[1:], 1.0),
    Skill(("drop two", "without the first two letters"), lambda w: w[2:] or "none", 1.0),
    Skill(("drop last", "without the last letter"), lambda w: w[:-1], 1.0),
    Skill(("first letter", "initial"), lambda w: w[0], 0.4),
    Skill(("last letter", "final letter"), lambda w: w[-1], 0.4),
    Skill(("first two letters",), lambda w: w[:2], 0.4),
    Skill(("spell", "spell with dashes"), lambda w: "-".join(w), 0.8),
    Skill(("double", "double every letter"), lambda w: "".join(letter * 2 for letter in w), 0.8),
    Skill(("double last", "double the last letter"), lambda w: w + w[-1], 0.6),
    Skill(("twice", "say it twice"), lambda w: w + w, 0.8),
    Skill(("vowels", "vowels only"), lambda w: keep(w, True), 0.8),
    Skill(("consonants", "consonants only"), lambda w: keep(w, False), 0.8),
    Skill(("hide vowels", "stars for vowels"), lambda w: "".join("*" if c in VOWELS else c for c in w), 0.8),
    Skill(("upper case", "shout"), str.upper, 0.8),
    Skill(("capital", "capitalize"), str.capitalize, 0.6),
    Skill(("count letters", "length"), lambda w: str(len(w)), 0.5),
    Skill(("count vowels",), lambda w: str(sum(c in VOWELS for c in w)), 0.4),
    Skill(("starts with a vowel",), lambda w: yes_no(onset_length(w) == 0), 0.8),
    Skill(("swap ends", "swap first and last"), lambda w: w[-1] + w[1:-1] + w[0], 1.0),
    Skill(("odd letters", "every other letter"), lambda w: w[::2], 0.6),
    Skill(("next letters", "shift by one"), next_letter, 0.6),
    Skill(("sort", "sort letters"), lambda w: "".join(sorted(w)), 0.6),
    Skill(("add ing", "append ing"), lambda w: w + "ing", 0.8),
    Skill(("add ed", "append ed"), lambda w: w + "ed", 0.8),
    Skill(("add ly", "append ly"), lambda w: w + "ly", 0.8),
    Skill(("add ness", "append ness"), lambda w: w + "ness", 0.8),
    Skill(("add un", "put un before"), lambda w: "un" + w, 0.6),
    Skill(("drop first and add o",), lambda w: w[1:] + "o", 0.6),
    Skill(("reverse and add s",), lambda w: w[::-1] + "s", 0.6),
    Skill(("last letter first and add um",), lambda w: w[-1] + w[:-1] + "um", 0.8),
    Skill(("double last and add en",), lambda w: w + w[-1] + "en", 0.6),
    Skill(("swap parts", "swap at the dash"), lambda t: swap_parts(t, "-", ""), 2.0, "dashed"),
    Skill(("join", "remove the dash"), lambda t: t.replace("-", ""), 0.8, "dashed"),
    Skill(("swap words", "other way round"), lambda t: swap_parts(t, " ", " "), 1.0, "pair"),
    Skill(("join words", "without the space"), lambda t: t.replace(" ", ""), 0.8, "pair"),
    Skill(("first word",), lambda t: t.split(" ")[0], 0.4, "pair"),
    Skill(("second word", "last word"), lambda t: t.split(" ")[1], 0.4, "pair"),
    Skill(("longer word",), lambda t: max(t.split(" "), key=len), 0.4, "pair"),
    Skill(("append", "add"), lambda t: t.replace("+", ""), 1.5, "suffix"),
    Skill(("prefix", "put before"), lambda t: "".join(reversed(t.split("+"))), 0.8, "suffix"),
)


def draw_text(shape: str, draw_word: Callable[[], str], random: Random) -> str:
    """`word`: one word; `dashed`: cut by a dash anywhere inside; `pair`: two words; `suffix`: word+letters."""
    word = draw_word()
    if shape == "dashed":
        cut = random.randint(1, len(word) - 1)
        return f"{word[:cut]}-{word[cut:]}"
    if shape == "pair":
        return f"{word} {draw_word()}"
    if shape == "suffix":
        return f"{word}+{draw_word()[: random.randint(1, 3)]}"
    return word
