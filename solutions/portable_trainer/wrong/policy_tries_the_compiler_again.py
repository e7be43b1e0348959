"""Lets a backend rest that will never compile.

fails: policy.faults
"""


### BEGIN SOLUTION portable_trainer.policy decide
def decide(backends, memory, event):
    """The memory from now on, and the decision."""
    memory = json.loads(json.dumps(memory)) or fresh()
    find = {
        "step": after_step,
        "compile_failed": compile_failed,
        "out_of_memory": out_of_memory,
        "rank_lost": rank_lost,
    }[event["kind"]]
    decision = find(backends, memory, event)
    if decision["do"] not in {"go_on", "stop"}:
        memory |= beginning()
    return memory, decision


def fresh():
    """Memory of nothing."""
    return {"barred": [], "rests": {}, "until": {}, "losses": [], "bad": None, **beginning()}


def beginning():
    """What is known of a backend that was taken up just now."""
    return {"times": [], "best": None, "compilations": []}


def compile_failed(backends, memory, event):
    """It will not compile the second time either."""
    return leave(backends, memory, event, "here")


def out_of_memory(backends, memory, event):
    """Only one that needs less is worth a try."""
    limit = named(backends, event["backend"])["memory_gib"]
    return leave(
        backends, memory, event, "checkpoint", lambda other: other["memory_gib"] < limit, bar=True
    )


def rank_lost(backends, memory, event):
    """Whoever starts the ranks starts them again; a third loss says that this does not help."""
    step = event["step"]
    memory["losses"] = [n for n in memory["losses"] if step - n < LOSS_STEPS] + [step]
    if len(memory["losses"]) < LOSSES:
        return told("restore", event["backend"], "checkpoint", "rank_lost")
    memory["losses"] = []
    return leave(backends, memory, event, "checkpoint")


def after_step(backends, memory, event):
    """A step was done: was it a good one?"""
    if not math.isfinite(event["loss"]):
        return not_finite(backends, memory, event)
    if memory["bad"] and event["step"] > memory["bad"]["step"]:
        memory["bad"] = None
    counts = memory["compilations"]
    compiled = not counts or event["compilations"] > counts[-1]
    counts = memory["compilations"] = [*counts, event["compilations"]][-COMPILATION_STEPS - 1 :]
    if counts[-1] - counts[0] > MOST_COMPILATIONS:
        return leave(
            backends,
            memory,
            event | {"kind": "recompiles"},
            "here",
            lambda other: not other["compiled"],
            bar=True,
            must=False,
        )
    return slow(backends, memory, event, compiled) or returned(backends, memory, event)


def not_finite(backends, memory, event):
    """By chance, by this backend, or by the data: the same step tried again tells."""
    bad, step, name = memory["bad"], event["step"], event["backend"]
    if bad is None or bad["step"] != step:
        memory["bad"] = {"step": step, "backend": name}
        return told("restore", name, "checkpoint", "not_finite")
    if bad["backend"] != name:
        return told("stop", name, "checkpoint", "not_finite")
    return leave(backends, memory, event | {"kind": "not_finite"}, "checkpoint")


def slow(backends, memory, event, compiled):
    """A decision if the median has doubled."""
    if not compiled:
        memory["times"] = [*memory["times"], event["seconds"]][-TIMES:]
    if compiled or len(memory["times"]) < TIMES:
        return None
    now = statistics.median(memory["times"])
    memory["best"] = min(now, memory["best"] or now)
    if now <= SLOWER * memory["best"]:
        return None
    event = event | {"kind": "slow"}
    return leave(backends, memory, event, "here", lambda other: other["step_s"] < now, must=False)


def returned(backends, memory, event):
    """To a backend further up, or on with this one."""
    for backend in backends:
        if backend["name"] == event["backend"]:
            break
        if usable(memory, backend, event["step"]):
            return told("return", backend["name"], "here", None)
    return told("go_on", event["backend"], "here", None)


def leave(backends, memory, event, origin, fits=lambda _other: True, *, bar=False, must=True):
    """Fall back to the next that fits. must: stop where there is none, or else go on."""
    name, step, because = event["backend"], event["step"], event["kind"]
    place = [backend["name"] for backend in backends].index(name)
    found = [b for b in backends[place + 1 :] if usable(memory, b, step) and fits(b)]
    if not found:
        return told("stop" if must else "go_on", name, "checkpoint" if must else "here", because)
    if bar:
        memory["barred"].append(name)
    else:
        times = memory["rests"].get(name, 0)
        memory["rests"][name] = times + 1
        memory["until"][name] = step + REST * 2**times
    return told("fall_back", found[0]["name"], origin, because)


def usable(memory, backend, step):
    """Whether it is neither barred nor at rest."""
    name = backend["name"]
    return name not in memory["barred"] and step >= memory["until"].get(name, 0)


def named(backends, name):
    """A backend by its name."""
    return next(backend for backend in backends if backend["name"] == name)


def told(do, backend, origin, because):
    """A decision."""
    return {"do": do, "backend": backend, "from": origin, "because": because}


### END SOLUTION
