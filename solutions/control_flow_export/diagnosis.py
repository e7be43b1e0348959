"""What ails four programs: task 9."""


### BEGIN SOLUTION control_flow_export.diagnose
### STUB def diagnosis():
### STUB     """By letter: {"cause": …, "line": …, "name": …}, as the notebook says."""
### STUB     raise NotImplementedError("control_flow_export.diagnose")
def diagnosis():
    """By letter: {"cause": …, "line": …, "name": …}, as the notebook says."""
    return {
        "a": {"cause": "no_fake_kernel", "line": 34, "name": "shop::largest"},
        "b": {"cause": "recompiles", "line": 21, "name": "self.stage"},
        "c": {"cause": "fixed_size", "line": 18, "name": "length"},
        "d": {"cause": "size_from_data", "line": 21, "name": "u0"},
    }


### END SOLUTION
