"""What an export of Nsight Systems shows, by SQL.

`nsys export --type sqlite run.nsys-rep` writes such a file, a table for each kind of event. Each
function gets its path. Times are nanoseconds.
"""

import sqlite3

WAITS = ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize")


### BEGIN SOLUTION profile_training_loop.nsight_systems helpers
### STUB # Helpers go here.
WORK = " UNION ALL ".join(
    f"SELECT start, end, deviceId, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_{kind}"
    for kind in ("KERNEL", "MEMCPY", "MEMSET")
)
# In a globalTid the low 24 bits are the thread, and the process's globalPid has zeros there.
CALL = """
    SELECT start, end, globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME
    WHERE correlationId = ? AND globalTid - globalTid % 0x1000000 = ?
"""
# 59 is a push/pop range. One that was still open when the recording ended has no end.
RANGES = """
    SELECT coalesce(text, value) FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId
    WHERE eventType = 59 AND globalTid = ? AND start <= ? AND (end IS NULL OR end >= ?)
    ORDER BY start
"""


def path_of_ranges(database, thread, start, end):
    return "/".join(text for (text,) in database.execute(RANGES, (thread, start, end)))


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.nsight_systems launch_gaps
### STUB def launch_gaps(path):
### STUB     """Return {"0": {"idle": …, "late": …, "longest": …, "range": …}, …} by device."""
### STUB     raise NotImplementedError("profile_training_loop.nsight_systems")
def launch_gaps(path):
    database = sqlite3.connect(path)
    found = {}
    reached = {}
    for start, end, device, correlation, process in database.execute(f"{WORK} ORDER BY start"):
        of = found.setdefault(str(device), {"idle": 0, "late": 0, "longest": 0, "range": None})
        gap = start - reached.get(device, start)
        if gap > 0:
            of["idle"] += gap
            called, returned, thread = database.execute(CALL, (correlation, process)).fetchone()
            if called > reached[device]:
                of["late"] += gap
                if gap > of["longest"]:
                    of["longest"] = gap
                    of["range"] = path_of_ranges(database, thread, called, returned)
        reached[device] = max(reached.get(device, end), end)
    return found


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.nsight_systems copies
### STUB def copies(path):
### STUB     """Return {"Host-to-Device": {"ns": …, "hidden": …, "pageable": …}, …} by direction."""
### STUB     raise NotImplementedError("profile_training_loop.nsight_systems")
def copies(path):
    database = sqlite3.connect(path)
    hidden = """
        SELECT coalesce(sum(min(k.end, c.end) - max(k.start, c.start)), 0)
        FROM CUPTI_ACTIVITY_KIND_KERNEL AS k
        WHERE k.deviceId = c.deviceId AND k.start < c.end AND k.end > c.start
    """
    rows = database.execute(
        f"""
        SELECT label, sum(end - start), sum(({hidden})), sum(srcKind = 0 OR dstKind = 0)
        FROM CUPTI_ACTIVITY_KIND_MEMCPY AS c JOIN ENUM_CUDA_MEMCPY_OPER ON id = copyKind
        GROUP BY label
        """
    )
    return {
        label: {"ns": ns, "hidden": beside, "pageable": pageable}
        for label, ns, beside, pageable in rows
    }


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.nsight_systems waiting_range
### STUB def waiting_range(path):
### STUB     """Return {"range": names of the ranges joined by "/", "ns": nanoseconds}."""
### STUB     raise NotImplementedError("profile_training_loop.nsight_systems")
def waiting_range(path):
    database = sqlite3.connect(path)
    total = {}
    calls = database.execute(
        """
        SELECT globalTid, start, end, value
        FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId
        """
    )
    for thread, start, end, name in calls.fetchall():
        if name.startswith(WAITS):
            ranges = path_of_ranges(database, thread, start, end)
            total[ranges] = total.get(ranges, 0) + end - start
    longest = max(total, key=total.get)
    return {"range": longest, "ns": total[longest]}


### END SOLUTION
