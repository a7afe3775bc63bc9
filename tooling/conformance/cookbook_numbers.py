"""Writes what tinker-cookbook computes of random numbers: advantages, KL, losses, datums, schedules and counts.

`python cookbook_numbers.py --tokenizer layout-tokenizer.json.gz --seed 1 --count 200` prints one JSON line with the version, and one for
each kind of number with as many cases, each with what was given and what came of it. It needs tinker_cookbook 0.6.1, transformers and torch.
"""

import argparse
import asyncio
import gzip
import json
import random
import tempfile
from importlib.metadata import version
from types import SimpleNamespace

import tinker
import torch
from cookbook_cases import attempt, text
from tinker_cookbook.completers import TokensWithLogprobs
from tinker_cookbook.distillation.sdft import reverse_kl_custom_loss
from tinker_cookbook.eval.benchmarks._runner import _pass_at_k_single
from tinker_cookbook.preference.train_dpo import compute_dpo_loss
from tinker_cookbook.renderers import TrainOnWhat, get_renderer
from tinker_cookbook.rl import metrics as rl_metrics
from tinker_cookbook.rl.data_processing import compute_advantages, remove_constant_reward_groups, trajectory_to_data
from tinker_cookbook.rl.metric_util import compute_trajectory_metrics
from tinker_cookbook.rl.preference_envs import TournamentPattern, get_pairs
from tinker_cookbook.rl.types import Trajectory, TrajectoryGroup, Transition
from tinker_cookbook.supervised.common import compute_bpb, compute_mean_nll
from tinker_cookbook.supervised.data import conversation_to_datum
from tinker_cookbook.utils.lr_scheduling import compute_schedule_lr_multiplier
from tinker_cookbook.utils.misc_utils import split_list
from transformers import PreTrainedTokenizerFast

RENDERERS = ["qwen3", "qwen3_disable_thinking", "qwen3_instruct", "role_colon"]
MODES = [
    "last_assistant_message", "last_assistant_turn", "all_assistant_messages", "all_messages", "all_tokens",
    "all_user_and_system_messages",
]
EMPTY = tinker.ModelInput(chunks=[])


def transition(ob, tokens, logprobs, sequence_id=None):
    action = TokensWithLogprobs(tokens=tokens, maybe_logprobs=logprobs, sequence_id=sequence_id)
    return Transition(ob=tinker.ModelInput.from_ints(ob), ac=action, reward=0.0, episode_done=False)


def logprobs_of(rng, count):
    return [round(-rng.expovariate(rng.choice([0.05, 1, 20])), 6) for _ in range(count)]


def group(rng):
    rewards = [rng.choice([0.0, 0.5, 1.0, -1.0, 0.1, rng.uniform(-3, 3)]) for _ in range(rng.randint(1, 6))]
    if rng.random() < 0.3:
        rewards = [rewards[0]] * len(rewards)
    turns = [[[rng.randint(0, 9), rng.randint(0, 9)] for _ in range(rng.randint(0, 3))] for _ in rewards]
    tags = rng.sample(["a", "b", "c"], rng.randint(0, 2))
    return {"rewards": rewards, "turns": turns, "tags": tags}


def groups(rng):
    given = [group(rng) for _ in range(rng.randint(0, 4))]
    made = [
        TrajectoryGroup(
            [
                Trajectory([transition([1] * seen, [2] * said, [-1.0] * said) for seen, said in turns], EMPTY)
                for turns in one["turns"]
            ],
            one["rewards"],
            [{} for _ in one["rewards"]],
        )
        for one in given
    ]
    kept = [made.index(one) for one in remove_constant_reward_groups(made)] if made else []
    return {
        "given": given, "advantages": [row.tolist() for row in compute_advantages(made)], "kept": kept,
        "metrics": compute_trajectory_metrics(made, [one["tags"] for one in given]),
    }


def turns(rng):
    """Turns whose prompts mostly extend what was before, some with a sequence's name."""
    document, made = [], []
    for turn in range(rng.randint(1, 4)):
        added = [rng.randint(0, 5) for _ in range(rng.randint(0 if made else 1, 3))]
        prompt = document + added if rng.random() < 0.75 else added or [7]
        tokens = [rng.randint(0, 5) for _ in range(rng.randint(0, 3))]
        named = rng.random() < 0.8
        made.append(
            {
                "prompt": prompt, "tokens": tokens, "logprobs": logprobs_of(rng, len(tokens)),
                "sequenceId": f"s{turn}" if named else None,
            }
        )
        document = prompt + tokens
    return made


