"""Simulated accelerators: each seed draws one, with a kernel to optimize. Plain Python only.

`machine` draws the parameters, `program` assembles, `run` counts cycles, `kernel` says what a kind
of kernel is and `kinds` which one a seed draws, `manual` and `timeline` are what people read. A new
kind is a file with a `KIND`, such as `walk`, and its place in `kinds`.
"""
