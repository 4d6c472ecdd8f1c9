"""Linear layers whose weights lie as the CPU's bf16 matrix product wants them.

torch arranges a layer's weights anew in every call; done once, a model is about a tenth faster in bf16 (measured
with tests/benchmarks/encode.py). The operators are the ones that torch.compile uses.
"""

from __future__ import annotations

import torch


class BlockedLinear(torch.nn.Module):
    """As torch.nn.Linear, for inference in bf16 on a CPU.

    Args:
        layer: the layer to stand in for.
        tokens: number of rows that most calls have; others work too.
    """

    def __init__(self, layer: torch.nn.Linear, tokens: int) -> None:
        super().__init__()
        self.weight = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach(), tokens)
        self.bias = None if layer.bias is None else layer.bias.detach()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Multiply and add.

        Args:
            x: shape (..., in features), bf16.

        Returns:
            Shape (..., out features), bf16.
        """
        made: torch.Tensor = torch.ops.mkldnn._linear_pointwise(x, self.weight, self.bias, "none", [], "")
        return made


def supported() -> bool:
    """Whether this CPU and this torch have the operators.

    Returns:
        True where oneDNN multiplies in bf16.
    """
    operators = torch.ops.mkldnn
    return bool(
        torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
        and hasattr(operators, "_reorder_linear_weight")
        and hasattr(operators, "_linear_pointwise")
        and operators._is_mkldnn_bf16_supported()
    )


def block(model: torch.nn.Module, tokens: int) -> int:
    """Replace the linear layers of a bf16 model on a CPU.

    Args:
        model: changed in place; one whose code calls its linear layers and never reads their weights.
        tokens: see BlockedLinear.

    Returns:
        Number of layers replaced; 0 where `supported` is false.
    """
    if not supported():
        return 0
    found = [
        (parent, name, layer)
        for parent in model.modules()
        for name, layer in parent.named_children()
        if type(layer) is torch.nn.Linear and layer.weight.dtype == torch.bfloat16
    ]
    with torch.inference_mode():
        for parent, name, layer in found:
            setattr(parent, name, BlockedLinear(layer, tokens))
    return len(found)
