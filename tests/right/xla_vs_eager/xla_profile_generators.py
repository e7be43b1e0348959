"""Profilers on a stack, a read of the state in place of a wait, and one pass over the events."""

### BEGIN SOLUTION xla_vs_eager.xla_profile record
import contextlib


def record(folder, steps, label, given):
    module = load(given)
    device = torch_xla.device()
    state = module.begin(device)
    with contextlib.ExitStack() as stack:
        profiler = stack.enter_context(torch.profiler.profile())
        xp.start_trace(folder)
        stack.callback(xp.stop_trace)
        for number in range(steps):
            with torch.profiler.record_function(f"{label} {number}"):
                state = stepped(module, device, state, number, label)
                state[1].cpu()
    profiler.export_chrome_trace(f"{folder}/pytorch.json.gz")
    return [str(next(Path(folder).glob("**/*.trace.json.gz"))), f"{folder}/pytorch.json.gz"]


def stepped(module, device, state, number, label):
    with xp.StepTrace(label, step_num=number):
        with xp.Trace("load"):
            batch = module.batch(number).to(device)
        return module.step(state, batch)


### END SOLUTION


### BEGIN SOLUTION xla_vs_eager.xla_profile split
def split(path):
    document = json.loads(gzip.decompress(Path(path).read_bytes()))
    events = [event for event in document["traceEvents"] if event.get("ph") == "X"]
    answer = []
    for event in sorted(events, key=lambda event: (event["ts"], -event["dur"])):
        arguments = event.get("args") or {}
        if "step_num" in arguments:
            answer.append({"step": int(arguments["step_num"])})
            answer[-1].update(load_us=0.0, compile_us=0.0, execute_us=0.0)
        if not answer:
            continue
        if event["name"] == "load":
            answer[-1]["load_us"] += event["dur"]
        elif event["name"] == "PjRtComputationClient::Compile":
            answer[-1]["compile_us"] += event["dur"]
        elif "hlo_op" in arguments:
            answer[-1]["execute_us"] += event["dur"]
    return answer


### END SOLUTION
