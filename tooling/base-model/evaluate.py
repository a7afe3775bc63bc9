"""Prints what the base model can do: accuracy of each skill, the loss of its training text, samples of its English.

Usage: python evaluate.py --model ../../packages/local/models/pocket-1 --corpora DIR/root --corpus DIR/corpus
Half of the words are invented; the others come from the lists that training drew from. The draws are new ones, so a
question that training held is rare. Held-out words may be asked here: nothing is learnt from the answers.
"""

import argparse
from itertools import islice
from pathlib import Path
from random import Random

import torch
import torch.nn.functional as F

from batches import english_batches
from checkpoint import answered_right, load_checkpoint
from layout import END_OF_TEXT_ID, plain_tokens
from letters import invented_word
from skills import SKILLS, draw_text
from word_lists import read_words

SEED = 99
QUESTIONS = 50
LOSS_TOKENS, LOSS_BATCHES = 2048, 32
OPENINGS = ("The ", "She was ", "It is a truth ", '"I hope, ', "house: ", "music: ")


def skill_accuracies(model: torch.nn.Module, words: list[str]) -> list[tuple[str, float]]:
    random = Random(SEED)

    def draw_word() -> str:
        return invented_word(random) if random.random() < 0.5 else random.choice(words)

    results = []
    for skill in SKILLS:
        texts = [draw_text(skill.shape, draw_word, random) for _ in range(QUESTIONS)]
        questions = [plain_tokens(skill.names[0], text, skill.answer(text)) for text in texts]
        results.append((skill.names[0], sum(answered_right(model, questions)) / QUESTIONS))
    return results


@torch.no_grad()
def english_loss(model: torch.nn.Module, path: Path) -> float:
    """Nats a token over 32 fixed batches of windows from the text that training draws from (65,536 tokens)."""
    drawn = islice(english_batches(path, LOSS_TOKENS, SEED), LOSS_BATCHES)
    losses = [F.cross_entropy(model(batch.inputs).flatten(0, 1), batch.targets.flatten()) for batch in drawn]
    return torch.stack(losses).mean().item()


@torch.no_grad()
def sample(model: torch.nn.Module, opening: str, length: int, temperature: float, seed: int) -> str:
    generator = torch.Generator().manual_seed(seed)
    ids = torch.tensor([[END_OF_TEXT_ID, *opening.encode()]])
    while ids.shape[1] < length:
        probabilities = (model(ids)[:, -1] / temperature).softmax(-1)
        token = torch.multinomial(probabilities, 1, generator=generator)
        if token.item() >= END_OF_TEXT_ID:
            break
        ids = torch.cat([ids, token], dim=1)
    return bytes(ids[0, 1:].tolist()).decode(errors="replace")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    model = load_checkpoint(arguments.model)
    accuracies = skill_accuracies(model, read_words(arguments.corpora, (10, 20, 35, 40, 50)))
    for name, accuracy in accuracies:
        print(f"| {name} | {100 * accuracy:.0f} % |")
    print(f"mean {100 * sum(value for _, value in accuracies) / len(accuracies):.1f} %")
    print(f"English: {english_loss(model, arguments.corpus / 'english.npy'):.3f} nats a token\n")
    for index, opening in enumerate(OPENINGS):
        print(sample(model, opening, 280, 0.7, index).replace("\n", " / "), "\n")


if __name__ == "__main__":
    main()
