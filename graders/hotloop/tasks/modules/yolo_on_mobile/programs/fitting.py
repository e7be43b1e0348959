"""Run a detector that must fit a device card, and the file that it is compared with.

Runs in the judge's workers, beside eager.py and the detector. `load`, `run` and `tables` get a
candidate's file; `source`, `truth` and the baseline never see it.
"""

import eager
import exporting
import numpy as np
import torch
from ort_session import opened

NAMES = ["small", "middle", "large"]
LOADED = []


def source(side):
    """Export the detector (float32, with decoding, one size) and return its path."""
    return exporting.write(side, side, any_batch=False)


def load(path, threads):
    """Load the file to run."""
    LOADED[:] = [_session(path, threads)]


def load_source(path, threads):
    """Load the exported source file as the baseline, with a random image of its own size."""
    session = _session(path, threads)
    (image,) = session.get_inputs()
    LOADED[:] = [session, np.random.default_rng(1).random(image.shape, np.float32)]


def as_it_was(_pictures, maps):
    """Run the source file once on its own image, whatever size the candidate's images have."""
    session, picture = LOADED
    (table,) = session.run(["table"], {"pictures": picture})
    # Every element must be written, and the number of elements depends on the candidate.
    maps.fill_(float(table[0, 0, 0]))


def run(pictures, maps):
    """Run the file. pictures: float32 [1, 3, side, side]. maps: float32 [numbers], concatenated."""
    (session,) = LOADED
    out, begin = maps.numpy(), 0
    for values in session.run(NAMES, {"pictures": pictures.numpy()}):
        out[begin : begin + values.size] = values.ravel()
        begin += values.size


def truth(pictures, maps):
    """Fill `maps` with the eager network's maps."""
    with torch.inference_mode():
        outputs = eager.NETWORK(pictures)
    maps.copy_(torch.cat([each.flatten() for each in outputs]))


def tables(pictures, out):
    """Fill `out` with decoded tables. pictures: float32 [n, 3, side, side], run one by one."""
    (session,) = LOADED
    for place, picture in enumerate(pictures.numpy()):
        maps = session.run(NAMES, {"pictures": picture[None]})
        out[place].copy_(eager.decoded([torch.from_numpy(each) for each in maps])[0])


def _session(path, threads):
    return opened(path, {"intra_op_num_threads": threads, "intra_op_spinning": False})
