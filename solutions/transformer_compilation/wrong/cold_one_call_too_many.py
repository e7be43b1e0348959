"""Counts the first call once more in the seconds of a process.

fails: cold_start.breaks_even
"""


### BEGIN SOLUTION transformer_compilation.cold_start account
def break_even(path):
    """First answers, calls, and from when on a way pays; see the notebook."""
    record = json.loads(Path(path).read_text())
    told = {way: typical(found["runs"]) for way, found in record["ways"].items()}
    eager = told["eager"]
    for way in WAYS[1:]:
        build_s = record["ways"][way]["build_s"]
        told[way] |= {
            "calls": fewest_calls(told[way], eager),
            "processes": fewest_processes(told[way], eager, build_s, record["calls_each"]),
        }
    return told


def typical(runs):
    """Medians: of first answers where nothing was kept, and of all later ones."""
    return {
        "first_s": statistics.median(run["seconds"][0] for run in runs if not run["kept"]),
        "call_s": statistics.median(s for run in runs for s in run["seconds"][1:]),
    }


def fewest_calls(way, eager):
    """From this call of a process on the way is never behind again; None if never."""
    gain_s = eager["call_s"] - way["call_s"]
    if gain_s <= 0:
        return None
    # The first call is in first_s already.
    return 1 + max(0, math.ceil((way["first_s"] - eager["first_s"]) / gain_s))


def fewest_processes(way, eager, build_s, calls_each):
    """So many of `calls_each` calls pay for what was built for all of them; None if none do."""
    gain_s = life_s(eager, calls_each) - life_s(way, calls_each)
    return max(1, math.ceil(build_s / gain_s)) if gain_s > 0 else None


def life_s(way, calls):
    """Seconds of a process of so many calls."""
    return way["first_s"] + calls * way["call_s"]


### END SOLUTION
