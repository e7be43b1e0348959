"""Trials as objects with cached properties; the best trace is applied as TVM's own Trace of the recording."""


### BEGIN SOLUTION tvm_passes.tune explain
from collections import Counter
from dataclasses import dataclass
from statistics import fmean


@dataclass
class Trial:
    number: int
    instructions: list
    decisions: dict
    seconds: float

    @classmethod
    def parse(cls, number, line):
        _, ((instructions, decisions), seconds, *_) = json.loads(line)
        return cls(number, instructions, {at: value for at, value in decisions}, fmean(seconds))

    @property
    def failed(self):
        return self.seconds >= 1e10

    def of(self, kind):
        return [(n, *i[1:]) for n, i in enumerate(self.instructions) if i[0] == kind]

    @property
    def samples(self):
        names = ("SamplePerfectTile", "SampleCategorical", "SampleComputeLocation")
        return {name: len(self.of(name)) for name in (*names, "SamplePartitionedTile")}

    def tiles(self):
        (_, _, _, loops), *_ = self.of("GetLoops")
        named = dict(zip(loops, "ijk"))
        return {named[i[0]]: self.decisions[n] for n, i, *_ in self.of("SamplePerfectTile")}

    def unroll(self):
        for _, inputs, attributes, _ in self.of("Annotate"):
            if attributes[0] == "meta_schedule.unroll_explicit":
                for number, _, (choices, *_), outputs in self.of("SampleCategorical"):
                    if inputs[1] in outputs:
                        return choices[self.decisions[number]]


def explain(workload, trials):
    with open(trials) as file:
        found = [Trial.parse(number, line) for number, line in enumerate(file)]
    best = min(found, key=lambda trial: trial.seconds)
    first = next(trial for trial in found if not trial.failed)
    return {
        "best": best.number,
        "failed": Counter(trial.failed for trial in found)[True],
        "speed_up": first.seconds / best.seconds,
        "tiles": best.tiles(),
        "sampled": best.samples,
        "unroll": best.unroll(),
    }


FAILED_S = 1e10
### END SOLUTION


### BEGIN SOLUTION tvm_passes.tune replayed
def replayed(source, target):
    sch = s_tir.Schedule(read_module(source))
    c = sch.get_sblock("C")
    tiles = {"i": [16, 2, 4, 2], "j": [1, 2, 8, 16], "k": [32, 8]}
    i, j, k = (
        sch.split(loop, factors=tiles[name]) for loop, name in zip(sch.get_loops(c), "ijk")
    )
    sch.reorder(i[0], j[0], i[1], j[1], k[0], i[2], j[2], k[1], i[3], j[3])
    outer = sch.fuse(i[0], j[0])
    sch.parallel(outer)
    sch.vectorize(j[3])
    sch.annotate(outer, ann_key="pragma_auto_unroll_max_step", ann_val=64)
    sch.annotate(outer, ann_key="pragma_unroll_explicit", ann_val=1)
    sch.decompose_reduction(c, k[0])
    write_module(sch.mod, target)


### END SOLUTION
