"""The official Python SDK in client.bench.ts: python client_python.py ORIGIN.

Reads one JSON object a line, {"samples": N} or {"steps": N}, does that work, checks every result, and prints what it took.
"""

import json
import os
import resource
import sys
import time

os.environ.update(TINKER_API_KEY="tml-bench", TINKER_TELEMETRY="0")

import numpy as np
import tinker
from tinker import types

PROMPT_LENGTH, LENGTH, DATUMS, DATUM_LENGTH = 256, 64, 128, 512


def cpu_s():
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


def measured(work):
    cpu, started = cpu_s(), time.perf_counter()
    results = work()
    took = {"tookMs": 1000 * (time.perf_counter() - started), "cpuMs": 1000 * (cpu_s() - cpu)}
    took["maxRssMb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return results, took


service = tinker.ServiceClient(base_url=sys.argv[1])
sampler = service.create_sampling_client(base_model="Qwen/Qwen3-8B")
params = types.SamplingParams(max_tokens=LENGTH)


def sample_many(count):
    prompts = [
        types.ModelInput.from_ints([index, *range(1001, 1000 + PROMPT_LENGTH)]) for index in range(count)
    ]
    submit_ms = []

    def work():
        futures = []
        for prompt in prompts:
            started = time.perf_counter()
            futures.append(sampler.sample(prompt=prompt, num_samples=1, sampling_params=params))
            submit_ms.append(1000 * (time.perf_counter() - started))
        return [future.result() for future in futures]

    results, took = measured(work)
    for index, result in enumerate(results):
        tokens = result.sequences[0].tokens
        assert tokens[0] == index and len(tokens) == LENGTH, f"sample {index} got the result of {tokens[0]}"
    return {**took, "submitP50Ms": sorted(submit_ms)[count // 2]}


def examples():
    for datum in range(DATUMS):
        tokens = [(datum * DATUM_LENGTH + at) * 7919 % 151_643 for at in range(DATUM_LENGTH)]
        weights = [token / 151_643 for token in tokens]
        yield types.Datum(
            model_input=types.ModelInput.from_ints(tokens),
            loss_fn_inputs={"target_tokens": tokens, "weights": weights},
        )


training = None


def train_steps(count):
    global training
    training = training or service.create_lora_training_client("Qwen/Qwen3-8B")
    data = list(examples())

    def work():
        futures = []
        for _ in range(count):
            futures.append(training.forward_backward(data, "cross_entropy"))
            futures.append(training.optim_step(types.AdamParams(learning_rate=1e-4)))
        return [future.result() for future in futures]

    results, took = measured(work)
    for result in results[::2]:
        assert len(result.loss_fn_outputs) == DATUMS
        assert np.asarray(result.loss_fn_outputs[-1]["logprobs"].data).shape == (DATUM_LENGTH,)
    return took


print("ready", flush=True)
for line in sys.stdin:
    job = json.loads(line)
    took = sample_many(job["samples"]) if "samples" in job else train_steps(job["steps"])
    print(json.dumps(took), flush=True)
os._exit(0)
