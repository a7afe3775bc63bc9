"""Muon in float32: that of PyTorch computes in bfloat16, which a processor without it does five times as slowly."""

from collections.abc import Iterable

import torch

COEFFICIENTS = (3.4445, -4.7750, 2.0315)
ITERATIONS = 5
MOMENTUM = 0.95


class Float32Muon(torch.optim.Optimizer):
    """The step of `torch.optim.Muon(adjust_lr_fn="match_rms_adamw")`: Nesterov momentum, made orthogonal, decoupled decay."""

    def __init__(self, parameters: Iterable[torch.nn.Parameter], lr: float, weight_decay: float):
        super().__init__(parameters, {"lr": lr, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:
        for group in self.param_groups:
            for parameter in group["params"]:
                momentum = self.state[parameter].setdefault("momentum", torch.zeros_like(parameter))
                momentum.lerp_(parameter.grad, 1 - MOMENTUM)
                update = orthogonal(parameter.grad.lerp(momentum, MOMENTUM))
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                parameter.add_(update, alpha=-group["lr"] * 0.2 * max(parameter.shape) ** 0.5)


def orthogonal(matrix: torch.Tensor) -> torch.Tensor:
    """The matrix with its singular values near 1, by Newton and Schulz's iteration."""
    a, b, c = COEFFICIENTS
    wide = matrix.T if matrix.shape[0] > matrix.shape[1] else matrix
    wide = wide / wide.norm().clamp(min=1e-7)
    for _ in range(ITERATIONS):
        gram = wide @ wide.T
        wide = torch.addmm(wide, torch.addmm(gram, gram, gram, beta=b, alpha=c), wide, beta=a)
    return wide.T if matrix.shape[0] > matrix.shape[1] else wide
