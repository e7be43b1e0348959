"""What a new process pays before its first answer, and after how many calls that has paid.

`measured(start, build, clock, processes, calls)` takes the times, `break_even(path)` reads them;
the notebook says what they are given and what they return.
"""

import json
import math
import statistics
from pathlib import Path

WAYS = ("eager", "compiled", "package")


### TASK transformer_compilation.cold_start times
def measured(start, build, clock, processes, calls):
    """Times of new processes, by way; see the notebook."""
    raise NotImplementedError("transformer_compilation.cold_start")


### TASK transformer_compilation.cold_start account
def break_even(path):
    """First answers, calls, and from when on a way pays; see the notebook."""
    raise NotImplementedError("transformer_compilation.cold_start")
