"""A fold: the state is the last cycle and a tuple of pairs, and nothing is changed in place."""


### BEGIN SOLUTION unknown_machine.count
from functools import reduce
from itertools import accumulate


def issue_cycles(bundles, machine):
    def issue(state, text):
        clock, ready = state
        parts = [instruction(part) for part in text.split("|")]
        names = {name for part in parts for name in part.reads + part.writes}
        now = reduce(max, (ready.get(name, 0) for name in names), clock + 1)
        done = {n: now + machine["latency"][p.latency] for p in parts for n in p.writes}
        return now, {**ready, **done}

    states = accumulate(bundles, issue, initial=(-1, {}))
    return [clock for clock, _ in states][1:]


def busy_cycles(addresses, machine):
    bank = from_dict(machine).bank
    different = frozenset(addresses)
    return max(sum(bank(other) == bank(each) for other in different) for each in different)


### END SOLUTION
