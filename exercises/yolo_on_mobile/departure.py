"""Where a converted network departs from the one that it was made from, in few looks."""

### TASK yolo_on_mobile.bisect
def next_look(path):
    """Where to look next, {"look": tensor}; or what was found, {"departs": …}.

    path: a JSON file with "tensors", "tolerance" and "looked"; see the notebook.
    """
    raise NotImplementedError("yolo_on_mobile.bisect")
