"""One model in ONNX Runtime, run with given session options.

Runs in one of the judge's workers with one model and nothing else. Call `load` first; `run` is in
destination style.
"""

import json

import onnxruntime

LEVELS = {
    "disabled": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
}
LOADED = []


def load(path, settings):
    """Load the model and return the names, types and sizes of its inputs and outputs.

    settings: JSON, with the keys that `session_options.py` allows.
    """
    settings = json.loads(settings)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = LEVELS[settings.get("graph_optimization_level", "all")]
    options.intra_op_num_threads = settings["intra_op_num_threads"]
    options.inter_op_num_threads = 1
    spinning = "1" if settings.get("intra_op_spinning", True) else "0"
    options.add_session_config_entry("session.intra_op.allow_spinning", spinning)
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    LOADED[:] = [session]
    return {
        side: [[each.name, each.type, [str(size) for size in each.shape]] for each in values]
        for side, values in (("inputs", session.get_inputs()), ("outputs", session.get_outputs()))
    }


def run(pictures, table):
    """Fill the table.

    pictures: float32 [n, 3, height, width]. table: float32 [n, boxes, 5 + classes].
    """
    (session,) = LOADED
    table.numpy()[...] = session.run(["table"], {"pictures": pictures.numpy()})[0]
