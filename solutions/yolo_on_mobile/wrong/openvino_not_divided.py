"""Feeds 0 to 255 where 0 to 1 was trained.

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
    frames.tensor().set_color_format(ColorFormat.BGR)
    frames.model().set_layout(Layout("NCHW"))
    frames.preprocess().convert_element_type(Type.f32).convert_color(ColorFormat.RGB)
    return prepared.build()


### END SOLUTION
