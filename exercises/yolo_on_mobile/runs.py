"""Reads what a converted detector gave on some pictures, and says what ails it."""

### TASK yolo_on_mobile.diagnose
def read_run(path):
    """Figures of a recorded run, a JSON file; the notebook says what they mean."""
    raise NotImplementedError("yolo_on_mobile.diagnose")


### TASK yolo_on_mobile.diagnose diagnosis
def diagnosis():
    """By letter: {"cause": …, "evidence": …, "value": …}."""
    raise NotImplementedError("yolo_on_mobile.diagnose")