def plain_spans(spans):
    return None if spans is None else [
        [type(span).__name__[0], span.sequence_id, getattr(span, "offset", 0), span.length] for span in spans
    ]


def trajectory(rng):
    given, advantage = turns(rng), round(rng.uniform(-2, 2), 4)
    made = Trajectory(
        [transition(one["prompt"], one["tokens"], one["logprobs"], one["sequenceId"]) for one in given], EMPTY
    )

    def build():
        return [
            {
                "input": datum.model_input.to_ints(),
                **{name: list(tensor.data) for name, tensor in datum.loss_fn_inputs.items()},
                "inputSpans": plain_spans(datum.model_input_spans), "targetSpans": plain_spans(datum.loss_fn_input_spans),
            }
            for datum in trajectory_to_data(made, advantage)
        ]

    return {"given": given, "advantage": advantage, "data": attempt(build)}


def policy_datum(rng):
    count = rng.randint(2, 9)
    mask = [float(rng.random() < 0.6) for _ in range(count)]
    mask[rng.randrange(count)] = 1.0
    logprobs = [value * on for value, on in zip(logprobs_of(rng, count), mask)]
    tensors = {
        "target_tokens": torch.tensor([1] * count), "logprobs": torch.tensor(logprobs), "mask": torch.tensor(mask),
        "advantages": torch.zeros(count),
    }
    inputs = {name: tinker.TensorData.from_torch(tensor) for name, tensor in tensors.items()}
    return tinker.Datum(model_input=tinker.ModelInput.from_ints([1] * count), loss_fn_inputs=inputs)


def kl(rng):
    data = [policy_datum(rng) for _ in range(rng.randint(1, 4))]
    reference = [logprobs_of(rng, len(datum.loss_fn_inputs["mask"].data)) for datum in data]
    coefficient, discount = rng.choice([0.1, 1.0, 2.5]), rng.choice([0.0, 0.5, 1.0])
    measured = rl_metrics.compute_kl_sample_train(data, [torch.tensor(row) for row in reference])

    async def scored(client, inputs):
        return [[None, *row] for row in reference], None

    rl_metrics.score_sequences = scored
    given = [
        {**{name: list(datum.loss_fn_inputs[name].data) for name in ("logprobs", "mask")}, "reference": row}
        for datum, row in zip(data, reference)
    ]
    penalty, _ = asyncio.run(rl_metrics.incorporate_kl_penalty(data, None, coefficient, discount))
    advantages = [list(datum.loss_fn_inputs["advantages"].data) for datum in data]
    return {
        "given": given, "coefficient": coefficient, "discount": discount, "metrics": measured,
        "mean": penalty["kl_policy_base"], "advantages": advantages,
    }


def dpo(rng):
    count, beta = rng.randint(1, 5), rng.choice([0.01, 0.1, 1.0, 5.0])
    scale = rng.choice([1, 10, 1000])
    rows = [[round(rng.uniform(-scale, 0), 4) for _ in range(count)] for _ in range(4)]
    tensors = [[torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in row] for row in rows]
    loss, metrics = compute_dpo_loss(*tensors, beta)
    loss.backward()
    gradients = [[value.grad.item() for value in row] for row in tensors[:2]]
    return {"rows": rows, "beta": beta, "loss": loss.item(), "metrics": metrics, "gradients": gradients}


def top_k(rng):
    width = rng.randint(1, 4)
    weights, logprobs = [], []
    for _ in range(rng.randint(1, 5)):
        row = [rng.choice([0.0, rng.random(), rng.random()]) for _ in range(width)] if rng.random() < 0.8 else [0.0] * width
        weights.append([value / sum(row) if sum(row) > 0 else 0.0 for value in row])
        logprobs.append([value * rng.choice([1, 1, 100]) for value in logprobs_of(rng, width)])
    inputs = {"weights": tinker.TensorData(data=[value for row in weights for value in row], dtype="float32", shape=[len(weights), width])}
    student = torch.tensor(logprobs, requires_grad=True)
    loss, metrics = reverse_kl_custom_loss([tinker.Datum(model_input=EMPTY, loss_fn_inputs=inputs)], [student])
    gradients = torch.autograd.grad(loss, student)[0].tolist()
    return {"weights": weights, "logprobs": logprobs, "loss": loss.item(), "metrics": metrics, "gradients": gradients}


