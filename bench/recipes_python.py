"""Seconds that the cookbook takes for trajectories of 1,000 tokens as datums.

usage: recipes_python.py COUNT
"""

import json
import sys
import time

import tinker
from tinker_cookbook.completers import TokensWithLogprobs
from tinker_cookbook.rl.data_processing import trajectory_to_data
from tinker_cookbook.rl.types import Trajectory, Transition

SHOWN = 500
SAMPLED = 500


def trajectory(number: int) -> Trajectory:
    prompt = [(number * 31 + place) % 50_000 for place in range(SHOWN)]
    tokens = [(number * 17 + place * 7) % 50_000 for place in range(SAMPLED)]
    logprobs = [-((number + place) % 100) / 97 for place in range(SAMPLED)]
    action = TokensWithLogprobs(tokens=tokens, maybe_logprobs=logprobs, sequence_id=f"s{number}")
    prompt_input = tinker.ModelInput.from_ints(prompt)
    transition = Transition(ob=prompt_input, ac=action, reward=1.0, episode_done=True)
    return Trajectory(transitions=[transition], final_ob=tinker.ModelInput.empty())


def main(count: int) -> None:
    trajectories = [trajectory(number) for number in range(100)]
    started = time.perf_counter()
    total = 0
    for number in range(count):
        for datum in trajectory_to_data(trajectories[number % 100], (number % 3) - 1.0):
            total += datum.model_input.length
    seconds = time.perf_counter() - started
    checksum = [0.0, 0.0, 0.0]
    for one in trajectories:
        for datum in trajectory_to_data(one, 1.0):
            for index, name in enumerate(("target_tokens", "logprobs", "advantages")):
                checksum[index] += sum(datum.loss_fn_inputs[name].data)
    print(json.dumps({"seconds": seconds, "tokens": total, "checksum": checksum}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
