"""Believes the column “Network” of perf_analyzer's table, where an ensemble's queues are counted.

fails: read_metrics.diagnosis
"""


### BEGIN SOLUTION triton_ensemble.read_metrics diagnosis
def diagnosis():
    return {
        "a": {"cause": "row_by_row", "model": "preprocess", "evidence": "infer_us", "share": 0.413},
        "b": {"cause": "outside", "model": None, "evidence": "outside_us", "share": 0.957},
        "c": {"cause": "outside", "model": None, "evidence": "outside_us", "share": 0.799},
        "d": {"cause": "oversubscribed", "model": "bert", "evidence": "infer_us", "share": 0.49},
    }


### END SOLUTION
