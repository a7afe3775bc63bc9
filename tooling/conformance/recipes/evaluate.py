"""Runs an evaluator and a benchmark of tinker-cookbook on a model of a server, and writes what they found.

usage: evaluate.py BASE_MODEL LOG_PATH
"""

import asyncio
import json
import os
import sys
from pathlib import Path

import tinker
from tinker_cookbook.eval.benchmark_evaluator import BenchmarkEvaluator
from tinker_cookbook.eval.benchmarks import run_benchmark
from tinker_cookbook.eval.benchmarks._types import BenchmarkConfig
from tinker_cookbook.renderers import get_renderer
from tinker_cookbook.tokenizer_utils import get_tokenizer

EXAMPLES = 4


async def main(base_model, log_path):
    renderer = get_renderer("role_colon", get_tokenizer(base_model))
    sampler = await tinker.ServiceClient().create_sampling_client(base_model=base_model)
    evaluated = await BenchmarkEvaluator("gsm8k", renderer, max_examples=EXAMPLES, max_tokens=16)(sampler)
    config = BenchmarkConfig(max_examples=EXAMPLES, max_tokens=16, save_dir=str(Path(log_path, "benchmark")))
    result = await run_benchmark("gsm8k", sampler, renderer, config)
    assert result.num_examples == EXAMPLES and result.num_errors == 0, result
    metrics = {**evaluated, "benchmark/gsm8k/score": result.score, "benchmark/gsm8k/num_examples": result.num_examples}
    Path(log_path).mkdir(parents=True, exist_ok=True)
    Path(log_path, "metrics.jsonl").write_text(json.dumps(metrics) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    asyncio.run(main(*sys.argv[1:]))
    sys.stdout.flush()
    os._exit(0)
