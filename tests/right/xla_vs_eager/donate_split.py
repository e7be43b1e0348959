"""Donates by the arguments' names; the text of a lowered module is taken apart by splitting."""


### BEGIN SOLUTION xla_vs_eager.donate
import jax
import network


def export_donated(batch, width, target):
    program = jax.jit(network.step, donate_argnames=("parameters", "momentum"))
    with open(target, "wb") as file:
        file.write(jax.export.export(program)(*network.abstract(batch, width)).serialize())


### END SOLUTION


### BEGIN SOLUTION xla_vs_eager.donate bytes
from math import prod

import numpy as np


def nbytes(text):
    *extents, kind = text.split(">")[0].split("x")
    bits = 8 if kind == "i1" else int(kind.lstrip("uibf"))
    return prod(map(int, extents)) * bits // 8


def donations(path):
    with open(path) as file:
        (line,) = [line for line in file if "func" in line and "@main(" in line]
    before, after = line.split("->", 1)
    arguments = before.split("%arg")[1:]
    given = np.array([nbytes(a.split("tensor<", 1)[1]) for a in arguments])
    results = np.array([nbytes(r) for r in after.split("tensor<")[1:]])
    aliased = {}
    for number, argument in enumerate(arguments):
        mark = "tf.aliasing_output = "
        if mark in argument:
            aliased[number] = int(argument.split(mark)[1].split()[0].rstrip(",}"))
    shared = sum(given[number] for number in aliased)
    return {
        "aliased": aliased,
        "arguments": given.sum(),
        "results": results.sum(),
        "held": given.sum() + results.sum() - shared,
    }


### END SOLUTION
