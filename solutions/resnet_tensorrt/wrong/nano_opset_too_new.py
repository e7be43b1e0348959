"""Asks the newer exporter for opset 13, which it answers with opset 18.

fails: jetson_nano.fits
"""


### BEGIN SOLUTION resnet_tensorrt.jetson_nano
def export_for_nano(batch, target):
    """Write the network for TensorRT 8.2 on a Jetson Nano, as jetson_nano.json wants it.

    Input `frames`: float32 [batch, 64, 64, 3], BGR, 0 to 255, exactly `batch` of them.
    Output `probabilities`: float32 [batch, 10].
    """
    camera = BoardCamera(resnet.load()).eval()
    torch.onnx.export(
        camera,
        (torch.zeros(batch, signs.SIDE, signs.SIDE, 3),),
        target,
        dynamo=True,
        external_data=False,
        verbose=False,
        opset_version=13,
        input_names=[FRAMES],
        output_names=[PROBABILITIES],
    )


### END SOLUTION
