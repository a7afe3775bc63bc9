"""The work of real-model.bench.ts in PyTorch: python real_model_torch.py DIRECTORY THREADS.

Answers each line of standard input, a JSON object, with one line of JSON:
  {"peak": N}                     GFLOP/s of N products of float32 matrices of 2,048 numbers a side, the best of them
  {"train": rows}                 milliseconds of a step (PEFT, rank 16 on all linear layers, AdamW) on rows of
                                  {"tokens", "targets", "weights"}, and its loss
  {"generate": [prompts], "length": N}  milliseconds of N greedy tokens for each prompt, side by side, and the tokens
"""

import json
import sys
import time

import torch
import torch.nn.functional as F
import transformers
from peft import LoraConfig, get_peft_model

directory, threads = sys.argv[1], int(sys.argv[2])
torch.set_num_threads(threads)
transformers.utils.logging.disable_progress_bar()
plain = transformers.AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32).eval()
adapted = None
optimizer = None


def peak(count):
    a, b = torch.rand(2048, 2048), torch.rand(2048, 2048)
    best = 0.0
    for _ in range(count):
        start = time.perf_counter()
        a @ b
        best = max(best, 2 * 2048**3 / (time.perf_counter() - start) / 1e9)
    return {"gflops": best}


def train(rows):
    global adapted, optimizer
    if adapted is None:
        base = transformers.AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32)
        targets = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
        adapted = get_peft_model(base, LoraConfig(r=16, lora_alpha=32, target_modules=targets))
        optimizer = torch.optim.AdamW([p for p in adapted.parameters() if p.requires_grad], lr=1e-4, weight_decay=0)
    tokens, targets = (torch.tensor([row[key] for row in rows]) for key in ("tokens", "targets"))
    weights = torch.tensor([row["weights"] for row in rows], dtype=torch.float32)
    start = time.perf_counter()
    logits = adapted(input_ids=tokens).logits
    losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
    loss = (losses * weights.flatten()).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return {"ms": 1000 * (time.perf_counter() - start), "loss": loss.item()}


@torch.no_grad()
def generate(prompts, length):
    ids = torch.tensor(prompts)
    start = time.perf_counter()
    out = plain.generate(
        ids, attention_mask=torch.ones_like(ids), max_new_tokens=length, min_new_tokens=length, do_sample=False
    )
    ms = 1000 * (time.perf_counter() - start)
    return {"ms": ms, "tokens": out[:, ids.shape[1] :].tolist()}


print(json.dumps({"torch": torch.__version__, "transformers": transformers.__version__}), flush=True)
for line in sys.stdin:
    job = json.loads(line)
    if "peak" in job:
        answer = peak(job["peak"])
    elif "train" in job:
        answer = train(job["train"])
    else:
        answer = generate(job["generate"], job["length"])
    print(json.dumps(answer), flush=True)
