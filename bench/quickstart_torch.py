"""The training step of quickstart.bench.ts in PyTorch eager: a Llama-shaped model with LoRA, forward and backward.

Protocol: the first argument names a directory with shapes.json and numbers.bin (float32, in the order of shapes.json).
A line "check" on standard input answers with loss and gradients (written to gradients.bin); a line "time N" runs N
passes and answers with their milliseconds.
"""

import json
import math
import pathlib
import sys
import time

import torch
import torch.nn.functional as F

directory = pathlib.Path(sys.argv[1])
shapes = json.loads((directory / "shapes.json").read_text())
config = shapes["config"]
torch.set_num_threads(shapes["threads"])

numbers = torch.frombuffer(bytearray((directory / "numbers.bin").read_bytes()), dtype=torch.float32)
offset = 0


def take(shape):
    global offset
    size = math.prod(shape)
    tensor = numbers[offset : offset + size].reshape(shape).clone()
    offset += size
    return tensor


weights = {name: take(shape) for name, shape in shapes["weights"]}
adapter = {
    module: (take([shapes["rank"], d_in]).requires_grad_(), take([d_out, shapes["rank"]]).requires_grad_())
    for module, d_in, d_out in shapes["adapter"]
}
tokens = torch.tensor(shapes["tokens"])
targets = torch.tensor(shapes["targets"])
mask = torch.tensor(shapes["mask"], dtype=torch.float32)

rows, length = tokens.shape
heads, head_size = config["headCount"], config["headSize"]
key_value_heads = config["keyValueHeadCount"]
scale = 32 / shapes["rank"]
angles = torch.outer(
    torch.arange(length).double(),
    config["ropeTheta"] ** (-torch.arange(0, head_size, 2).double() / head_size),
)
cosines, sines = angles.cos().float(), angles.sin().float()


def linear(module, x, weight=None):
    y = F.linear(x, weights[module + ".weight"] if weight is None else weight)
    if module not in adapter:
        return y
    a, b = adapter[module]
    return y + F.linear(F.linear(x, a), b) * scale


def norm(module, x):
    return F.rms_norm(x, (x.shape[-1],), weights[module + ".weight"], config["rmsNormEpsilon"])


def split(x, count):
    return x.view(rows, length, count, head_size).transpose(1, 2)


def rotate(x):
    left, right = x.chunk(2, -1)
    return torch.cat((left * cosines - right * sines, right * cosines + left * sines), -1)


def forward():
    x = weights["model.embed_tokens.weight"][tokens]
    for layer in range(config["layerCount"]):
        name = f"model.layers.{layer}"
        h = norm(f"{name}.input_layernorm", x)
        q = rotate(split(linear(f"{name}.self_attn.q_proj", h), heads))
        k = rotate(split(linear(f"{name}.self_attn.k_proj", h), key_value_heads))
        v = split(linear(f"{name}.self_attn.v_proj", h), key_value_heads)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=heads != key_value_heads)
        joined = attended.transpose(1, 2).reshape(rows, length, heads * head_size)
        x = x + linear(f"{name}.self_attn.o_proj", joined)
        h = norm(f"{name}.post_attention_layernorm", x)
        gated = F.silu(linear(f"{name}.mlp.gate_proj", h)) * linear(f"{name}.mlp.up_proj", h)
        x = x + linear(f"{name}.mlp.down_proj", gated)
    logits = linear("lm_head", norm("model.norm", x), weights["model.embed_tokens.weight"])
    logprobs = torch.log_softmax(logits, -1).gather(-1, targets[..., None]).squeeze(-1)
    return -(logprobs * mask).sum()


def run():
    for pair in adapter.values():
        for parameter in pair:
            parameter.grad = None
    loss = forward()
    loss.backward()
    return loss


for line in sys.stdin:
    command, *arguments = line.split()
    if command == "check":
        loss = run().item()
        gradients = torch.cat([p.grad.flatten() for pair in adapter.values() for p in pair])
        (directory / "gradients.bin").write_bytes(gradients.numpy().tobytes())
        print(json.dumps({"loss": loss, "version": torch.__version__}), flush=True)
    elif command == "time":
        times = []
        for _ in range(int(arguments[0])):
            start = time.perf_counter()
            run()
            times.append((time.perf_counter() - start) * 1000)
        print(json.dumps(times), flush=True)
