"""Run one model in ONNX Runtime with given session options.

Runs in our own worker, which has one model and nothing else. Call `load` first; `run` is in
destination style.
"""

import json

import onnxruntime

LEVELS = {
    "disabled": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "layout": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_LAYOUT,
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
}
MODES = {
    "sequential": onnxruntime.ExecutionMode.ORT_SEQUENTIAL,
    "parallel": onnxruntime.ExecutionMode.ORT_PARALLEL,
}
SPINNING = {
    "intra_op_spinning": "session.intra_op.allow_spinning",
    "inter_op_spinning": "session.inter_op.allow_spinning",
}
LOADED = []


def load(path, options):
    """Load the model; return the names, types and shapes of its inputs and outputs.

    options: JSON, with the keys that `session_options.py` allows.
    """
    session = onnxruntime.InferenceSession(
        path, _options(json.loads(options)), providers=["CPUExecutionProvider"]
    )
    LOADED[:] = [session, session.get_inputs()[0].name]
    return {
        side: [[each.name, each.type, [str(size) for size in each.shape]] for each in values]
        for side, values in (("inputs", session.get_inputs()), ("outputs", session.get_outputs()))
    }


def run(pictures, logits):
    """Compute logits.

    pictures: float32 [n, 3, height, width], normalized. logits: float32 [n, classes].
    """
    session, name = LOADED
    logits.numpy()[...] = session.run(None, {name: pictures.numpy()})[0]


def _options(settings):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    for key, value in settings.items():
        if key == "graph_optimization_level":
            options.graph_optimization_level = LEVELS[value]
        elif key == "execution_mode":
            options.execution_mode = MODES[value]
        elif key in SPINNING:
            options.add_session_config_entry(SPINNING[key], "1" if value else "0")
        else:
            setattr(options, key, value)
    return options
