"""Traced; the module divides by 255 itself; the contents of the package are zipped, not its folder."""


### BEGIN SOLUTION yolo_on_mobile.coreml
import os
import tempfile
import zipfile

import detector
import torch


class FromBytes(torch.nn.Module):
    """Pictures of 0 to 255 to the head's three maps."""

    def __init__(self):
        super().__init__()
        self.network = detector.load()

    def forward(self, picture):
        return self.network(picture / 255.0)


def to_coreml(height, width, target):
    """Write the detector to `target`, a zip of an .mlpackage; see the notebook."""
    import coremltools as ct

    traced = torch.jit.trace(FromBytes().eval(), torch.rand(1, 3, height, width) * 255)
    image = ct.ImageType("picture", (1, 3, height, width), color_layout="RGB")
    model = ct.convert(
        traced,
        inputs=[image],
        outputs=[ct.TensorType("small"), ct.TensorType("middle"), ct.TensorType("large")],
        minimum_deployment_target=ct.target.iOS16,
        skip_model_load=True,
    )
    with tempfile.TemporaryDirectory(suffix=".mlpackage") as package:
        model.save(package)
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
            for folder, _, files in os.walk(package):
                for name in files:
                    path = os.path.join(folder, name)
                    packed.write(path, os.path.relpath(path, package))


### END SOLUTION
