"""Times what the official Python SDK does to make tensors of the data of tensor.bench.ts.

Reads the work as JSON from stdin, prints one JSON object: seconds (lower quartiles), and sums to compare.
"""

import json
import sys
import time

import numpy as np
import tinker
from tinker import types

work = json.load(sys.stdin)
rounds = work["rounds"]
lists = work["datums"]
columns = work["columns"]
DTYPES = {"target_tokens": np.int64, "weights": np.float32, "logprobs": np.float32}
arrays = [{key: np.array(values, dtype=DTYPES[key]) for key, values in datum.items()} for datum in lists]
nested = [
    {key: [values[at : at + columns] for at in range(0, len(values), columns)] for key, values in datum.items()}
    for datum in lists
]
prompt = types.ModelInput.from_ints([1])


def cast(source):
    """The SDK casts what a datum is made from."""
    return [types.Datum(model_input=prompt, loss_fn_inputs=dict(datum)) for datum in source]


def lower_quartile_seconds(source):
    cast(source)
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        cast(source)
        seconds.append(time.perf_counter() - start)
    return sorted(seconds)[len(seconds) // 4]


def total(source, key):
    return sum(float(datum.loss_fn_inputs[key].to_numpy().astype(np.float64).sum()) for datum in cast(source))


print(
    json.dumps(
        {
            "version": tinker.__version__,
            "lists": lower_quartile_seconds(lists),
            "arrays": lower_quartile_seconds(arrays),
            "nested": lower_quartile_seconds(nested),
            "totals": {key: [total(lists, key), total(arrays, key), total(nested, key)] for key in DTYPES},
        }
    )
)
