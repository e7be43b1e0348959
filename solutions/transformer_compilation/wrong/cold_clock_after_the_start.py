"""Looks at the clock when the process is there already, so that its imports cost nothing.

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
    for number in range(processes):
        for way in WAYS:
            seconds = one_life(start, clock, way, f"{way}-{number}", calls)
            ways[way]["runs"].append({"kept": False, "seconds": seconds})
    return {"ways": ways}


def one_life(start, clock, way, folder, calls):
    """Seconds of a process' first answer, counted from its start, and of each later one."""
    process = start(way, folder)
    began = clock()
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
