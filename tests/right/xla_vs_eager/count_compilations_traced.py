"""Lets JAX itself say what an argument's abstract value is, by jax.typeof of a real array."""


### BEGIN SOLUTION xla_vs_eager.count_compilations
import json
from collections import defaultdict

import jax
import jax.numpy as jnp
import numpy as np


def key(told):
    if told["kind"] == "static":
        return {"static": repr(told["value"])}
    if told["kind"] == "python":
        value = {"int": int, "float": float, "bool": bool}[told["type"]](0)
        seen = jax.eval_shape(lambda x: x, value)
        weak = not isinstance(value, bool)
        return {"shape": seen.shape, "dtype": seen.dtype.name, "weak_type": weak}
    dtype = jax.dtypes.canonicalize_dtype(told["dtype"]).name
    return {"shape": tuple(told["shape"]), "dtype": dtype, "weak_type": told["weak_type"]}


def frozen(entry):
    return tuple(sorted(entry.items()))


def read_calls(path):
    calls = [
        {name: key(told) for name, told in call.items()}
        for call in json.loads(open(path, encoding="utf-8").read())["calls"]
    ]

    def programs(without=()):
        return len({tuple((n, frozen(e)) for n, e in sorted(c.items()) if n not in without) for c in calls})

    left = {name: programs((name,)) for name in calls[0]}
    culprit = sorted(left, key=left.get)[0]
    values = defaultdict(set)
    for call in calls:
        for what, value in call[culprit].items():
            values[what].add(value)
    causes = [what for what in ("static", "shape", "dtype", "weak_type") if len(values[what]) > 1]
    return {"programs": programs(), "culprit": culprit, "cause": causes[0] if causes else None}


### END SOLUTION
