"""Trains on one sequence with the official Python SDK, one step after the other, and prints what it got as JSON lines.

usage: reference.py BASE_URL BASE_MODEL TOKENS_JSON OVERFIT_JSON

The losses are sums over the tokens of the answer, from the log-probabilities of each: what servers call a loss differs.
"""

import json
import sys
from pathlib import Path

import tinker
from tinker import types


def datum_of(tokens, prompt_length):
    weights = [float(position + 1 >= prompt_length) for position in range(len(tokens) - 1)]
    return types.Datum(
        model_input=types.ModelInput.from_ints(tokens[:-1]),
        loss_fn_inputs={
            "target_tokens": types.TensorData(data=tokens[1:], dtype="int64", shape=[len(weights)]),
            "weights": types.TensorData(data=weights, dtype="float32", shape=[len(weights)]),
        },
    ), weights


def loss_of(output, weights):
    logprobs = output.loss_fn_outputs[0]["logprobs"].data
    return -sum(weight * logprob for weight, logprob in zip(weights, logprobs, strict=True))


def main(base_url, base_model, tokens_json, overfit_json):
    overfit = json.loads(Path(overfit_json).read_text())
    tokens = json.loads(tokens_json)
    service = tinker.ServiceClient(base_url=base_url, api_key="tml-dummy")
    training = service.create_lora_training_client(
        base_model=base_model, rank=overfit["rank"], seed=overfit["seed"]
    )
    datum, weights = datum_of(tokens, overfit["prompt_length"])
    losses = []
    for _ in range(overfit["steps"]):
        output = training.forward_backward([datum], "cross_entropy").result()
        training.optim_step(types.AdamParams(learning_rate=overfit["learning_rate"])).result()
        losses.append(loss_of(output, weights))
    print(json.dumps({"sdk": tinker.__version__, "losses": losses}), flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
