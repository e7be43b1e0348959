"""Bytes and operations of a cached token, and the order of the products of latent attention."""

from __future__ import annotations

import numpy as np

HEADS, DIM, LATENT, ROPE, KV_HEADS = 128, 128, 512, 64, 8
RIDGE = 989e12 / 3.35e12
"""Operations a byte at which an H100's arithmetic in 16 bits is the limit."""


def sizes() -> None:
    """A token in one layer, in 16 bits."""
    grouped, latent = 2 * 2 * KV_HEADS * DIM, 2 * (LATENT + ROPE)
    products = HEADS * (LATENT + ROPE + LATENT)
    print(f"grouped-query attention, {KV_HEADS} heads: {grouped} bytes a token and layer")
    print(f"latent attention: {latent} bytes, {latent / grouped:.0%}")
    print(f"expanding the keys of a token: {LATENT * HEADS * DIM / 1e6:.1f} million products")
    print(
        f"absorbed: {products} products, {2 * products / latent:.0f} operations a byte; "
        f"an H100's ridge: {RIDGE:.0f}"
    )


def order() -> None:
    """Scores by expanded keys and by absorbed queries are equal."""
    rng = np.random.default_rng(0)
    heads, dim, latent, tokens = 4, 8, 16, 5
    expand = rng.standard_normal((heads, dim, latent))
    q, c = rng.standard_normal((heads, dim)), rng.standard_normal((tokens, latent))
    expanded = np.einsum("hd,thd->ht", q, np.einsum("hdl,tl->thd", expand, c))
    absorbed = np.einsum("hl,tl->ht", np.einsum("hd,hdl->hl", q, expand), c)
    assert np.allclose(expanded, absorbed)
    print("scores by expanded keys and by absorbed queries: equal")


if __name__ == "__main__":
    sizes()
    order()
