"""Leaves the stem as it is, with slices that XNNPACK does not take.

fails: executorch.file
"""


### BEGIN SOLUTION yolo_on_mobile.executorch network
def network():
    """The detector as it was trained."""
    return detector.load()


### END SOLUTION
