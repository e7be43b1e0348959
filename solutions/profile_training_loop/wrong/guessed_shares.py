"""Names the right causes and guesses how much they cost: a diagnosis without evidence.

fails: diagnose.correct
"""


### BEGIN SOLUTION profile_training_loop.diagnose
def diagnosis():
    return {
        "a": {"cause": "sync", "event": "gloo:all_reduce", "share": 0.5},
        "b": {"cause": "allocator", "event": "aten::zeros", "share": 0.5},
        "c": {"cause": "launch", "event": "update", "share": 0.5},
        "d": {"cause": "loader", "event": "load", "share": 0.5},
    }


### END SOLUTION
