"""Checks that the exported directory is what Hugging Face libraries expect: equal logits, and a tokenizer that round-trips.

Usage: python verify_export.py --model ../../packages/local/models/pocket-1
"""

import argparse
import json
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import AutoTokenizer, LlamaForCausalLM

from checkpoint import load_checkpoint
from layout import END_OF_TEXT, END_OF_TEXT_ID
from model_kinds import MODEL_KINDS

TEXTS = ("Pig Latin: planet ->", "naïve café — 日本語 🙂", "", " two  spaces\n\ttab\x00", "a<|im_end|>\n<|endoftext|>")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    folder = parser.parse_args().model

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    for text in TEXTS:
        ids = tokenizer.encode(text).ids
        if tokenizer.decode(ids, skip_special_tokens=False) != text:
            raise SystemExit(f"the tokenizer changes {text!r}")
    if tokenizer.encode("A\n" + END_OF_TEXT).ids != [65, 10, END_OF_TEXT_ID]:
        raise SystemExit("a byte's id is not its value")
    chat = AutoTokenizer.from_pretrained(folder).apply_chat_template(
        [{"role": "user", "content": "reverse: planet"}], add_generation_prompt=True, tokenize=False
    )
    if chat != "<|im_start|>user\nreverse: planet<|im_end|>\n<|im_start|>assistant\n":
        raise SystemExit(f"the chat template gives {chat!r}")

    config = json.loads((folder / "config.json").read_text())
    for token in MODEL_KINDS[folder.name].tokens:
        if len(tokenizer.encode(token).ids) != 1:
            raise SystemExit(f"{token} is more than one token")

    theirs = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    ours = load_checkpoint(folder)
    shape = (2, config["max_position_embeddings"])
    ids = torch.randint(0, config["vocab_size"], shape, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        difference = (theirs(ids).logits - ours(ids)).abs().max().item()
    print(f"largest difference between transformers' logits and ours at {shape[0]} x {shape[1]} tokens: {difference:.2e}")
    if difference > 1e-3:
        raise SystemExit("the export does not give the same model in transformers")


if __name__ == "__main__":
    main()
