"""Generators: one yields cycles as it goes, one takes a word of each bank in turns."""


### BEGIN SOLUTION unknown_machine.count
def _issued(bundles, latency):
    ready, clock = {}, 0
    for bundle in bundles:
        parts = list(map(instruction, bundle.split("|")))
        waits = [ready[n] for p in parts for n in p.reads + p.writes if n in ready]
        clock = max(waits + [clock])
        yield clock
        for part in parts:
            for name in part.writes:
                ready[name] = clock + latency[part.latency]
        clock += 1


def issue_cycles(bundles, machine):
    return list(_issued(bundles, machine["latency"]))


def busy_cycles(addresses, machine):
    bank, waiting, cycles = from_dict(machine).bank, set(addresses), 0
    while waiting:
        served = {bank(address): address for address in waiting}
        waiting -= set(served.values())
        cycles += 1
    return cycles


### END SOLUTION
