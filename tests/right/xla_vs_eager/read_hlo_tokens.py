"""Lines are split by hand, without regular expressions; every kind of fusion is counted, also with 0."""


### BEGIN SOLUTION xla_vs_eager.read_hlo
from math import prod
from pathlib import Path

WIDTHS = {"pred": 1, "s8": 1, "u8": 1, "bf16": 2, "f16": 2, "f32": 4, "s32": 4, "u32": 4, "f64": 8}
MOVES_NOTHING = ("parameter", "constant", "bitcast", "tuple", "get-tuple-element")


class Instruction:
    def __init__(self, line):
        left, right = line.strip().removeprefix("ROOT ").split(" = ", 1)
        self.name = left.lstrip("%")
        if right.startswith("("):
            end = right.index(") ") + 1
        else:
            end = right.index(" ")
        self.type, rest = right[:end], right[end + 1 :]
        self.op, rest = rest.split("(", 1)
        inside, self.rest = rest.split(")", 1)
        self.reads = [p.strip().lstrip("%") for p in inside.split(",") if p.strip().startswith("%")]

    @property
    def bytes(self):
        kind, rest = self.type.split("[", 1)
        extents = rest.split("]")[0]
        return WIDTHS[kind] * prod(int(e) for e in extents.split(",") if e)

    @property
    def layout(self):
        return [int(d) for d in self.type.partition("{")[2].rstrip("}").split(",") if d]

    def attribute(self, name):
        return self.rest.partition(f"{name}=")[2].split(", ")[0].lstrip("%")

    def relayouts(self, entry):
        if self.op not in ("copy", "transpose"):
            return False
        order, old = self.layout, entry[self.reads[0]].layout
        if self.op == "transpose":
            dimensions = self.rest.partition("dimensions={")[2].split("}")[0].split(",")
            order = [int(dimensions[d]) for d in order]
        return order != old


def parse(path):
    found, current = {}, None
    for line in Path(path).read_text().splitlines():
        if line.rstrip().endswith("{") and "->" in line:
            current = {}
            found["" if line.startswith("ENTRY") else line.split()[0].lstrip("%")] = current
        elif line.strip() == "}":
            current = None
        elif current is not None and " = " in line:
            instruction = Instruction(line)
            current[instruction.name] = instruction
    return found


def read_hlo(path):
    module = parse(path)
    entry = module[""]
    kinds = dict.fromkeys(("kLoop", "kInput", "kOutput", "kCustom"), 0)
    fused, moved = 0, {}
    for each in entry.values():
        if each.op == "fusion":
            kinds[each.attribute("kind")] += 1
            body = module[each.attribute("calls")]
            fused += sum(1 for inner in body.values() if inner.op != "parameter")
        if each.op not in MOVES_NOTHING:
            moved[each.name] = each.bytes + sum(entry[name].bytes for name in each.reads)
    return {
        "fusions": kinds,
        "fused": fused,
        "traffic": float(sum(moved.values())),
        "largest": max(moved.items(), key=lambda pair: pair[1])[0],
        "relayouts": sorted(i.name for i in entry.values() if i.relayouts(entry)),
    }


### END SOLUTION


### BEGIN SOLUTION xla_vs_eager.read_hlo unfused
def why_not_fused(path, first, second):
    entry = parse(path)[""]

    def needs(name, goal):
        return name == goal or any(needs(read, goal) for read in entry[name].reads)

    between = [n for n in entry if n not in (first, second) and needs(n, first) and needs(second, n)]
    causes = {"custom-call": "opaque", "reduce": "reduction"}
    for name in between:
        if entry[name].op in causes:
            return causes[entry[name].op]
    if any(entry[name].relayouts(entry) for name in between):
        return "layout"
    return "returned"


### END SOLUTION
