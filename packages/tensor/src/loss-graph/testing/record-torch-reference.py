"""Records what torch gives for losses as the official SDK traces, encodes and runs them.

Usage: python record-torch-reference.py > fixtures/torch-reference.json   (needs tinker 0.38.0 and torch)

Each case is one loss of one datum: the body of the request that uploads it, as text, since its numbers must keep their kind; the
data of its inputs; and loss, metrics and gradient. `isSmooth` says that finite differences give the same gradient.
"""

import json
import math

import torch
from tinker.lib.public_interfaces.custom_loss import encode_graph, trace_loss

F = torch.nn.functional

X = [-0.7, 0.3, 1.2, -2.1]
POSITIVE = [0.4, 1.3, 2.2, 0.05]
Y = [0.9, -0.4, 1.1, -2.6]
WITH_TIES = [0.5, -1.0, 0.5, 0.0]
MATRIX = [[0.2, -0.5, 1.5], [-1.1, 0.7, 0.4]]
OTHER_MATRIX = [[0.6, 0.1, -0.9], [1.4, -0.2, 0.8]]
INTEGERS = [3, -2, 0, 7]


def floats(values, dtype="float32"):
    return {"dtype": dtype, "values": values}


CASES = []


def case(name, fn, *, smooth=True, **inputs):
    CASES.append((name, fn, smooth, inputs))


def unary(name, op, values=X, smooth=True):
    """The sum of op(x), each element with a weight of its own."""

    def loss(logprobs, w):
        y = op(logprobs)
        return (y * w).sum(), {"custom/y:mean": y.mean()}

    case(name, loss, smooth=smooth, logprobs=floats(values), w=floats([0.3, -1.2, 0.8, 2.0]))


def binary(name, op, a=X, b=Y, smooth=True):
    def loss(logprobs, other, w):
        return (op(logprobs, other) * w).sum(), {}

    case(name, loss, smooth=smooth, logprobs=floats(a), other=floats(b), w=floats([0.3, -1.2, 0.8, 2.0]))

    def swapped(logprobs, other, w):
        return (op(other, logprobs) * w).sum(), {}

    case(name + " swapped", swapped, smooth=smooth, logprobs=floats(b), other=floats(a), w=floats([0.3, -1.2, 0.8, 2.0]))


def mask_case(name, op, **more):
    """The sum of x where a mask of two operands holds."""

    def loss(logprobs, other):
        return torch.where(op(logprobs, other), logprobs * other, logprobs).sum(), {}

    case(name, loss, logprobs=floats(more.get("a", X)), other=floats(more.get("b", Y)), smooth=more.get("smooth", True))


unary("operator.neg", lambda x: -x)
unary("operator.pos", lambda x: +x)
unary("operator.abs", lambda x: abs(x))
unary("abs at zero", lambda x: x.abs(), WITH_TIES, smooth=False)
unary("method neg", lambda x: x.neg())
unary("torch.negative, torch.absolute", lambda x: torch.negative(torch.absolute(x)))
unary("torch.sign", lambda x: torch.sign(x) * x)
unary("torch.floor", lambda x: torch.floor(x) + x)
unary("method ceil", lambda x: x.ceil() + x)
unary("torch.round", lambda x: torch.round(x * 2.5) * x, [0.2, 0.6, 1.0, -0.2], smooth=False)
unary("torch.square", lambda x: torch.square(x))
unary("torch.relu", lambda x: torch.relu(x))
unary("relu at zero", lambda x: x.relu(), WITH_TIES, smooth=False)
unary("torch.exp", lambda x: torch.exp(x))
unary("torch.expm1", lambda x: torch.expm1(x))
unary("torch.log", lambda x: torch.log(x), POSITIVE)
unary("torch.log2", lambda x: torch.log2(x), POSITIVE)
unary("method log1p", lambda x: x.log1p(), POSITIVE)
unary("torch.sqrt", lambda x: torch.sqrt(x), POSITIVE)
unary("torch.rsqrt", lambda x: torch.rsqrt(x), POSITIVE)
unary("torch.reciprocal", lambda x: torch.reciprocal(x))
unary("torch.sigmoid", lambda x: torch.sigmoid(x))
unary("sigmoid far out", lambda x: x.sigmoid(), [-90.0, 90.0, -20.0, 20.0], smooth=False)
unary("torch.tanh", lambda x: torch.tanh(x))
unary("torch.isnan", lambda x: x.masked_fill(torch.isnan(x), 0.0))
unary("torch.isfinite", lambda x: torch.where(torch.isfinite(1 / (x - x.detach())), x, x * x))
unary("method detach", lambda x: x * x.detach(), smooth=False)
unary("method clone", lambda x: x.clone() * x)
unary("method to, float", lambda x: x.to(torch.float32) * x.float())
unary("method long", lambda x: x * x.long())
unary("method bool, invert", lambda x: torch.where(~x.bool(), x, x * 2))
unary("torch.zeros_like", lambda x: torch.zeros_like(x) + x)
unary("torch.ones_like with a dtype", lambda x: torch.ones_like(x, dtype=torch.int64) / 4 * x)
unary("torch.full_like", lambda x: torch.full_like(x, 0.1) * x)
unary("torch.softplus by logaddexp", lambda x: torch.logaddexp(x, torch.zeros_like(x)))

