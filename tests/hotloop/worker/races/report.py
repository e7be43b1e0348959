"""Prints what is found in each launch of `kernels.py`, as JSON: one line per launch and order.

`TRITON_INTERPRET=1 python report.py ORDERS`; each line: is_racy, name, seed, races, hang, error.
"""

import json
import sys

import kernels
import torch

from hotloop.worker import triton_compat
from hotloop.worker.triton_watch import watched


def main() -> None:
    triton_compat.correct_interpreter()
    for is_racy, table in ((False, kernels.RIGHT), (True, kernels.RACY)):
        for name, launch in table.items():
            for seed in range(int(sys.argv[1])):
                torch.manual_seed(seed)
                error = ""
                with watched(seed) as races:
                    try:
                        launch()
                    except Exception as failure:  # noqa: BLE001 - whatever it is, the test reads it
                        error = str(failure)
                line = {"is_racy": is_racy, "name": name, "seed": seed}
                print(json.dumps({**line, "races": races, "error": error}))


main()
