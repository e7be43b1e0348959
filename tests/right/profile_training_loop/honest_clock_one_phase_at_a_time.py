"""All steps of one phase after another, each on an idle device, and the mean of a list."""


### BEGIN SOLUTION profile_training_loop.honest_clock
def time_per_step(phases, synchronize, clock, warmup, steps):
    marks = []
    for number in range(warmup + steps):
        if number == warmup:
            synchronize()
            marks.append(clock())
        [phase() for phase in phases.values()]
    synchronize()
    marks.append(clock())
    begin, end = marks
    return (end - begin) / steps


def time_per_phase(phases, synchronize, clock, warmup, steps):
    for _ in range(warmup):
        for name in phases:
            phases[name]()
    means = {}
    for name, phase in phases.items():
        samples = []
        for _ in range(steps):
            synchronize()
            samples.append(-clock())
            phase()
            synchronize()
            samples[-1] += clock()
        means[name] = statistics.fmean(samples)
    return means


### END SOLUTION
