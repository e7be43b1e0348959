"""Where a PyTorch operator says that it is for CUDA, the simulated device is the CPU."""

from __future__ import annotations

from collections.abc import Sequence

from hotloop.cudasim.tokens import Token, following, preceding

_REGISTRATIONS = frozenset({"StableTorchLibraryInit", "TorchLibraryInit"})


def rewrite_device(tokens: Sequence[Token]) -> None:
    """`x.is_cuda()` asks for the CPU, and what registers for the key CUDA registers for CPU."""
    registering = False
    for index, token in enumerate(tokens):
        if token.kind == "word" and token.text in _REGISTRATIONS:
            registering = True
        elif token.text == ";":
            registering = False
        elif token.kind == "string" and token.text == '"CUDA"' and registering:
            token.text = '"CPU"'
        elif token.kind == "word" and token.text == "is_cuda" and _is_method(tokens, index):
            token.text = "is_cpu"


def _is_method(tokens: Sequence[Token], index: int) -> bool:
    before, behind = preceding(tokens, index), following(tokens, index)
    if before < 0 or behind >= len(tokens):
        return False
    return tokens[before].text in {".", "->"} and tokens[behind].text == "("
