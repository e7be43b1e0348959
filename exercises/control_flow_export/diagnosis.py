"""What ails four programs: task 9."""


### TASK control_flow_export.diagnose
def diagnosis():
    """By letter: {"cause": …, "line": …, "name": …}, as the notebook says."""
    raise NotImplementedError("control_flow_export.diagnose")