binary("operator.add", lambda a, b: a + b)
binary("operator.sub", lambda a, b: a - b)
binary("operator.mul", lambda a, b: a * b)
binary("operator.truediv", lambda a, b: a / b)
binary("torch.add, torch.sub, torch.mul, torch.div", lambda a, b: torch.div(torch.mul(torch.add(a, b), a), torch.sub(a, b)))
binary("method add, sub, mul, div", lambda a, b: a.add(b).mul(a).div(b.sub(a)))
binary("synonyms of arithmetic", lambda a, b: torch.multiply(torch.subtract(a, b), torch.divide(a, torch.true_divide(b, a))))
binary("operator.mod", lambda a, b: a % b)
binary("operator.floordiv as a constant", lambda a, b: (a.detach() // b.detach()) * a + b, smooth=False)
binary("operator.pow", lambda a, b: a**b, POSITIVE, Y)
binary("pow of zero", lambda a, b: a**b, [0.0, 0.0, 1.0, 2.0], [2.0, 0.0, -3.0, 0.0], smooth=False)
binary("torch.minimum", lambda a, b: torch.minimum(a, b))
NOT_FINITE = [math.inf, -math.inf, math.nan, -0.5]
binary("floor division of what is not finite", lambda a, b: (a.detach() // b.detach()) * 0.5 + a + b, X, NOT_FINITE, smooth=False)
unary("choices of what is no number", lambda x: x.relu() + x.abs() + x.sign(), NOT_FINITE, smooth=False)
binary("minimum of what is not finite", lambda a, b: a.minimum(b), X, NOT_FINITE, smooth=False)
binary("maximum of what is not finite", lambda a, b: a.maximum(b), X, NOT_FINITE, smooth=False)
binary("torch.maximum", lambda a, b: torch.maximum(a, b))
binary("minimum of equal elements", lambda a, b: torch.minimum(a, b), WITH_TIES, [0.5, 2.0, 0.5, -1.0], smooth=False)
binary("maximum of equal elements", lambda a, b: a.maximum(b), WITH_TIES, [0.5, 2.0, 0.5, -1.0], smooth=False)
binary("torch.logaddexp", lambda a, b: torch.logaddexp(a, b))
binary("logaddexp far out", lambda a, b: torch.logaddexp(a, b), [-100.0, 100.0, 3.0, 0.0], [100.0, -100.0, 3.0, 1.0], smooth=False)

for op_name, op in {
    "operator.gt": lambda a, b: a > b,
    "operator.ge": lambda a, b: a >= b,
    "operator.lt": lambda a, b: a < b,
    "operator.le": lambda a, b: a <= b,
    "method eq": lambda a, b: a.eq(b),
    "torch.ne": lambda a, b: torch.ne(a, b),
    "operator.and_": lambda a, b: (a > 0) & (b > 0),
    "operator.or_": lambda a, b: (a > 0) | (b > 0),
    "torch.logical_and": lambda a, b: torch.logical_and(a > 0, b > 0),
    "method logical_or": lambda a, b: (a > 0).logical_or(b > 0),
    "torch.logical_not": lambda a, b: torch.logical_not(a > b),
    "a product of masks": lambda a, b: (a > 0) * (b > 0),
}.items():
    mask_case(op_name, op)

numbers = {
    "1 - x": lambda x: 1 - x,
    "x - 1": lambda x: x - 1,
    "2 / x": lambda x: 2 / x,
    "x / 3": lambda x: x / 3,
    "2.5 * x": lambda x: 2.5 * x,
    "x ** 2": lambda x: x**2,
    "x ** 3.0": lambda x: x**3.0,
    "x ** 0": lambda x: x**0 + x,
    "2 ** x": lambda x: 2**x,
    "x % 0.37": lambda x: x % 0.37,
    "0.1 + x": lambda x: 0.1 + x,
    "x > 0.3 in 32 bits": lambda x: torch.where(x >= 0.3, x, 2 * x),
    "1e-12 and 1e21": lambda x: (x + 1e-12) * 1e21,
    "a number that is chosen": lambda x: torch.where(x > 0, x, 0.25),
    "an integer that is chosen": lambda x: torch.where(x > 0, 1, x),
    "method where": lambda x: x.where(x > 0, -x),
    "torch.clamp with both": lambda x: torch.clamp(x, -0.5, 0.5),
    "torch.clamp by name": lambda x: torch.clamp(x, min=-20.0, max=math.inf),
    "method clamp with min": lambda x: x.clamp(min=-1),
    "torch.clip with max": lambda x: torch.clip(x, max=0.31),
}
for number_name, op in numbers.items():
    unary(number_name, op, smooth=number_name != "x > 0.3 in 32 bits")
unary("clamp at its bounds", lambda x: torch.clamp(x, 0.0, 0.5), WITH_TIES, smooth=False)
unary("method masked_fill", lambda x: x.masked_fill(x > 0, -3.5))


def matrix(name, op, values=MATRIX, smooth=True):
    """The sum of the squares of op(x), so that every element has another gradient."""

    def loss(logprobs, other):
        y = op(logprobs, other)
        return (y * y * 0.5 + y).sum() + (logprobs * other).sum(), {"custom/total:sum": y.sum()}

    case(name, loss, smooth=smooth, logprobs=floats(values), other=floats(OTHER_MATRIX))


for matrix_name, op in {
    "sum of all": lambda a, b: (a * b).sum(),
    "sum along 0": lambda a, b: a.sum(0) * b,
    "sum along -1, kept": lambda a, b: a.sum(dim=-1, keepdim=True) * b,
    "torch.sum along both": lambda a, b: torch.sum(a * b, dim=(0, 1)),
    "mean of all": lambda a, b: (a * b).mean(),
    "mean along 1": lambda a, b: (a * b).mean(1),
    "mean along a tuple": lambda a, b: (a * b).mean(dim=(0,)),
    "numpy's words": lambda a, b: torch.sum(a * b, axis=0, keepdims=True),
    "max of all": lambda a, b: a.max() * b,
    "torch.min of all": lambda a, b: torch.min(a) * b,
    "amax along 1": lambda a, b: torch.amax(a, 1),
    "amin along 0, kept": lambda a, b: a.amin(dim=0, keepdim=True) * b,
    "logsumexp along 1": lambda a, b: torch.logsumexp(a, dim=1),
    "logsumexp along both": lambda a, b: (a * b).logsumexp((0, 1)),
    "softmax along 1": lambda a, b: torch.softmax(a, dim=1) * b,
    "method softmax along 0": lambda a, b: a.softmax(0) * b,
    "log_softmax along -1": lambda a, b: torch.log_softmax(a, -1) * b,
    "functional softmax": lambda a, b: F.softmax(a, dim=1) * b,
    "functional log_softmax": lambda a, b: F.log_softmax(a, dim=0) * b,
    "cumsum along 0": lambda a, b: torch.cumsum(a, 0) * b,
    "cumsum along 1": lambda a, b: a.cumsum(dim=1) * b,
    "a row": lambda a, b: a[0] * b[1],
    "a column from the end": lambda a, b: a[:, -1] * b[0, 0],
    "a range": lambda a, b: a[:, 1:] * b[..., :2],
    "a range with steps": lambda a, b: a[:, ::2] * b[:, 0:9:2],
    "ellipsis and a new dimension": lambda a, b: a[..., None] * b[0],
    "a new dimension first": lambda a, b: a[None] * b,
    "an empty range": lambda a, b: a[:, 5:].sum() + b * a,
    "stretched rows": lambda a, b: a[:1] * b,
    "stretched columns": lambda a, b: a[:, :1] - b,
    "transpose": lambda a, b: a.transpose(0, 1)[0] * b[:, 0],
    "torch.transpose from the end": lambda a, b: torch.transpose(a, -1, 0).matmul(b),
    "t": lambda a, b: a.t() @ b,
    "flip": lambda a, b: torch.flip(a, (0, 1)) * b,
    "method flip": lambda a, b: a.flip(1) * b,
    "reshape": lambda a, b: a.reshape(3, -1)[0] * b[0, :2],
    "torch.reshape to one": lambda a, b: torch.reshape(a, (-1,)).cumsum(0),
    "view": lambda a, b: a.view(-1).cumsum(0),
    "flatten": lambda a, b: torch.flatten(a).cumsum(0),
    "flatten a part": lambda a, b: a[None].flatten(0, 1) * b,
    "squeeze": lambda a, b: a.sum(1, keepdim=True).squeeze(1) * b[:, 0],
    "unsqueeze": lambda a, b: a.unsqueeze(1) * b,
    "unsqueeze at the end": lambda a, b: torch.unsqueeze(a, -1).sum(0),
    "stack": lambda a, b: torch.stack([a, b * a]),
    "stack at the end": lambda a, b: torch.stack((a, b * a), -1),
    "stack scalars": lambda a, b: torch.stack([a.sum(), (a * b).mean()]),
    "cat": lambda a, b: torch.cat([a, b * a]),
    "torch.concat along 1": lambda a, b: torch.concat([a[:, 1:], b, a], 1),
    "matmul of matrices": lambda a, b: torch.matmul(a, b.t()),
    "matrix and vector": lambda a, b: a @ b[0],
    "vector and matrix": lambda a, b: b[:, 0] @ a,
    "vector and vector": lambda a, b: a[0].matmul(b[1]),
    "one value twice": lambda a, b: a * a * a + a / a,
}.items():
    matrix(matrix_name, op)
matrix("max of equal elements", lambda a, b: a.max() * b, [[0.5, 0.5, 0.1], [0.5, -1.0, 0.0]], smooth=False)
matrix("amin of equal elements", lambda a, b: a.amin(1), [[0.5, 0.5, 0.5], [0.5, -1.0, -1.0]], smooth=False)
matrix("logsumexp far out", lambda a, b: torch.logsumexp(a * 1000, dim=1) / 1000, smooth=False)


def integers(name, op):
    def loss(logprobs, tokens, scale):
        y = op(logprobs, tokens)
        return (y * scale).sum(), {"custom/tokens:sum": tokens.sum(), "custom/most:mean": tokens.max()}

    case(name, loss, logprobs=floats(X), tokens=floats(INTEGERS, "int64"), scale=floats(0.5))


for integers_name, op in {
    "int64 beside float32": lambda x, t: x * t + t,
    "int64 divided": lambda x, t: x * (t / 2),
    "int64 floor division": lambda x, t: x * (t // 2),
    "int64 remainder": lambda x, t: x * (t % 3),
    "int64 power": lambda x, t: x * (t**2),
    "cumsum of a mask as floats": lambda x, t: x * torch.cumsum(t > 0, 0, dtype=torch.float32),
    "softmax of integers as floats": lambda x, t: x * torch.softmax(t, 0, dtype=torch.float32),
    "functional log_softmax of integers as floats": lambda x, t: x * F.log_softmax(t, 0, dtype=torch.float32),
    "int64 cumsum and flip": lambda x, t: x * t.cumsum(0).flip(0),
    "int64 compared": lambda x, t: torch.where((t > 0) & (t != 7), x, x * x),
    "int64 clamped by a float": lambda x, t: x * t.clamp(min=0.5),
    "int64 clamped by an integer": lambda x, t: x * t.clamp(0, 5),
    "int64 minimum": lambda x, t: x * torch.minimum(t, torch.ones_like(t)),
    "masks counted": lambda x, t: x * (t > 0).sum() / (t == t).sum(),
    "masks as numbers": lambda x, t: x * (t > 0) + (t > 0).float() * x,
    "int64 cast": lambda x, t: x * t.to(torch.float32).mean(),
    "int64 absolute": lambda x, t: x * abs(-t),
}.items():
    integers(integers_name, op)

WITH_ZERO = [0.0, 0.3, 1.2, 2.0]
HIDDEN = [-3.4e38, -3.4e38, -3.4e38, -3.4e38]
for step_name, op in {"floor": torch.floor, "ceil": torch.ceil, "round": torch.round, "sign": torch.sign}.items():
    unary(f"{step_name} stops an infinite gradient", lambda x, op=op: op(x).sqrt() + x, WITH_ZERO, smooth=False)
unary("x ** 0 stops an infinite gradient", lambda x: (x**0 - 1).sqrt() + x, WITH_ZERO, smooth=False)
unary("x ** 2 does not", lambda x: (x**2).sqrt() + x, WITH_ZERO, smooth=False)
unary("min of all beside an infinite gradient", lambda x: x.min().sqrt() + x, WITH_ZERO, smooth=False)
unary("amin beside an infinite gradient", lambda x: x.amin(0).sqrt() + x, WITH_ZERO, smooth=False)
unary("max of what is no number", lambda x: x.max() + x, NOT_FINITE, smooth=False)
unary("amax of what is no number", lambda x: x.amax(0) + x, NOT_FINITE, smooth=False)
unary("logsumexp of nothing but -inf", lambda x: torch.logsumexp(x, 0) + x, [-math.inf] * 4, smooth=False)
unary("softmax of hidden elements", lambda x: torch.softmax(x, 0), HIDDEN, smooth=False)
unary("log_softmax of hidden elements", lambda x: torch.log_softmax(x, 0), HIDDEN, smooth=False)
unary("softmax beside inf", lambda x: torch.where(torch.isnan(torch.softmax(x, 0)), 1.0, x), [math.inf, 1.0, 2.0, -1.0], smooth=False)
unary("masked_fill of a mask", lambda x: x * (x > -1).masked_fill(x > 1, 2))


def clipped_ratio(logprobs, sampled, advantages):
    ratio = torch.exp(logprobs - sampled)
    clipped = torch.clamp(ratio, 0.8, 1.2)
    loss = -torch.minimum(ratio * advantages, clipped * advantages).sum()
    return loss, {"custom/ratio:mean": ratio.mean(), "custom/n:sum": torch.ones_like(ratio).sum()}


case("clipped ratio", clipped_ratio, smooth=False, logprobs=floats([-0.5, -2.0]), sampled=floats([-1.0, -2.0]), advantages=floats([1.0, -1.0]))


def distillation(logprobs, teacher, weights):
    student = torch.log_softmax(logprobs, dim=-1)
    log_teacher = torch.log_softmax(teacher, dim=-1)
    kl = (log_teacher.exp() * (log_teacher - student)).sum(-1)
    return (kl * weights).sum() / weights.sum().clamp(min=1.0), {"custom/kl:mean": kl.mean()}


case("distillation", distillation, logprobs=floats(MATRIX), teacher=floats(OTHER_MATRIX), weights=floats([1.0, 0.5]))


def returns(logprobs, rewards, mask):
    kept = rewards * (mask > 0)
    to_go = kept.flip(0).cumsum(0).flip(0)
    advantage = (to_go - to_go.mean()).detach()
    return -(logprobs * advantage * mask).sum(), {"custom/return:mean": to_go[0]}


case("rewards to go", returns, logprobs=floats(X), rewards=floats([0.0, 1.0, -0.5, 2.0]), mask=floats([0.0, 1.0, 1.0, 1.0]))


def number(value):
    """Nine digits, which tell every float of 32 bits from every other. JSON has neither NaN nor infinities."""
    return float(f"{value:.9g}") if math.isfinite(value) else str(value)


def numbers_of(tensor):
    return [number(value) for value in tensor.detach().flatten().tolist()]


def record(name, fn, smooth, inputs):
    tensors = {key: torch.tensor(x["values"], dtype=getattr(torch, x["dtype"])) for key, x in inputs.items()}
    handle = trace_loss(fn, {key: tensor.ndim for key, tensor in tensors.items()}, "S")
    request = {
        "session_id": "S",
        "custom_loss_seq_id": 0,
        "name": name,
        "inputs": [x.model_dump() for x in handle.inputs],
        "graph": encode_graph(handle).model_dump(),
        "type": "create_custom_loss",
    }
    tensors["logprobs"].requires_grad_(True)
    loss, metrics = handle.graph(*tensors.values())
    loss.backward()
    return {
        "name": name,
        "isSmooth": smooth,
        "request": json.dumps(request, separators=(",", ":")),
        "inputs": [
            {"dtype": inputs[key]["dtype"], "shape": list(tensor.shape), "data": numbers_of(tensor)}
            for key, tensor in tensors.items()
        ],
        "loss": number(loss.item()),
        "gradient": numbers_of(tensors["logprobs"].grad),
        "metrics": {key: number(float(value.detach().item())) for key, value in metrics.items()},
    }


lines = [json.dumps(record(*item), separators=(",", ":")) for item in CASES]
print("[\n" + ",\n".join(lines) + "\n]")
