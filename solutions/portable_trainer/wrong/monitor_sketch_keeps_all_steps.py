"""Keeps every step in its sketch, which grows with the run.

fails: monitor.merged
"""

### BEGIN SOLUTION portable_trainer.monitor sketch
GROWTH = 1.015
"""Each bucket ends so many times higher than the one below; its middle is within 0.75 %."""


def sketch(path, target):
    """Write how many steady steps fell into each bucket of growing width."""
    counts = Counter(round(1e6 * event["seconds"]) for event in look(path).steady)
    Path(target).write_text(json.dumps(counts, separators=(",", ":")), encoding="utf-8")


def merged_quantiles(*paths):
    """Buckets of ranks add up; their percentiles would not."""
    counts = Counter()
    for path in paths:
        told = json.loads(Path(path).read_text(encoding="utf-8"))
        counts.update({int(index): count for index, count in told.items()})
    found = {}
    for name, q in QUANTILES.items():
        rank = math.ceil(q * counts.total())
        for index in sorted(counts):
            rank -= counts[index]
            if rank <= 0:
                break
        found[name] = index / 1e6
    return found


### END SOLUTION
