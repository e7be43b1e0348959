"""Converted in two steps: to float32's program with any names, then by its specification's functions."""


### BEGIN SOLUTION yolo_on_mobile.coreml
import shutil
from pathlib import Path
from tempfile import mkdtemp

import detector
import torch

NAMES = ("large", "middle", "small")


class Reversed(torch.nn.Module):
    """The maps with the coarsest first: names tell them apart."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, picture):
        return tuple(reversed(self.network(picture)))


def to_coreml(height, width, target):
    """Write the detector to `target`, a zip of an .mlpackage; see the notebook."""
    import coremltools
    from coremltools.models import MLModel
    from coremltools.models.utils import rename_feature

    picture = torch.zeros(1, 3, height, width)
    with torch.no_grad():
        traced = torch.jit.trace(Reversed(detector.load()).eval(), picture)
    made = coremltools.convert(
        traced,
        convert_to="mlprogram",
        inputs=[
            coremltools.ImageType(
                name="frame",
                shape=picture.shape,
                scale=1 / 255.0,
                bias=[0.0, 0.0, 0.0],
                color_layout=coremltools.colorlayout.RGB,
            )
        ],
        minimum_deployment_target=coremltools.target.iOS15,
        compute_precision=coremltools.transform.FP16ComputePrecision(lambda operation: True),
        skip_model_load=True,
    )
    spec = made.get_spec()
    rename_feature(spec, "frame", "picture")
    for old, new in zip([each.name for each in spec.description.output], NAMES):
        rename_feature(spec, old, new)
    folder = Path(mkdtemp())
    MLModel(spec, weights_dir=made.weights_dir, skip_model_load=True).save(
        str(folder / "package" / "Detector.mlpackage")
    )
    archive = shutil.make_archive(str(folder / "detector"), "zip", root_dir=folder / "package")
    Path(target).write_bytes(Path(archive).read_bytes())


### END SOLUTION
