"""Simulated accelerators: each seed draws one, with a kernel to optimize. Plain Python only.

`machine` draws the parameters, `program` assembles, `run` counts cycles, `walk` is the kernel with
its naive program and a lower bound, `manual` and `timeline` are what people read.
"""
