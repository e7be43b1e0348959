"""Exports the network as it is in training: its normalizations use the batch that comes.

fails: export.sound
"""


### BEGIN SOLUTION resnet_tensorrt.export
def export(opset, target):
    """Write the trained network as ONNX in this opset to the path `target`.

    Input `frames`: uint8 [batch, 64, 64, 3], BGR, any batch. Output `probabilities`: float32
    [batch, 10]. All in one file.
    """
    camera = Camera(resnet.load()).train()
    # Two frames: a batch of one is taken to mean that there is always one.
    example = torch.zeros(2, signs.SIDE, signs.SIDE, 3, dtype=torch.uint8)
    torch.onnx.export(
        camera,
        (example,),
        target,
        dynamo=False,
        training=torch.onnx.TrainingMode.TRAINING,
        do_constant_folding=False,
        opset_version=opset,
        input_names=[FRAMES],
        output_names=[PROBABILITIES],
        dynamic_axes={FRAMES: {0: "batch"}, PROBABILITIES: {0: "batch"}},
    )


### END SOLUTION
