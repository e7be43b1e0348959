"""A decoding step that can be recorded and repeated, and the loop around it.

`prepare(weights, cache)` is called once, `step(ready, token, place, cache, out)` for each token;
`generate(seed, first, out)` writes whole answers. The notebook says what they are given.
"""

### TASK transformer_compilation.decode_step
def prepare(weights, cache):
    """What every step needs; see the notebook."""
    raise NotImplementedError("transformer_compilation.decode_step")


def step(ready, token, place, cache, out):
    """Fill `out` with the scores behind one token of each row."""
    raise NotImplementedError("transformer_compilation.decode_step")


def generate(seed, first, out):
    """Fill `out` with the best next tokens, one after the other."""
    raise NotImplementedError("transformer_compilation.decode_step")
