"""Can speed be judged on this machine's GPU? Thirteen steps, each a process with a time limit.

What cannot be known without a card is asked of the card: whether its memory can be lent to a
confined process, whether a neighbour is noticed, whether late work is caught, what the protocol
costs. `hotloop doctor --gpu` and `python -m hotloop.selftest` run the steps in order, print a line
for each at once, and end with the number of the first broken one, plus one, as exit code.
"""
