"""Has the official Python SDK report an event, a refused call and a caught error to a server, and prints the ids that it sent.

usage: python_sdk_telemetry.py BASE_URL BASE_MODEL
"""

import json
import os
import sys

import tinker
from tinker import types


def main(base_url, base_model):
    service = tinker.ServiceClient(base_url=base_url, api_key="tml-local")
    training = service.create_lora_training_client(base_model=base_model, rank=4)
    training = training.result() if hasattr(training, "result") else training
    training.optim_step(types.AdamParams(learning_rate=1e-4)).result()
    telemetry = service.holder.get_telemetry()
    telemetry.log("conformance.event", {"nothing": None, "count": 3}, "WARNING")
    try:
        service.create_lora_training_client(base_model="no/such-model", rank=4).result()
    except tinker.RequestFailedError as refused:
        print(json.dumps({"refused": type(refused).__name__}))
    telemetry.log_exception_sync(ValueError("caught"))
    # The SDK gives up waiting after some seconds, which a machine with much to do may need.
    drained = False
    while not drained:
        telemetry._trigger_flush()
        drained = telemetry._wait_until_drained_sync()
    print(json.dumps({"session": telemetry._session_id}), flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
    # The SDK's native threads run on while an interpreter ends, which has crashed after all was printed: it is not waited for.
    os._exit(0)
