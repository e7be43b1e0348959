"""Divides by the server's time for a request, where what the client waits for was asked.

fails: read_metrics.diagnosis
"""


### BEGIN SOLUTION triton_ensemble.read_metrics diagnosis
def diagnosis():
    return {
        "a": {"cause": "row_by_row", "model": "preprocess", "evidence": "infer_us", "share": 0.476},
        "b": {"cause": "outside", "model": None, "evidence": "outside_us", "share": 0.957},
        "c": {"cause": "delay", "model": "postprocess", "evidence": "queue_us", "share": 0.791},
        "d": {"cause": "oversubscribed", "model": "bert", "evidence": "infer_us", "share": 0.555},
    }


### END SOLUTION
