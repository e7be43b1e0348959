"""What an export of Nsight Systems shows, by SQL.

`nsys export --type sqlite run.nsys-rep` writes such a file, a table for each kind of event. Each
function gets its path. Times are nanoseconds.
"""

import sqlite3

WAITS = ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize")


### TASK profile_training_loop.nsight_systems helpers
# Helpers go here.


### TASK profile_training_loop.nsight_systems launch_gaps
def launch_gaps(path):
    """Return {"0": {"idle": …, "late": …, "longest": …, "range": …}, …} by device."""
    raise NotImplementedError("profile_training_loop.nsight_systems")


### TASK profile_training_loop.nsight_systems copies
def copies(path):
    """Return {"Host-to-Device": {"ns": …, "hidden": …, "pageable": …}, …} by direction."""
    raise NotImplementedError("profile_training_loop.nsight_systems")


### TASK profile_training_loop.nsight_systems waiting_range
def waiting_range(path):
    """Return {"range": names of the ranges joined by "/", "ns": nanoseconds}."""
    raise NotImplementedError("profile_training_loop.nsight_systems")
