"""Starts the Tinker API server of TuFT with its toy backend for CPUs: 16 weights, and samples that count. The key is tml-dummy.

usage: serve_tuft.py PORT MODEL_FOLDER WORK_FOLDER

torch, peft and ray are used by its other backends only: stand-ins take their place where they are not installed.
"""

import importlib.util
import os
import pathlib
import sys
import types

UNUSED = (
    "torch",
    "torch.nn",
    "torch.nn.utils",
    "torch.nn.utils.rnn",
    "torch.autograd",
    "torch.autograd.function",
    "torch.distributed",
    "torch.distributed.tensor",
    "peft",
    "ray",
    "ray.actor",
)


class StandIn:
    """Takes part in decorators, annotations and base classes, and does nothing."""

    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        return args[0] if args else self

    def __getattr__(self, name):
        return StandIn()

    def __or__(self, other):
        return self

    __ror__ = __or__


def add_stand_in(name, **attributes):
    module = types.ModuleType(name)
    module.__dict__.update(attributes)
    module.__getattr__ = lambda attribute: StandIn()
    module.__path__ = []
    sys.modules[name] = module


def add_stand_ins():
    # transformers looks for torch when it is imported, and must not find the stand-in.
    import transformers  # noqa: F401

    if all(importlib.util.find_spec(name) for name in ("torch", "peft", "ray")):
        return
    for name in UNUSED:
        add_stand_in(name)
    sys.modules["torch"].Tensor = type("Tensor", (), {})
    for module, name in (
        ("fsdp_training_backend", "FSDPTrainingBackend"),
        ("hf_training_model", "HFTrainingModel"),
    ):
        add_stand_in(f"tuft.backends.{module}", **{name: type(name, (), {})})


def main(port, model_folder, work_folder):
    os.environ["TUFT_CPU_TEST"] = "1"
    add_stand_ins()
    import uvicorn
    from tuft.config import AppConfig, ModelConfig
    from tuft.server import create_root_app

    model = pathlib.Path(model_folder).resolve()
    config = AppConfig(
        checkpoint_dir=pathlib.Path(work_folder).resolve() / "checkpoints",
        model_owner="local",
        authorized_users={"tml-dummy": "dev"},
        supported_models=[ModelConfig(model_name=model.name, model_path=model, max_model_len=2048)],
    )
    uvicorn.run(create_root_app(config), host="127.0.0.1", port=int(port))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
