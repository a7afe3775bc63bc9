"""Loads adapter directories with peft, and prints the log-probability of each token of a sequence behind its first.

Arguments: `--check`, to see whether all that is needed is there; or the base model's directory, the tokens as JSON, and the adapters' directories. One JSON line for the base model alone,
and one for each adapter.
"""

import json
import os
import sys

# All that is loaded lies on this machine: peft would ask the hub about the base model by its name.
os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM


def logprobs(model, tokens):
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([tokens])).logits[0, :-1]
    chosen = torch.log_softmax(logits.double(), dim=-1).gather(1, torch.tensor(tokens[1:])[:, None])
    return chosen[:, 0].tolist()


def load_base(directory):
    return AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32).eval()


def main():
    if sys.argv[1:] == ["--check"]:
        return
    base, text, *adapters = sys.argv[1:]
    tokens = json.loads(text)
    print(json.dumps({"adapter": None, "logprobs": logprobs(load_base(base), tokens)}))
    for adapter in adapters:
        model = PeftModel.from_pretrained(load_base(base), adapter).eval()
        layers = sum("lora_A" in name for name, _ in model.named_parameters())
        print(json.dumps({"adapter": adapter, "logprobs": logprobs(model, tokens), "layers": layers}))


main()
