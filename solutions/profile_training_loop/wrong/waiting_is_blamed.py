"""Takes the line that waits for the slow one: reading the loss is charged with everything.

fails: honest_clock.correct
"""


### BEGIN SOLUTION profile_training_loop.honest_clock
def time_per_step(phases, synchronize, clock, warmup, steps):
    def run(count):
        for _ in range(count):
            for phase in phases.values():
                phase()
        synchronize()

    run(warmup)
    started = clock()
    run(steps)
    return (clock() - started) / steps


def time_per_phase(phases, synchronize, clock, warmup, steps):
    totals = dict.fromkeys(phases, 0.0)
    for number in range(warmup + steps):
        for name, phase in phases.items():
            started = clock()
            phase()
            if number >= warmup:
                totals[name] += clock() - started
    return {name: total / steps for name, total in totals.items()}


### END SOLUTION
