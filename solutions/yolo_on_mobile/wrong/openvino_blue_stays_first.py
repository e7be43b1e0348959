"""Says nothing of colours: blue comes where red was trained.

fails: openvino.runs
"""


### BEGIN SOLUTION yolo_on_mobile.openvino camera
def with_camera(model):
    """The model for uint8 [1, height, width, 3], blue first."""
    from openvino import Layout, Type
    from openvino.preprocess import ColorFormat, PrePostProcessor

    prepared = PrePostProcessor(model)
    frames = prepared.input("frames")
    frames.tensor().set_element_type(Type.u8).set_layout(Layout("NHWC"))
    frames.model().set_layout(Layout("NCHW"))
    frames.preprocess().convert_element_type(Type.f32).scale(255.0)
    return prepared.build()


### END SOLUTION
