"""Takes the many boxes of the third run for what int8 has done to scores.

fails: diagnose.diagnosis
"""


### BEGIN SOLUTION yolo_on_mobile.diagnose diagnosis
def diagnosis():
    """By letter: {"cause": …, "evidence": …, "value": …}."""
    return {
        "a": {"cause": "scale", "evidence": "levels", "value": 3},
        "b": {"cause": "colours", "evidence": "blind", "value": 0.976},
        "c": {"cause": "scale", "evidence": "boxes", "value": 20.0},
        "d": {"cause": "decoding", "evidence": "overlap", "value": 0.473},
    }


### END SOLUTION
