"""Blames BERT whatever the figures say, as no other step computes anything large.

fails: read_metrics.diagnosis
"""


### BEGIN SOLUTION triton_ensemble.read_metrics diagnosis
def diagnosis():
    return {
        "a": {"cause": "oversubscribed", "model": "bert", "evidence": "infer_us", "share": 0.17},
        "b": {"cause": "delay", "model": "bert", "evidence": "queue_us", "share": 0.008},
        "c": {"cause": "oversubscribed", "model": "bert", "evidence": "infer_us", "share": 0.085},
        "d": {"cause": "oversubscribed", "model": "bert", "evidence": "infer_us", "share": 0.49},
    }


### END SOLUTION
