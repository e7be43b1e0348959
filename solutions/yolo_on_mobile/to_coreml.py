"""The detector for Core ML: converted anywhere, predicted on Apple's machines only."""

### BEGIN SOLUTION yolo_on_mobile.coreml
### STUB def to_coreml(height, width, target):
### STUB     """Write the detector to `target`, a zip of an .mlpackage; see the notebook."""
### STUB     raise NotImplementedError("yolo_on_mobile.coreml")
import shutil
import tempfile
from pathlib import Path

import detector
import torch


def to_coreml(height, width, target):
    """Write the detector to `target`, a zip of an .mlpackage; see the notebook."""
    import coremltools

    # Core ML's converter reads what is left of a trace or of an export after decompositions.
    picture = torch.zeros(1, 3, height, width)
    exported = torch.export.export(detector.load(), (picture,)).run_decompositions({})
    model = coremltools.convert(
        exported,
        # A picture with its colors named: iOS gives it as the network was trained with.
        inputs=[
            coremltools.ImageType(
                name="picture",
                shape=tuple(picture.shape),
                scale=1 / 255,
                color_layout=coremltools.colorlayout.RGB,
            )
        ],
        outputs=[coremltools.TensorType(name=name) for name in ("small", "middle", "large")],
        convert_to="mlprogram",
        minimum_deployment_target=coremltools.target.iOS16,
        compute_precision=coremltools.precision.FLOAT16,
        skip_model_load=True,
    )
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/detector.mlpackage")
        made = shutil.make_archive(f"{folder}/packed", "zip", folder, "detector.mlpackage")
        shutil.copy(made, Path(target))


### END SOLUTION
