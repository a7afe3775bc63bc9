"""Starts the Tinker API server of SkyRL, whose start-up calls for uv and packages of 6 GB that its JAX backend does not use.

usage: serve_skyrl.py [flags of SkyRL's engine] [--host H] [--port P]

SkyRL's own code is untouched. The server starts its engine through `uv run`; here that is this file with --engine. torch is used
only for images and peft only to write adapter_config.json: small stand-ins take their place where they are not installed.
"""

import argparse
import importlib.util
import json
import pathlib
import runpy
import sys
import types


class LoraConfig:
    """Writes what peft would."""

    def __init__(self, **fields):
        self.fields = {"peft_type": "LORA", "bias": "none", "lora_dropout": 0.0, **fields}

    def save_pretrained(self, folder):
        (pathlib.Path(folder) / "adapter_config.json").write_text(json.dumps(self.fields, indent=2))


def add_stand_ins():
    # transformers looks for torch when it is imported, and must not find the stand-in.
    import transformers  # noqa: F401

    if importlib.util.find_spec("torch") is None:
        torch = types.ModuleType("torch")
        torch.Tensor = type("Tensor", (), {})
        torch.dtype = type("dtype", (), {})
        sys.modules["torch"] = torch
    if importlib.util.find_spec("peft") is None:
        peft = types.ModuleType("peft")
        peft.LoraConfig = LoraConfig
        sys.modules["peft"] = peft


def run_engine(arguments):
    sys.argv = ["engine", *arguments]
    runpy.run_module("skyrl.tinker.engine", run_name="__main__", alter_sys=True)


def run_server():
    import uvicorn
    from skyrl.tinker import api
    from skyrl.tinker.config import EngineConfig, add_model, config_to_argv
    from skyrl.utils.log import get_uvicorn_log_config

    api._build_uv_run_cmd_engine = lambda parent, config: [
        sys.executable,
        __file__,
        "--engine",
        *config_to_argv(config),
    ]
    parser = argparse.ArgumentParser()
    add_model(parser, EngineConfig)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    given = vars(parser.parse_args())
    fields = {name: value for name, value in given.items() if name in EngineConfig.model_fields}
    api.app.state.engine_config = EngineConfig.model_validate(fields)
    uvicorn.run(api.app, host=given["host"], port=given["port"], log_config=get_uvicorn_log_config())


if __name__ == "__main__":
    add_stand_ins()
    if sys.argv[1:2] == ["--engine"]:
        run_engine(sys.argv[2:])
    else:
        run_server()
