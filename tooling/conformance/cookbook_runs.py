"""Run directories of the cookbook, beside ours.

    python cookbook_runs.py read FOLDER     what its registry and its store find in the runs below FOLDER, as JSON
    python cookbook_runs.py write FOLDER    a run that its loggers and its store write
    python cookbook_runs.py train FOLDER URL STEP    a run of its supervised loop on a server, begun or gone on with; ends the process before STEP
"""

import asyncio
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

import tinker
from tinker_cookbook import __version__
from tinker_cookbook.checkpoint_utils import CheckpointRecord, get_last_checkpoint
from tinker_cookbook.stores import LocalStorage, RunRegistry
from tinker_cookbook.supervised import train as supervised
from tinker_cookbook.supervised.types import SupervisedDataset
from tinker_cookbook.utils.ml_log import JsonLogger

VOLATILE = ("last_updated",)


def read(folder: str) -> None:
    registry = RunRegistry([LocalStorage(folder)])
    runs = []
    for info in registry.get_runs():
        store = registry.get_training_store(info.run_id)
        last = get_last_checkpoint(str(Path(folder) / info.prefix))
        iterations = store.list_iterations()
        runs.append(
            {
                "info": {key: value for key, value in asdict(info).items() if key not in VOLATILE},
                "config": store.read_config(),
                "metrics": store.read_metrics(),
                "checkpoints": [record.to_dict() for record in store.read_checkpoint_records()],
                "last": None if last is None else last.to_dict(),
                "timing": store.read_timing(),
                "iterations": [asdict(iteration) for iteration in iterations],
                "rollouts": [
                    {base: store.read_rollouts(iteration.iteration, base) for base in ("train", "eval_words")}
                    for iteration in iterations
                ],
            }
        )
    print(json.dumps(runs))


def write(folder: str) -> None:
    logger = JsonLogger(folder)
    logger.log_hparams(
        {"model_name": "Qwen/Qwen3-8B", "learning_rate": 1e-4, "num_epochs": 1, "load_checkpoint_path": None}
    )
    for step in range(4):
        nll = float("nan") if step == 3 else 2.0 / (step + 1)
        logger.log_metrics({"train_mean_nll": nll, "num_tokens": 128, "progress": step / 4}, step=step)
    logger.log_summary({"tokens/cumulative/trained": 512})
    store = logger.store
    for batch in (2, 3):
        paths = {"state_path": f"tinker://run/weights/{batch:06d}"} if batch == 2 else {}
        record = {"name": f"{batch:06d}", "batch": batch, "epoch": 0, "elapsed_tokens": 64 * batch, **paths}
        record["sampler_path"] = f"tinker://run/sampler_weights/{batch:06d}"
        store.write_checkpoint(CheckpointRecord.from_dict(record).to_dict())
    store.write_timing_spans(0, [{"name": "step", "duration": 1.5, "wall_start": 10.0, "wall_end": 11.5}])
    step = {"step_idx": 0, "ob_len": 3, "ac_len": 2, "reward": 0.5, "episode_done": True, "metrics": {}, "logs": {}}
    rollout = {
        "schema_version": 1,
        "split": "train",
        "iteration": 1,
        "group_idx": 0,
        "traj_idx": 0,
        "tags": ["words"],
        "sampling_client_step": 1,
        "total_reward": 0.5,
        "final_reward": 0.0,
        "trajectory_metrics": {"correct": 1.0},
        "steps": [step],
        "final_ob_len": 0,
    }
    store.write_rollouts(1, [rollout])
    store.write_rollouts(1, [{**rollout, "split": "eval/words"}], base_name="eval_words")
    # The state of the repository it ran in, which nobody reads.
    (Path(folder) / "code.diff").unlink()


WORDS = "ant bee cat dog elk fox gnu hen owl pig ram yak".split()
BATCH_SIZE = 4
EPOCHS = 3


def datum(word: str) -> tinker.Datum:
    """A word said twice. The built-in model reads bytes."""
    prompt, completion = f"{word}:".encode(), f" {word}{word}\n".encode()
    tokens = [*prompt, *completion]
    weights = [0.0] * (len(prompt) - 1) + [1.0] * len(completion)
    return tinker.Datum(
        model_input=tinker.ModelInput.from_ints(tokens[:-1]),
        loss_fn_inputs={
            "target_tokens": tinker.TensorData(data=tokens[1:], dtype="int64", shape=[len(weights)]),
            "weights": tinker.TensorData(data=weights, dtype="float32", shape=[len(weights)]),
        },
    )


class Words(SupervisedDataset):
    """Three batches an epoch; ends the process when it is asked for the batch of a step, as a crash would."""

    def __init__(self, end_step: int):
        self.end_step = end_step
        self.epoch = 0

    def get_batch(self, index: int) -> list[tinker.Datum]:
        if self.epoch * len(self) + index >= self.end_step:
            sys.stdout.flush()
            os._exit(0)
        start = index * BATCH_SIZE
        return [datum(word) for word in WORDS[start : start + BATCH_SIZE]]

    def __len__(self) -> int:
        return len(WORDS) // BATCH_SIZE

    def set_epoch(self, seed: int = 0) -> None:
        self.epoch = seed


def train(folder: str, url: str, end_step: str) -> None:
    config = supervised.Config(
        log_path=folder,
        model_name="tinkex/pocket-1",
        recipe_name="words",
        base_url=url,
        dataset_builder=lambda: (Words(int(end_step)), None),
        learning_rate=3e-3,
        num_epochs=EPOCHS,
        lora_rank=4,
        save_every=4,
    )
    asyncio.run(supervised.main(config))
    # The SDK's native threads run on while an interpreter ends: it is not waited for.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    assert __version__ == "0.6.1", __version__
    {"read": read, "write": write, "train": train}[sys.argv[1]](*sys.argv[2:])
