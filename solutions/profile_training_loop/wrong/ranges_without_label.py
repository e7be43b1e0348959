"""Names its ranges as it likes: nobody who looks for them finds them.

fails: instrument.correct
"""

### BEGIN SOLUTION profile_training_loop.instrument
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from watched_loop import Training


def record(folder, wait, warmup, active, label):
    folder = Path(folder)
    board = folder / "tensorboard"
    activities = [ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(ProfilerActivity.CUDA)
    profiler = profile(
        activities=activities,
        schedule=schedule(wait=wait, warmup=warmup, active=active, repeat=1),
        on_trace_ready=torch.profiler.tensorboard_trace_handler(str(board), worker_name="lab"),
        record_shapes=True,
        profile_memory=True,
        with_stack=True,
    )
    loop = Training()
    with profiler:
        for step in range(wait + warmup + active):
            with record_function("load"):
                batch = loop.load(step)
            with record_function("forward"):
                loss = loop.forward(batch)
            with record_function("backward"):
                loop.backward(loss)
            with record_function("update"):
                loop.update()
            profiler.step()
    # A trace can be exported once; the second file is a copy of the first.
    (written,) = board.glob("*.pt.trace.json")
    chrome = folder / "trace.json"
    shutil.copyfile(written, chrome)
    return {"chrome": str(chrome), "tensorboard": str(written)}


### END SOLUTION
