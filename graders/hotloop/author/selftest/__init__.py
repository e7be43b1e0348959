"""Tests whether speed can be judged on this machine's GPU: thirteen steps with time limits.

The steps test what only the GPU can answer: whether its memory can be lent to a sandboxed process,
whether other GPU processes are noticed, whether unfinished work is caught, what the protocol costs.
`hotloop doctor --gpu` and `python -m hotloop.author.selftest` run each step in its own process,
print its line at once, and exit with the number of the first broken step plus one, or 0.
"""
