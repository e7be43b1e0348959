"""Leaves the stem as it was trained: its slices are nothing that the delegate takes.

fails: fit.card
"""


### BEGIN SOLUTION yolo_on_mobile.fit network
def network():
    """The detector as it was trained."""
    return detector.load()


### END SOLUTION
