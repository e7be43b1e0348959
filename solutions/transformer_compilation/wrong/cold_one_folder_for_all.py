"""Starts every process with the same folder, so that only the first one compiles.

fails: cold_start.measured
"""


### BEGIN SOLUTION transformer_compilation.cold_start times
def measured(start, build, clock, processes, calls):
    """Times of new processes, by way; see the notebook."""
    began = clock()
    build()
    ways = {way: {"build_s": 0.0, "runs": []} for way in WAYS}
    ways["package"]["build_s"] = clock() - began
    # In turn, so that a slow minute of the machine is in all of them.
    for _ in range(processes):
        for way in WAYS:
            seconds = one_life(start, clock, way, "kept", calls)
            ways[way]["runs"].append({"kept": False, "seconds": seconds})
    return {"ways": ways}


def one_life(start, clock, way, folder, calls):
    """Seconds of a process' first answer, counted from its start, and of each later one."""
    began = clock()
    process = start(way, folder)
    seconds = []
    try:
        for _ in range(1 + calls):
            process.call()
            ended = clock()
            seconds.append(ended - began)
            began = ended
    finally:
        process.end()
    return seconds


### END SOLUTION
