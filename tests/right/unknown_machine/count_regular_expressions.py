"""Registers by a regular expression; the cycles by looking back at all bundles before."""


### BEGIN SOLUTION unknown_machine.count
import re
from collections import defaultdict

REGISTER = re.compile(r"\b[sv]\d+\b")
KINDS = (
    (re.compile(r"v?(ld|gather)\b"), "load"),
    (re.compile(r"v(mul|muladd|sum)\b"), "vector_multiply"),
    (re.compile(r"(mul|muladd)\b"), "scalar_multiply"),
    (re.compile(r"v"), "vector"),
    (re.compile(r""), "scalar"),
)


def issue_cycles(bundles, machine):
    cycles, history = [], []
    for bundle in bundles:
        now = cycles[-1] + 1 if cycles else 0
        touched = set(REGISTER.findall(bundle))
        latest = {}
        for register, ready in history:
            latest[register] = ready
        now = max([now, *(latest[register] for register in touched if register in latest)])
        for text in map(str.strip, bundle.split("|")):
            if text.startswith(("st", "vst", "vscatter")):
                continue
            kind = next(kind for form, kind in KINDS if form.match(text))
            history.append((REGISTER.search(text).group(), now + machine["latency"][kind]))
        cycles.append(now)
    return cycles


def busy_cycles(addresses, machine):
    by_bank = defaultdict(set)
    for address in addresses:
        by_bank[from_dict(machine).bank(address)].add(address)
    return max(map(len, by_bank.values()))


### END SOLUTION
