"""Takes a slow step for one with too many copies, without looking at its text.

fails: diagnose.diagnosis
"""


### BEGIN SOLUTION xla_vs_eager.diagnose causes
def diagnosis():
    """By letter: {"cause": …, "evidence": …, "value": …}."""
    return {
        "a": {"cause": "layout", "evidence": "step_ms", "value": 2.0},
        "b": {"cause": "recompiles", "evidence": "compile_share", "value": 0.985},
        "c": {"cause": "baked", "evidence": "constant_bytes", "value": 467428},
        "d": {"cause": "op_by_op", "evidence": "programs_a_step", "value": 119},
    }


### END SOLUTION
