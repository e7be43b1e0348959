"""Blames the branch on data, which stands in no log: both errors speak of sizes.

fails: diagnose.correct
"""


### BEGIN SOLUTION control_flow_export.diagnose
def diagnosis():
    """By the first word that looks familiar."""
    return {
        "a": {"cause": "no_fake_kernel", "line": 34, "name": "shop::largest"},
        "b": {"cause": "recompiles", "line": 21, "name": "self.stage"},
        "c": {"cause": "fixed_size", "line": 18, "name": "length"},
        "d": {"cause": "branch_on_data", "line": 21, "name": "u0"},
    }


### END SOLUTION
