import ctypes

import torch
from core.challenge_base import ChallengeBase, OutTensor, RandnTensor


class Challenge(ChallengeBase):
    name = "Capped sum"
    atol = 1e-5
    rtol = 1e-5

    def reference_impl(self, x, running, capped, cap, n):
        running += x
        capped.copy_(running.clamp(max=cap))

    def get_solve_signature(self):
        numbers = ctypes.POINTER(ctypes.c_float)
        return {
            "x": (numbers, "in"),
            "running": (numbers, "inout"),
            "capped": (numbers, "out"),
            "cap": (ctypes.c_float, "in"),
            "n": (ctypes.c_int, "in"),
        }

    def generate_functional_test(self):
        plain = torch.tensor([1.0, -2.0, 3.0], device=self.device)
        tests = [
            {"x": plain, "running": plain.clone(), "capped": torch.zeros(3), "cap": 1.5, "n": 3}
        ]
        for n in (16, 1000, 5000):
            x, running = RandnTensor((n,)), RandnTensor((n,), std=2.0)
            tests.append(
                {"x": x, "running": running, "capped": OutTensor((n,)), "cap": 0.5, "n": n}
            )
        return tests
