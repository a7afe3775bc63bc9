"""English to Pig Latin: the quickstart's task. The base model's training data must not contain it."""

from letters import onset_length


def pig_latin(word: str) -> str:
    """`planet` -> `anetplay`, `quiet` -> `ietquay`, `apple` -> `appleway`, `style` -> `ylestay`, `yellow` -> `ellowyay`."""
    split = onset_length(word)
    return word + "way" if split == 0 else word[split:] + word[:split] + "ay"
