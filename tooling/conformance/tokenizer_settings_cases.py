"""Writes random folders of a tokenizer whose settings stand beside tokenizer.json, and what AutoTokenizer makes of them.

`python tokenizer_settings_cases.py --seed 1 --count 250` prints one JSON line for each folder. It needs transformers 5.24.
"""

import argparse
import json
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "packages/tokenizer/fixtures/settings"))

from record import PURPOSES, TOKENIZER, listed, look  # noqa: E402

# Some stand in the vocabulary, some among the added tokens of tokenizer.json. None is nothing but white space: with lstrip or rstrip two of
# them in a row are read otherwise here.
CONTENTS = ["<s>", "</s>", "ab", "<|end|>", "<think>", "<|new|>", "<|pad|>", "<tool>", "<image>", "<M>", "word", "<|é|>", "<X>", "__"]
FLAGS = ["special", "normalized", "single_word", "lstrip", "rstrip"]
OWN_NAMES = ["image_token", "audio_token", "boi_token"]


def flags(rng):
    return {name: rng.random() < 0.5 for name in FLAGS if rng.random() < 0.5}


def token(rng):
    """A token as settings have one: text, or an object with flags."""
    content = rng.choice(CONTENTS)
    if rng.random() < 0.6:
        return content
    made = listed(content, **flags(rng))
    return {"__type": "AddedToken", **made} if rng.random() < 0.7 else made


def tokens(rng):
    return [token(rng) for _ in range(rng.randint(0, 3))]


def named(rng, share):
    return {f"{purpose}_token": None if rng.random() < 0.1 else token(rng) for purpose in PURPOSES if rng.random() < share}


def extra(rng):
    made = {}
    if rng.random() < 0.3:
        made["additional_special_tokens"] = tokens(rng)
    if rng.random() < 0.3:
        by_name = {rng.choice(OWN_NAMES): rng.choice(CONTENTS) for _ in range(rng.randint(0, 2))}
        made["extra_special_tokens"] = by_name if rng.random() < 0.5 else tokens(rng)
    if rng.random() < 0.2:
        made[rng.choice(OWN_NAMES)] = rng.choice(CONTENTS)
    return made


def folder(rng):
    config = {**named(rng, 0.25), **extra(rng)}
    if rng.random() < 0.4:
        ids = rng.sample([*range(40, 50), 60, 100], rng.randint(0, 4))
        config["added_tokens_decoder"] = {str(id): listed(rng.choice(CONTENTS), **flags(rng)) for id in ids}
    for name in ["add_bos_token", "add_eos_token", "add_prefix_space"]:
        if rng.random() < 0.1:
            config[name] = rng.random() < 0.5
    files = {"tokenizer_config.json": config}
    if rng.random() < 0.35:
        files["special_tokens_map.json"] = {**named(rng, 0.25), **extra(rng)}
    if rng.random() < 0.3:
        files["added_tokens.json"] = {rng.choice(CONTENTS): id for id in rng.sample(range(40, 70), rng.randint(0, 3))}
    return files


def tokenizer_of(rng):
    """The tokenizer.json itself varies in what settings depend on."""
    made = json.loads(json.dumps(TOKENIZER))
    if rng.random() < 0.2:
        made["padding"] = {
            "strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None, "pad_id": 43, "pad_type_id": 0,
            "pad_token": rng.choice(CONTENTS),
        }
    if rng.random() < 0.3:
        made["normalizer"] = None
    if rng.random() < 0.2:
        made["added_tokens"] = []
    return made


def result(tokenizer, files):
    with tempfile.TemporaryDirectory() as directory:
        for file, content in {"tokenizer.json": tokenizer, **files}.items():
            pathlib.Path(directory, file).write_text(json.dumps(content))
        try:
            return look(directory, files)
        except Exception as error:
            return {"error": f"{type(error).__name__}: {error}"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=250)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    for _ in range(arguments.count):
        files, tokenizer = folder(rng), tokenizer_of(rng)
        files["tokenizer_config.json"] = {"tokenizer_class": "PreTrainedTokenizerFast", **files["tokenizer_config.json"]}
        print(json.dumps({"files": files, "tokenizer": tokenizer, "result": result(tokenizer, files)}), flush=True)


if __name__ == "__main__":
    main()
