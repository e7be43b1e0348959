"""A scoreboard as a class, which is asked bundle by bundle."""


### BEGIN SOLUTION unknown_machine.count
class Scoreboard:
    def __init__(self, latency):
        self.latency, self.ready, self.next = latency, {}, 0

    def issue(self, bundle):
        parts = [instruction(text) for text in bundle.split("|")]
        for part in parts:
            for name in (*part.reads, *part.writes):
                self.next = max(self.next, self.ready.get(name, 0))
        for part in parts:
            if part.writes:
                done = self.next + self.latency[part.latency]
                self.ready.update(dict.fromkeys(part.writes, done))
        self.next += 1
        return self.next - 1


def issue_cycles(bundles, machine):
    board = Scoreboard(machine["latency"])
    return [board.issue(bundle) for bundle in bundles]


def busy_cycles(addresses, machine):
    bank = from_dict(machine).bank
    counts, seen = [0] * machine["banks"], set()
    for address in addresses:
        if address not in seen:
            seen.add(address)
            counts[bank(address)] += 1
    return max(counts)


### END SOLUTION
