"""Calibrated by a class with a random choice of all pictures, in two runs that are joined."""


### BEGIN SOLUTION yolo_on_mobile.litert_int8
import os
import tempfile

import detector
import numpy as np
from to_litert import to_litert

SIGNATURE, INPUT = "serving_default", "args_0"


class Recording:
    """Frames of a recording, as the network is fed: float32 [1, side, side, 3]."""

    def __init__(self, path, count, seed=0):
        frames = np.load(path)["pictures"]
        chosen = np.random.default_rng(seed).permutation(len(frames))[:count]
        self.frames = frames[np.sort(chosen)].astype(np.float32) / 255

    def part(self, first, last):
        return {SIGNATURE: [{INPUT: frame[np.newaxis]} for frame in self.frames[first:last]]}


def to_whole_numbers(calibration_path, target):
    """Write the detector to `target`, a .tflite file for 128×128 that computes in int8."""
    from ai_edge_quantizer.quantizer import Quantizer
    from ai_edge_quantizer.recipe import static_wi8_ai8

    recording = Recording(calibration_path, 36)
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "detector.tflite")
    to_litert(detector.SIDE, detector.SIDE, path)
    quantizer = Quantizer(path, static_wi8_ai8())
    seen = quantizer.calibrate(recording.part(0, 18))
    seen = quantizer.calibrate(recording.part(18, None), previous_calibration_result=seen)
    quantizer.quantize(seen).export_model(str(target), overwrite=True)


### END SOLUTION
