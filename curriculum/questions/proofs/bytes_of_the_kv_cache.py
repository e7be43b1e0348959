"""Keys and values that a decoder keeps: counted on tensors, and grouped heads change no result."""

from __future__ import annotations

import torch
from torch.nn import functional


def cache_bytes(layers: int, kv_heads: int, head: int, tokens: int, size: int) -> int:
    """Keys and values: hence the 2."""
    return 2 * layers * kv_heads * head * tokens * size


def main() -> None:
    """A small cache counted, a large one computed, and one group's heads compared."""
    layers, kv_heads, head, tokens = 3, 2, 16, 40
    kept = [
        torch.zeros(1, kv_heads, tokens, head, dtype=torch.bfloat16)
        for _ in range(layers)
        for _ in ("keys", "values")
    ]
    counted = sum(t.nbytes for t in kept)
    print(f"counted {counted} bytes, computed {cache_bytes(layers, kv_heads, head, tokens, 2)}")
    assert counted == cache_bytes(layers, kv_heads, head, tokens, 2)

    grouped, full = cache_bytes(32, 8, 128, 1, 2), cache_bytes(32, 32, 128, 1, 2)
    print(f"32 layers of 128: {full / 1024:.0f} KiB a token with 32 heads of keys and values,")
    print(f"  {grouped / 1024:.0f} KiB with 8: a sequence of 8192 tokens is 1 GiB")
    assert grouped * 8192 == 2**30
    assert full == 4 * grouped

    torch.manual_seed(0)
    query = torch.randn(1, 8, 1, head)
    key, value = torch.randn(2, 1, kv_heads, tokens, head)
    shared = functional.scaled_dot_product_attention(query, key, value, enable_gqa=True)
    repeated = functional.scaled_dot_product_attention(
        query, key.repeat_interleave(4, 1), value.repeat_interleave(4, 1)
    )
    print("8 query heads on 2 of keys: as if each key head were repeated 4 times")
    torch.testing.assert_close(shared, repeated)


if __name__ == "__main__":
    main()
