# An object with a method for each operation; the parity of the latest complete phase is kept.
### BEGIN SOLUTION gemm_hopper.mbarrier_phases
class Mbarrier:
    def __init__(self, count):
        self.count = self.pending = count
        self.tx = 0
        self.complete = -1

    def arrive(self, bytes=0):
        self.expect_tx(bytes)
        self.pending -= 1

    arrive_expect_tx = arrive

    def expect_tx(self, bytes):
        self.tx += bytes

    def complete_tx(self, bytes):
        self.tx -= bytes

    def end(self):
        if not self.pending and not self.tx:
            self.complete += 1
            self.pending = self.count


def mbarrier_phases(count, events):
    b, waits = Mbarrier(count), []
    for what, *rest in events:
        if what == "wait_parity":
            waits.append((b.complete & 1) == rest[0])
            continue
        getattr(b, what)(*rest)
        b.end()
    return dict(waits=waits, phase=b.complete + 1, arrivals=b.pending, bytes=b.tx)


### END SOLUTION
