"""A model against the card of a device: what its delegate takes, and what it costs."""

### TASK yolo_on_mobile.audit
def audit(model_path, card_path):
    """What a model costs on the device of a card; see the notebook."""
    raise NotImplementedError("yolo_on_mobile.audit")


### TASK yolo_on_mobile.audit delegate
# Which nodes does the delegate take, and in how many parts?


### TASK yolo_on_mobile.audit memory
# What do tensors take, at one time, and on their way from side to side?
