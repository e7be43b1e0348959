"""Graphs without what a delegate lacks, that compute the same."""

ALLOWED = (
    *("Conv", "Add", "Sub", "Mul", "Div", "Neg", "Abs", "Exp", "Log", "Sigmoid", "Tanh", "Relu"),
    *("Clip", "Max", "Min", "Concat", "MaxPool", "Identity", "Constant"),
)


### TASK yolo_on_mobile.replace
def replace_unsupported(source, target):
    """Write the ONNX model `source` to `target`, with operators of ALLOWED only."""
    raise NotImplementedError("yolo_on_mobile.replace")


### TASK yolo_on_mobile.replace activations
# Which nodes stand for an activation that the delegate lacks?


### TASK yolo_on_mobile.replace stem
# Which slices, concatenation and convolution make a stem, and which convolution is it?
