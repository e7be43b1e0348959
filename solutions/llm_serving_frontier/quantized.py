"""Keys and values in four bits: task 6."""

import json
from pathlib import Path

import numpy as np

### BEGIN SOLUTION llm_serving_frontier.quantized_cache
### STUB def quantize(keys, values, group):
### STUB     """The cache of whole groups of tokens: a dict of six arrays.
### STUB
### STUB     keys, values: [tokens, heads, dim], float32. What is left of a group stays as it is.
### STUB     """
### STUB     raise NotImplementedError("llm_serving_frontier.quantized_cache")
### STUB
### STUB
### STUB def attend(q, cache, keys, values, group):
### STUB     """Attention of one token, [query heads, dim], over the cache and what follows it.
### STUB
### STUB     keys, values: of the newest tokens, which are not quantized: [tokens, heads, dim].
### STUB     """
### STUB     raise NotImplementedError("llm_serving_frontier.quantized_cache")


def codes_of(x, axis):
    """Codes, lows and scales of groups along an axis."""
    low, high = x.min(axis, keepdims=True), x.max(axis, keepdims=True)
    # What is stored is rounded, so codes must fit the rounded numbers.
    low = low.astype(np.float16)
    scale = ((high - low.astype(np.float32)) / 15).astype(np.float16)
    step = np.where(scale > 0, scale, 1).astype(np.float32)
    codes = np.clip(np.rint((x - low.astype(np.float32)) / step), 0, 15).astype(np.uint8)
    return codes, low.squeeze(axis), scale.squeeze(axis)


def quantize(keys, values, group):
    """The cache of whole groups of tokens: a dict of six arrays.

    keys, values: [tokens, heads, dim], float32. What is left of a group stays as it is.
    """
    whole = len(keys) // group * group
    heads, dim = keys.shape[1:]
    # Keys have channels that are large for all tokens: a channel is a group over tokens.
    k = codes_of(keys[:whole].reshape(-1, group, heads, dim), axis=1)
    # Values have not: a group is a part of one token.
    v = codes_of(values[:whole].reshape(whole, heads, -1, group), axis=3)
    cache = {}
    for name, (codes, low, scale) in (("k", k), ("v", v)):
        codes = codes.reshape(whole, heads, dim)
        cache[f"{name}_codes"] = codes[..., 0::2] | codes[..., 1::2] << 4
        cache[f"{name}_low"], cache[f"{name}_scale"] = low, scale
    return cache


def unpacked(packed):
    """[…, dim / 2] bytes as […, dim] codes."""
    return np.stack([packed & 15, packed >> 4], -1).reshape(*packed.shape[:-1], -1)


def attend(q, cache, keys, values, group):
    """Attention of one token, [query heads, dim], over the cache and what follows it.

    keys, values: of the newest tokens, which are not quantized: [tokens, heads, dim].
    """
    low, scale = cache["k_low"], cache["k_scale"]
    k = unpacked(cache["k_codes"]) * np.repeat(scale, group, 0) + np.repeat(low, group, 0)
    low, scale = cache["v_low"], cache["v_scale"]
    v = unpacked(cache["v_codes"]) * np.repeat(scale, group, -1) + np.repeat(low, group, -1)
    k, v = np.concatenate([k, keys]), np.concatenate([v, values])
    shared = len(q) // k.shape[1]
    k, v = np.repeat(k, shared, 1), np.repeat(v, shared, 1)
    scores = np.einsum("hd,thd->ht", q, k) / np.sqrt(q.shape[-1])
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("ht,thd->hd", shares / shares.sum(-1, keepdims=True), v)


### END SOLUTION

HALF = {"k_low", "k_scale", "v_low", "v_scale"}


def stored(path: str) -> dict[str, list]:
    """What the check calls: `quantize`, for keys and values in a JSON file."""
    given = json.loads(Path(path).read_text(encoding="utf-8"))
    keys, values = (np.array(given[name], np.float32) for name in ("keys", "values"))
    cache = quantize(keys, values, given["group"])
    return {name: np.asarray(array).tolist() for name, array in cache.items()}


def attended(path: str) -> list[list[float]]:
    """What the check calls: `attend`, for a cache in a JSON file."""
    given = json.loads(Path(path).read_text(encoding="utf-8"))
    cache = {
        name: np.array(array, np.float32 if name in HALF else np.uint8)
        for name, array in given["cache"].items()
    }
    q, keys, values = (np.array(given[name], np.float32) for name in ("q", "keys", "values"))
    return np.asarray(attend(q, cache, keys, values, given["group"])).tolist()
