import torch
from task import input_t, output_t


def ref_kernel(data: input_t) -> output_t:
    values, _out = data
    return values.double().cumsum(0).float()


def generate_input(size: int, seed: int) -> input_t:
    generator = torch.Generator(device="cuda").manual_seed(seed)
    values = torch.rand(size, device="cuda", generator=generator)
    return values, torch.empty(size, device="cuda")


def check_implementation(data: input_t, output: output_t) -> tuple[bool, str]:
    want = ref_kernel(data)
    if output.dtype != want.dtype or output.shape != want.shape:
        return False, f"expected {want.dtype} {list(want.shape)}"
    worst = (output - want).abs().max().item()
    return worst <= 1e-4 * len(want), f"off by {worst}"
