"""Advances a clock one cycle at a time, and reads the lines with string methods alone."""


### BEGIN SOLUTION unknown_machine.count
UNIT_OF = {"ld": "load", "vld": "load", "vgather": "load", "st": "store", "vst": "store"}


def _parse(text):
    name, _, rest = text.strip().partition(" ")
    return name, [word.strip() for word in rest.split(",")]


def _latency(name, latency):
    if UNIT_OF.get(name) == "load":
        return latency["load"]
    unit = "vector" if name.startswith("v") else "scalar"
    slow = name in ("mul", "muladd", "vmul", "vmuladd", "vsum")
    return latency[unit + "_multiply" if slow else unit]


def issue_cycles(bundles, machine):
    left = {}  # cycles until a register is ready
    clock, issued = 0, []
    for bundle in bundles:
        parts = [_parse(text) for text in bundle.split("|")]
        registers = [word for _, words in parts for word in words if word[:1] in ("s", "v")]
        while any(left.get(register, 0) > 0 for register in registers):
            clock += 1
            left = {register: count - 1 for register, count in left.items()}
        issued.append(clock)
        for name, words in parts:
            if UNIT_OF.get(name) != "store":
                left[words[0]] = _latency(name, machine["latency"])
        clock += 1
        left = {register: count - 1 for register, count in left.items()}
    return issued


def busy_cycles(addresses, machine):
    shift, banks = machine["bank_shift"], machine["banks"]
    served = [set() for _ in range(banks)]
    for a in addresses:
        mixed = {"linear": a, "xor": a ^ (a >> shift), "block": a >> shift}[machine["bank_map"]]
        served[mixed % banks].add(a)
    return max(len(words) for words in served)


### END SOLUTION
