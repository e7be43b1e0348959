"""Recorded with start and stop; the handler of TensorBoard is called by hand; the Chrome trace is compressed."""

### BEGIN SOLUTION profile_training_loop.instrument
import gzip

import torch.profiler as tp
import watched_loop


def record(folder, wait, warmup, active, label, loop=watched_loop.__file__):
    os.makedirs(os.path.join(folder, "tb"), exist_ok=True)
    kinds = {tp.ProfilerActivity.CPU} | (
        {tp.ProfilerActivity.CUDA} if torch.cuda.is_available() else set()
    )
    prof = tp.profile(
        activities=kinds,
        schedule=tp.schedule(skip_first=wait, wait=0, warmup=warmup, active=active, repeat=1),
        record_shapes=True,
        profile_memory=True,
        with_stack=True,
    )
    training = runpy.run_path(loop)["Training"]()
    prof.start()
    for number in range(wait + warmup + active):
        state = training.load
        with tp.record_function("/".join((label, "load"))):
            state = training.load(number)
        with tp.record_function("/".join((label, "forward"))):
            loss = training.forward(state)
        with tp.record_function("/".join((label, "backward"))):
            training.backward(loss)
        with tp.record_function("/".join((label, "update"))):
            training.update()
        prof.step()
    prof.stop()
    board = os.path.join(folder, "tb", "host.1700000000000.pt.trace.json")
    prof.export_chrome_trace(board)
    packed = os.path.join(folder, "chrome.json.gz")
    with open(board, "rb") as plain, gzip.open(packed, "wb") as target:
        shutil.copyfileobj(plain, target)
    return dict(chrome=packed, tensorboard=board)


### END SOLUTION
