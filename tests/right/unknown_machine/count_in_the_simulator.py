"""Runs the program in the simulator and reads the cycles of its events; banks by sorting."""


### BEGIN SOLUTION unknown_machine.count
import itertools

from hotloop.engines.accelerator import program, run


def issue_cycles(bundles, machine):
    drawn = from_dict(machine)
    text = "\n".join(bundles)
    result = run.run(drawn, program.assemble(text, drawn), [], range(0), 10**6, record=True)
    first = {}
    for event in result.events:
        first.setdefault(event.bundle, event.start)
    return [first[at] for at in range(len(bundles))]


def busy_cycles(addresses, machine):
    bank = from_dict(machine).bank
    different = sorted(dict.fromkeys(addresses), key=bank)
    return max(len(list(group)) for _, group in itertools.groupby(different, key=bank))


### END SOLUTION