def counts(rng):
    total = rng.randint(1, 40)
    n = rng.randint(1, 30)
    c, k, step = rng.randint(0, n), rng.randint(1, n), rng.randint(0, total)
    parts, size = rng.randint(1, total), rng.randint(0, 5)
    patterns = [TournamentPattern.ALL_PAIRS_BOTH_WAYS, TournamentPattern.ALL_PAIRS_ONE_WAY]
    return {
        "n": n, "c": c, "k": k, "pass": _pass_at_k_single(n, c, k), "step": step, "total": total,
        "factors": {name: compute_schedule_lr_multiplier(name, step, total) for name in ("linear", "cosine", "constant")},
        "parts": parts, "sizes": [len(part) for part in split_list(list(range(total)), parts)],
        "size": size, "pairs": [get_pairs(size, pattern) for pattern in patterns],
    }


def chat(rng, tokenizer):
    messages = [{"role": "system", "content": text(rng)}] if rng.random() < 0.3 else []
    for _ in range(rng.randint(1, 3)):
        messages += [{"role": "user", "content": text(rng)}, {"role": "assistant", "content": text(rng)}]
    name, mode = rng.choice(RENDERERS), rng.choice(MODES)
    weights = [rng.choice([0, 1, None]) if one["role"] == "assistant" else None for one in messages]
    if rng.random() < 0.7 or all(weight is None for weight in weights):
        weights = [None] * len(messages)
    parsed = messages
    if any(weight is not None for weight in weights):
        mode = "customized"
        parsed = [
            {**one, "trainable": one["role"] == "assistant" and weight != 0} for one, weight in zip(messages, weights)
        ]
    limit, reduction = rng.choice([None, None, rng.randint(2, 60)]), rng.choice(["mean", "none"])

    def build():
        datum = conversation_to_datum(parsed, get_renderer(name, tokenizer), limit, TrainOnWhat(mode), reduction)
        tensors = {name: list(tensor.data) for name, tensor in datum.loss_fn_inputs.items()}
        return {"input": datum.model_input.to_ints(), **tensors}

    made = attempt(build)
    measured = {}
    if "error" not in made:
        logprobs = logprobs_of(rng, len(made["weights"]))
        columns = [[tinker.TensorData.from_torch(torch.tensor(row))] for row in (logprobs, made["weights"], made["target_tokens"])]
        nll, bpb = compute_mean_nll(columns[0], columns[1]), compute_bpb(*columns, tokenizer)
        measured = {"logprobs": logprobs, "nll": None if nll != nll else nll, "bpb": None if bpb != bpb else bpb}
    given = [{**one, **({} if weight is None else {"weight": weight})} for one, weight in zip(messages, weights)]
    return {
        "messages": given, "renderer": name, "mode": mode, "limit": limit, "reduction": reduction, "datum": made, **measured,
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    arguments = parser.parse_args()
    with gzip.open(arguments.tokenizer) as packed, tempfile.NamedTemporaryFile("wb", suffix=".json") as file:
        file.write(packed.read())
        file.flush()
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=file.name, eos_token="<|endoftext|>")
        # As the configurations of the families do, which name their special tokens again.
        special = [token.content for token in tokenizer.added_tokens_decoder.values() if token.special]
        tokenizer.add_special_tokens({"additional_special_tokens": special})
    kinds = SimpleNamespace(
        groups=groups, trajectory=trajectory, kl=kl, dpo=dpo, topK=top_k, counts=counts, chat=lambda rng: chat(rng, tokenizer)
    )
    print(json.dumps({"cookbook": version("tinker_cookbook")}))
    for name, make in vars(kinds).items():
        rng = random.Random(f"{arguments.seed} {name}")
        print(json.dumps({"kind": name, "cases": [make(rng) for _ in range(arguments.count)]}))


if __name__ == "__main__":
    main()
