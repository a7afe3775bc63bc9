"""Times the codec of the official Python SDK on the data of wire.bench.ts.

Reads the work as JSON from stdin, prints one JSON object: seconds (lower quartiles) and digests to compare.
"""

import base64
import hashlib
import json
import sys
import time

import numpy as np
import tinker
from tinker.proto.request_conv import forward_backward_request_to_proto
from tinker.proto.response_conv import deserialize_forward_backward_output
from tinker.proto import tinker_public_pb2
from tinker import types

work = json.load(sys.stdin)
rounds = work["rounds"]
lists = work["datums"]
arrays = [
    {
        "tokens": datum["tokens"],
        "target_tokens": np.array(datum["target_tokens"], dtype=np.int64),
        "logprobs": np.array(datum["logprobs"], dtype=np.float32),
        "advantages": np.array(datum["advantages"], dtype=np.float32),
    }
    for datum in lists
]


def make_datums(source):
    return [
        types.Datum(
            model_input=types.ModelInput.from_ints(datum["tokens"]),
            loss_fn_inputs={key: datum[key] for key in ("target_tokens", "logprobs", "advantages")},
        )
        for datum in source
    ]


def encode(datums):
    fields = types.ForwardBackwardInput(data=datums, loss_fn="importance_sampling")
    request = types.ForwardBackwardRequest(forward_backward_input=fields, model_id="model", seq_id=1)
    return forward_backward_request_to_proto(request).SerializeToString()


def decode(body):
    output = deserialize_forward_backward_output(body)
    # The parts a training loop reads.
    return sum(float(row["logprobs"].to_numpy()[0]) for row in output.loss_fn_outputs)


def lower_quartile_seconds(action):
    action()
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return sorted(seconds)[len(seconds) // 4]


def digest(body):
    """Digest of the message with its maps in order: the SDK writes them in an order that changes."""
    message = tinker_public_pb2.ForwardBackwardRequest.FromString(body)
    return hashlib.sha256(message.SerializeToString(deterministic=True)).hexdigest()


result = base64.b64decode(work["result"])
from_lists = make_datums(lists)
from_arrays = make_datums(arrays)
print(
    json.dumps(
        {
            "version": tinker.__version__,
            "encode_lists": lower_quartile_seconds(lambda: encode(make_datums(lists))),
            "encode_arrays": lower_quartile_seconds(lambda: encode(make_datums(arrays))),
            "encode_made": lower_quartile_seconds(lambda: encode(from_arrays)),
            "decode": lower_quartile_seconds(lambda: decode(result)),
            "digest_of_ours": digest(base64.b64decode(work["request"])),
            "digest": digest(encode(from_lists)),
            "decoded": decode(result),
        }
    )
)
