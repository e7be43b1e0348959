"""A product in Helion, and one that rounds more often."""

import helion
import helion.language as hl
import torch


# --8<-- [start:kernel]
@helion.kernel(static_shapes=True)
def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return a @ b, summed in float32."""
    rows, depth = a.size()
    _, columns = b.size()
    c = torch.empty([rows, columns], dtype=a.dtype, device=a.device)
    for row, column in hl.tile([rows, columns]):
        total = hl.zeros([row, column], dtype=torch.float32)
        for step in hl.tile(depth):
            total = torch.addmm(total, a[row, step], b[step, column])
        c[row, column] = total.to(c.dtype)
    return c


# --8<-- [end:kernel]


@helion.kernel(static_shapes=True)
def rounded(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return a @ b, where the product of each step has the type of its operands."""
    rows, depth = a.size()
    _, columns = b.size()
    c = torch.empty([rows, columns], dtype=a.dtype, device=a.device)
    for row, column in hl.tile([rows, columns]):
        total = hl.zeros([row, column], dtype=torch.float32)
        for step in hl.tile(depth):
            total = total + torch.matmul(a[row, step], b[step, column])
        c[row, column] = total.to(c.dtype)
    return c
