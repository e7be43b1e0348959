"""Blames the operator with the most self time in each run, whoever has made it slow.

fails: diagnose.correct
"""


### BEGIN SOLUTION profile_training_loop.diagnose
def diagnosis():
    return {
        "a": {"cause": "launch", "event": "aten::convolution_backward", "share": 0.07},
        "b": {"cause": "allocator", "event": "aten::fill_", "share": 0.75},
        "c": {"cause": "launch", "event": "aten::add_", "share": 0.20},
        "d": {"cause": "launch", "event": "aten::convolution_backward", "share": 0.18},
    }


### END SOLUTION
