"""A table of rules over plain csv rows; what is returned is a tuple from a generator."""


### BEGIN SOLUTION first_kernels.read_profile
import csv
import json
from pathlib import Path


def read_profile(path, needed_path, sms):
    needed = json.loads(Path(needed_path).read_text())
    rows = list(csv.reader(Path(path).read_text().splitlines()))
    names = rows[0]
    words = []
    for row in rows[2:]:
        record = dict(zip(names, row))

        def number(name):
            return float(record[name].replace(",", ""))

        dram = number("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed")
        sm = number("sm__throughput.avg.pct_of_peak_sustained_elapsed")
        conflicts = number("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")
        wavefronts = number("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")
        rules = [
            ("too_few_blocks", number("launch__grid_size") < sms),
            ("extra_traffic", 2 * number("dram__bytes.sum") > 3 * needed[record["Kernel Name"]]),
            ("bank_conflicts", 4 * conflicts > wavefronts),
            ("memory", dram >= 60 and dram >= sm),
            ("compute", sm >= 60),
            ("latency", True),
        ]
        words.append(next(word for word, holds in rules if holds))
    return tuple(words)


### END SOLUTION
