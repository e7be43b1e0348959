"""Averages over the first steps too, in which everything is compiled and allocated.

fails: honest_clock.correct
"""


### BEGIN SOLUTION profile_training_loop.honest_clock
def time_per_step(phases, synchronize, clock, warmup, steps):
    started = clock()
    for _ in range(warmup + steps):
        for phase in phases.values():
            phase()
    synchronize()
    return (clock() - started) / (warmup + steps)


def time_per_phase(phases, synchronize, clock, warmup, steps):
    totals = dict.fromkeys(phases, 0.0)
    for number in range(warmup + steps):
        for name, phase in phases.items():
            synchronize()
            started = clock()
            phase()
            synchronize()
            if number >= warmup:
                totals[name] += clock() - started
    return {name: total / steps for name, total in totals.items()}


### END SOLUTION
