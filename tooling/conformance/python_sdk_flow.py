"""Trains and samples with the official Python SDK, as its tutorials do, and prints what it got as JSON lines.

usage: python_sdk_flow.py BASE_URL BASE_MODEL FLOW_JSON
"""

import json
import os
import sys
from pathlib import Path

import tinker
from tinker import types


def settled(client):
    """From 0.38 on a new client is a future of itself."""
    return client.result() if hasattr(client, "result") else client


def tokens_of(text):
    """The flow is ASCII, and the built-in model reads bytes."""
    return list(text.encode("ascii"))


def datum_of(pair):
    prompt, answer = tokens_of(pair["prompt"]), tokens_of(pair["answer"])
    tokens = prompt + answer
    weights = [0.0] * (len(prompt) - 1) + [1.0] * len(answer)
    return types.Datum(
        model_input=types.ModelInput.from_ints(tokens[:-1]),
        loss_fn_inputs={"target_tokens": tokens[1:], "weights": weights},
    )


def main(base_url, base_model, flow_file):
    flow = json.loads(Path(flow_file).read_text())
    service = tinker.ServiceClient(base_url=base_url, api_key="tml-local")
    print(json.dumps({"sdk": tinker.__version__}))
    training = settled(
        service.create_lora_training_client(base_model=base_model, rank=flow["rank"], seed=flow["seed"])
    )
    data = [datum_of(pair) for pair in flow["data"]]
    for step in range(flow["steps"]):
        passed = training.forward_backward(data, "cross_entropy")
        stepped = training.optim_step(types.AdamParams(learning_rate=flow["learning_rate"]))
        loss = passed.result().metrics["loss:sum"]
        stepped.result()
        print(json.dumps({"step": step, "loss": loss}), flush=True)
    sampler = settled(training.save_weights_and_get_sampling_client())
    sampled = sampler.sample(
        prompt=types.ModelInput.from_ints(tokens_of(flow["sample"]["prompt"])),
        num_samples=1,
        sampling_params=types.SamplingParams(max_tokens=flow["sample"]["max_tokens"], temperature=0.0),
    ).result()
    (sequence,) = sampled.sequences
    print(json.dumps({"tokens": list(sequence.tokens), "logprobs": list(sequence.logprobs)}), flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
    # The SDK's native threads run on while an interpreter ends, which has crashed after all was printed: it is not waited for.
    sys.stdout.flush()
    os._exit(0)
