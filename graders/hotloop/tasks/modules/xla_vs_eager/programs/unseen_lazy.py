"""A step for PyTorch/XLA that goes through a layer again and again.

How often follows from its state, so that nobody can know what a profile of it holds who has not
watched a run. The judge sets the numbers.
"""

import torch

START, FACTOR, TERM = 0, 5, 1
TURNS, FEWEST, TURNS_A_LAYER = 256, 2, 32
SIDE = 16


def begin(device):
    """The state as training starts with it: a number, and a tensor on the device."""
    draw = torch.Generator().manual_seed(START)
    return START, torch.randn(SIDE, SIDE, generator=draw).to(device)


def batch(number):
    """The batch of a step, on the CPU."""
    return torch.randn(SIDE, SIDE, generator=torch.Generator().manual_seed(number))


def step(state, batch):
    """The new state, whose tensor is pending."""
    turn, value = state
    turn = (FACTOR * turn + TERM) % TURNS
    for _ in range(FEWEST + turn // TURNS_A_LAYER):
        value = torch.tanh(batch @ value)
    return turn, value
