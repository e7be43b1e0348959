"""Keeps three percentiles a rank, and takes the mean of the ranks.

fails: monitor.merged
"""

### BEGIN SOLUTION portable_trainer.monitor sketch
GROWTH = 1.015
"""Each bucket ends so many times higher than the one below; its middle is within 0.75 %."""


def sketch(path, target):
    """Write how many steady steps fell into each bucket of growing width."""
    told = summary(path)
    kept = {name: told[name] for name in QUANTILES}
    Path(target).write_text(json.dumps(kept), encoding="utf-8")


def merged_quantiles(*paths):
    """Buckets of ranks add up; their percentiles would not."""
    ranks = [json.loads(Path(path).read_text(encoding="utf-8")) for path in paths]
    return {name: sum(rank[name] for rank in ranks) / len(ranks) for name in QUANTILES}


### END SOLUTION
