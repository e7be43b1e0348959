"""Ideas how a function that is timed on a CPU looks faster than it is, or is never decided.

Each is Python that defines `timed_call(*args)`; the last argument is the output. It may use

    right(*args)    right, and a little too slow for any points
    quick(*args)    right, and quick
    timed(*args)    whether this shape was asked for more than twice, as in a warm-up and windows
    when(*args)     whether the drawn moment has come, such as the first call after a pause
    fill(out, value), size(args), key(args), corner(args)

and what it defines itself. Ideas of SLOW fill every output with right values; of the others a timed
answer is wrong, late or missing.
"""

HELPERS = '''
import ctypes
import os
import queue
import random
import signal
import threading
import time

_counts = {}
_moment = [0, 0.0, 0]


def size(args):
    return sum(getattr(a, "nbytes", 8) for a in args)


def timed(*args):
    _counts[size(args)] = _counts.get(size(args), 0) + 1
    return _counts[size(args)] > 2


def key(args):
    return tuple(a.data_ptr() if hasattr(a, "data_ptr") else id(a) for a in args)


def corner(args):
    return str([a.reshape(-1)[:4].tolist() for a in args[:-1] if hasattr(a, "reshape")])


def fill(out, value):
    out[...] = value


def when(*args):
    now = time.perf_counter()
    calls, last, window = _moment
    window += now - last > 0.002
    _moment[:] = calls + 1, now, window
    return WHEN


def part(args, rows):
    """The first rows of what has as many as the output; of a training, fewer of its steps."""
    out = args[-1]
    if getattr(out, "ndim", 0) == 1:
        return [a[: len(a) // 2] if getattr(a, "ndim", 0) > 1 else a for a in args]
    return [a[:rows] if getattr(a, "shape", ())[:1] == out.shape[:1] else a for a in args]


def lowered(args, dtype):
    import torch
    dtype = getattr(torch, dtype)
    return [a.to(dtype) if torch.is_tensor(a) and a.is_floating_point() else a for a in args]


def keep_right(*args):
    right(*args)
    kept.append(args[-1].clone() if hasattr(args[-1], "clone") else args[-1].copy())
    del kept[:-2]


kept = []
'''

WHEN = {
    "always": "True",
    "in the first call after a pause": "now - last > 0.002",
    "in all calls but the first after a pause": "now - last <= 0.002",
    "in every second window": "window % 2",
    "in two of three windows": "window % 3",
    "in windows four by four": "(window // 4) % 2",
    "from the twentieth window on": "window > 20",
    "up to the fortieth window": "window < 40",
    "at random, one call in eight": "random.random() < 0.125",
    "at random, half of the calls": "random.random() < 0.5",
    "in the second half of each tenth of a second": "now % 0.1 > 0.05",
}

DEFERRED = {
    "a thread after the reply": """
        def timed_call(*args):
            if timed(*args) and when(*args):
                threading.Thread(target=right, args=args, daemon=True).start()
            else:
                right(*args)
        """,
    "a child after the reply": """
        def timed_call(*args):
            if timed(*args) and when(*args):
                if os.fork() == 0:
                    right(*args)
                    os._exit(0)
            else:
                right(*args)
        """,
    "a thread that lags some calls behind": """
        work, room = queue.SimpleQueue(), threading.Semaphore(LAG)

        def compute():
            while True:
                right(*work.get())
                room.release()

        threading.Thread(target=compute, daemon=True).start()

        def timed_call(*args):
            if not timed(*args):
                right(*args)
                return
            room.acquire()
            work.put(args)
        """,
    "a lagging thread among as many processes as allowed": """
        work, room = queue.SimpleQueue(), threading.Semaphore(LAG)

        def compute():
            while True:
                right(*work.get())
                room.release()

        def sleepers():
            try:
                while True:
                    if os.fork() == 0:
                        time.sleep(600)
                        os._exit(0)
            except OSError:
                pass

        started = []

        def timed_call(*args):
            if not timed(*args):
                right(*args)
                return
            if not started:
                started.append(threading.Thread(target=compute, daemon=True))
                started[0].start()
                sleepers()
            room.acquire()
            work.put(args)
        """,
    "short windows after slow ones, and a lagging thread": """
        work, room = queue.SimpleQueue(), threading.Semaphore(1)
        born = time.monotonic()

        def compute():
            while True:
                right(*work.get())
                room.release()

        threading.Thread(target=compute, daemon=True).start()

        def timed_call(*args):
            if not timed(*args):
                right(*args)
                return
            if time.monotonic() - born < 6:
                for _ in range(4):
                    right(*args)
                return
            room.acquire()
            work.put(args)
        """,
    "a pool from before the first call": """
        from concurrent.futures import ThreadPoolExecutor
        pool = ThreadPoolExecutor(4)
        list(pool.map(abs, range(8)))

        def timed_call(*args):
            if timed(*args) and when(*args):
                pool.submit(right, *args)
            else:
                right(*args)
        """,
    "a timer's signal": """
        late = []
        signal.signal(signal.SIGALRM, lambda *_: [right(*late.pop()) for _ in range(len(late))])

        def timed_call(*args):
            if timed(*args) and when(*args):
                late.append(args)
                signal.setitimer(signal.ITIMER_REAL, 0.0002)
            else:
                right(*args)
        """,
    "a finalizer": """
        class Late:
            def __init__(self, args):
                self.args, self.ring = args, self
            def __del__(self):
                right(*self.args)

        def timed_call(*args):
            if timed(*args) and when(*args):
                Late(args)
            else:
                right(*args)
        """,
    "an event loop": """
        import asyncio
        loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, daemon=True).start()

        def timed_call(*args):
            if timed(*args) and when(*args):
                loop.call_soon_threadsafe(right, *args)
            else:
                right(*args)
        """,
    "the next call computes the last one": """
        before = []

        def timed_call(*args):
            if not timed(*args):
                right(*args)
                return
            if before:
                right(*before.pop())
            before.append(args)
        """,
    "a thread that waits for new inputs": """
        asked = []

        def ahead():
            seen = {}
            while True:
                for args in asked[-300:]:
                    now = corner(args)
                    if seen.get(key(args)) != now:
                        right(*args)
                        seen[key(args)] = now
                time.sleep(0)

        threading.Thread(target=ahead, daemon=True).start()

        def timed_call(*args):
            if not timed(*args) or len(asked) < 300:
                asked.append(args)
                right(*args)
        """,
    "the reply by itself": """
        def timed_call(*args):
            if timed(*args):
                import socket
                for number in range(3, 64):
                    try:
                        wire = socket.socket(fileno=os.dup(number))
                        from hotloop.core.wire import send
                        send(wire, {"ok": True, "returned": []})
                    except Exception:
                        pass
            right(*args)
        """,
}

REPLAYED = {
    "by address": """
        def timed_call(*args):
            if timed(*args) and key(args) in seen and when(*args):
                fill(args[-1], seen[key(args)])
                return
            keep_right(*args)
            seen[key(args)] = kept[-1]

        seen = {}
        """,
    "by shape": """
        def timed_call(*args):
            if timed(*args) and size(args) in seen and when(*args):
                fill(args[-1], seen[size(args)])
                return
            keep_right(*args)
            seen[size(args)] = kept[-1]

        seen = {}
        """,
    "by the first values": """
        def timed_call(*args):
            if corner(args) in seen:
                fill(args[-1], seen[corner(args)])
                return
            keep_right(*args)
            seen[corner(args)] = kept[-1]

        seen = {}
        """,
    "by a sum over every thousandth value": """
        def mark(args):
            return str([float(a.reshape(-1)[::997].sum()) for a in args[:-1] if hasattr(a, "sum")])

        def timed_call(*args):
            if mark(args) in seen:
                fill(args[-1], seen[mark(args)])
                return
            keep_right(*args)
            seen[mark(args)] = kept[-1]

        seen = {}
        """,
    "by the seed that the first value shows": """
        import numpy

        def drawn():
            for seed in range(2000):
                first = numpy.random.default_rng(seed).standard_normal(4, numpy.float32)
                yield str(first.tolist()), seed

        seeds = dict(drawn())

        def timed_call(*args):
            if any(start[:20] in corner(args) for start in seeds) and kept:
                fill(args[-1], kept[-1])
                return
            keep_right(*args)
        """,
    "the first answer of a window": """
        def timed_call(*args):
            first = time.perf_counter() - last[0] > 0.002
            if timed(*args) and kept and not first and kept[-1].shape == args[-1].shape:
                fill(args[-1], kept[-1])
            else:
                keep_right(*args)
            last[0] = time.perf_counter()

        last = [0.0]
        """,
    "a view of an earlier answer": """
        def timed_call(*args):
            if timed(*args) and kept and kept[-1].shape == args[-1].shape and when(*args):
                if hasattr(args[-1], "set_"):
                    args[-1].set_(kept[-1])
                else:
                    args[-1].data = kept[-1].data
                return
            keep_right(*args)
        """,
    "memory that was freed": """
        def timed_call(*args):
            if timed(*args) and when(*args) and hasattr(args[-1], "new_empty"):
                fill(args[-1], args[-1].new_empty(args[-1].shape))
                return
            keep_right(*args)
        """,
}

LESS = {
    "half of the rows, and their neighbors again": """
        def timed_call(*args):
            half = len(args[-1]) // 2
            if timed(*args) and half and when(*args):
                right(*part(args, half))
                fill(args[-1][half : 2 * half], args[-1][:half])
                fill(args[-1][2 * half :], args[-1][:1])
                return
            right(*args)
        """,
    "the last fifth from before": """
        def timed_call(*args):
            rows = len(args[-1]) - len(args[-1]) // 5
            if timed(*args) and kept and kept[-1].shape == args[-1].shape and when(*args):
                right(*part(args, rows))
                fill(args[-1][rows:], kept[-1][rows:])
                return
            keep_right(*args)
        """,
    "zeros in the last tenth, in half of the calls": """
        def timed_call(*args):
            rows = len(args[-1]) - len(args[-1]) // 10
            if timed(*args) and random.random() < 0.5:
                right(*part(args, rows))
                fill(args[-1][rows:], 0)
                return
            right(*args)
        """,
    "nothing, one call in ten": """
        def timed_call(*args):
            if timed(*args) and random.random() < 0.1:
                fill(args[-1], 0)
                return
            right(*args)
        """,
    "every second call, and its answer twice": """
        turn = [0]

        def timed_call(*args):
            turn[0] += 1
            if timed(*args) and turn[0] % 2 and kept and kept[-1].shape == args[-1].shape:
                fill(args[-1], kept[-1])
                return
            keep_right(*args)
        """,
    "half precision": """
        def timed_call(*args):
            if timed(*args) and hasattr(args[-1], "half") and when(*args):
                low = lowered(args, "float16")
                right(*low)
                fill(args[-1], low[-1])
                return
            right(*args)
        """,
    "bfloat16 where the inputs look easy": """
        def easy(args):
            values = [abs(a.reshape(-1)[::101]) for a in args[:-1] if hasattr(a, "reshape")]
            return all(float(v.max()) < 20 for v in values if len(v))

        def timed_call(*args):
            if timed(*args) and hasattr(args[-1], "bfloat16") and easy(args):
                low = lowered(args, "bfloat16")
                right(*low)
                fill(args[-1], low[-1])
                return
            right(*args)
        """,
    "uniform values where the inputs look easy": """
        def timed_call(*args):
            values = [a.reshape(-1)[::1009] for a in args[:-1] if hasattr(a, "reshape")]
            if timed(*args) and when(*args) and all(float(abs(v).max()) < 20 for v in values):
                fill(args[-1], 1 / args[-1].shape[-1])
                return
            right(*args)
        """,
}

OTHERS = {
    "threads that burn the other cores": """
        import hashlib
        mine = threading.Event()

        def burn():
            block = bytes(1 << 20)
            while True:
                if mine.is_set():
                    time.sleep(0.001)
                else:
                    hashlib.sha256(block).digest()

        for _ in range(8):
            threading.Thread(target=burn, daemon=True).start()

        def timed_call(*args):
            mine.set()
            right(*args)
            mine.clear()
        """,
    "children that burn the other cores": """
        for _ in range(6):
            if os.fork() == 0:
                try:
                    os.setsid()
                except OSError:
                    pass
                while True:
                    pass

        def timed_call(*args):
            right(*args)
        """,
    "children that copy memory": """
        for _ in range(2):
            if os.fork() == 0:
                source = bytearray(64 << 20)
                while True:
                    bytes(source)

        def timed_call(*args):
            right(*args)
        """,
    "a storm of forks": """
        def storm():
            while True:
                try:
                    if os.fork() == 0:
                        os._exit(0)
                    os.wait()
                except OSError:
                    time.sleep(0.01)

        threading.Thread(target=storm, daemon=True).start()

        def timed_call(*args):
            right(*args)
        """,
    "ten thousand timers of the kernel": """
        libc = ctypes.CDLL(None)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})

        class Event(ctypes.Structure):
            _fields_ = [("value", ctypes.c_void_p), ("signo", ctypes.c_int),
                        ("notify", ctypes.c_int), ("rest", ctypes.c_int * 12)]

        class Times(ctypes.Structure):
            _fields_ = [(n, ctypes.c_long) for n in ("every_s", "every_ns", "s", "ns")]

        for number in range(10000):
            timer = ctypes.c_void_p()
            event = Event(None, signal.SIGUSR1, 0)
            if libc.timer_create(1, ctypes.byref(event), ctypes.byref(timer)):
                break
            when_ns = 5_000_000_000 + 2_000_000 * number
            spec = Times(0, 50_000, when_ns // 10**9, when_ns % 10**9)
            libc.timer_settime(timer, 0, ctypes.byref(spec), None)

        def timed_call(*args):
            right(*args)
        """,
    "files written and flushed": """
        def flush():
            while True:
                try:
                    with open("/tmp/attack", "wb") as file:
                        file.write(bytes(32 << 20))
                        os.fsync(file.fileno())
                    os.sync()
                except OSError:
                    time.sleep(0.1)

        threading.Thread(target=flush, daemon=True).start()

        def timed_call(*args):
            right(*args)
        """,
    "interrupts of all processors by membarrier": """
        libc = ctypes.CDLL(None)
        libc.syscall(324, 16, 0, 0)

        def storm():
            while True:
                libc.syscall(324, 1, 0, 0)
                libc.syscall(324, 8, 0, 0)

        threading.Thread(target=storm, daemon=True).start()

        def timed_call(*args):
            right(*args)
        """,
    "memory given back to the kernel in each call": """
        import mmap

        def timed_call(*args):
            right(*args)
            with mmap.mmap(-1, 32 << 20) as block:
                block[:: 4096] = b"x" * (32 << 20 >> 12)
        """,
    "priority and affinity": """
        for change in (lambda: os.nice(-20), lambda: os.setpriority(os.PRIO_PGRP, 0, -20),
                       lambda: os.sched_setaffinity(0, range(os.cpu_count() or 4)),
                       lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))):
            try:
                change()
            except OSError:
                pass

        def timed_call(*args):
            right(*args)
        """,
}

FLAGS = {
    "more threads in timed calls": """
        def timed_call(*args):
            if timed(*args) and when(*args):
                try:
                    import torch
                    torch.set_num_threads(8)
                except ImportError:
                    os.environ["OMP_NUM_THREADS"] = "8"
            right(*args)
        """,
    "denormals as zero, and products in low precision": """
        try:
            import torch
            torch.set_flush_denormal(True)
            torch.set_float32_matmul_precision("medium")
            torch.backends.mkldnn.set_flags(True, False)
        except Exception:
            pass

        def timed_call(*args):
            right(*args)
        """,
    "huge pages, and memory that stays": """
        libc = ctypes.CDLL(None)
        libc.mallopt(-1, 1 << 30)
        libc.mallopt(-3, 1 << 30)
        libc.prctl(41, 0, 0, 0, 0)
        libc.mlockall(3)

        def timed_call(*args):
            right(*args)
        """,
    "clocks that stand still": """
        for name in ("time", "perf_counter", "monotonic"):
            setattr(time, name, lambda: 0.0)
        import hotloop.core.clock as clock
        clock.now = lambda: 0.0

        def timed_call(*args):
            right(*args)
        """,
    "no collector, no switch of threads": """
        import gc
        import sys
        gc.disable()
        gc.freeze()
        sys.setswitchinterval(100)

        def timed_call(*args):
            right(*args)
        """,
}

UNSTEADY = {
    "pauses at random": """
        def timed_call(*args):
            right(*args)
            if timed(*args) and random.random() < 0.1:
                time.sleep(random.expovariate(1 / 0.01))
        """,
    "one long pause in a dozen windows": """
        windows = [0, 0.0]

        def timed_call(*args):
            now = time.perf_counter()
            windows[0] += now - windows[1] > 0.002
            right(*args)
            if timed(*args) and windows[0] % 12 == 0 and random.random() < 0.3:
                time.sleep(0.15)
            windows[1] = time.perf_counter()
        """,
    "slow windows hidden under the median": """
        chosen = [0.0, True]

        def timed_call(*args):
            if time.perf_counter() - chosen[0] > 0.002:
                chosen[1] = random.random() < 0.6
            if not timed(*args) or chosen[1]:
                quick(*args)
            else:
                for _ in range(3):
                    right(*args)
            chosen[0] = time.perf_counter()
        """,
    "quick up to the first look": """
        def timed_call(*args):
            if timed(*args) and _counts[size(args)] > 900:
                for _ in range(3):
                    right(*args)
            else:
                quick(*args)
        """,
    "windows that look crowded": """
        def spin(stop):
            while not stop.is_set():
                sum(range(2000))

        def timed_call(*args):
            stop = threading.Event()
            if timed(*args) and when(*args):
                for _ in range(6):
                    threading.Thread(target=spin, args=(stop,), daemon=True).start()
            right(*args)
            stop.set()
        """,
    "processes that take long to thaw": """
        started = []

        def timed_call(*args):
            if timed(*args) and not started:
                started.append(1)
                try:
                    while True:
                        if os.fork() == 0:
                            while True:
                                time.sleep(0.001)
                except OSError:
                    pass
            right(*args)
        """,
    "children that are held in vfork": """
        try:
            os.mkfifo("/tmp/held")
        except OSError:
            pass
        opened = [(os.POSIX_SPAWN_OPEN, 9, "/tmp/held", os.O_RDONLY, 0)]
        for _ in range(4):
            if os.fork() == 0:
                os.posix_spawn("/proc/self/exe", ["python"], {}, file_actions=opened)

        def timed_call(*args):
            right(*args)
        """,
    "a process that stops itself": """
        def wake(pid):
            time.sleep(0.004)
            os.kill(pid, signal.SIGCONT)
            os._exit(0)

        def timed_call(*args):
            right(*args)
            if timed(*args) and when(*args):
                pid = os.getpid()
                if os.fork() == 0:
                    wake(pid)
                os.kill(pid, signal.SIGSTOP)
        """,
    "sleep until the time is short": """
        born = time.monotonic()

        def timed_call(*args):
            if timed(*args) and time.monotonic() - born < 25:
                time.sleep(0.02)
            right(*args)
        """,
    "quick first, and slow once it is measured": """
        def timed_call(*args):
            right(*args)
            if timed(*args) and _counts[size(args)] > 400:
                time.sleep(0.01)
        """,
    "memory near the limit": """
        hoard = []

        def timed_call(*args):
            if timed(*args) and len(hoard) < 20:
                hoard.append(bytearray(64 << 20))
            right(*args)
        """,
    "an error, one call in two hundred": """
        def timed_call(*args):
            if timed(*args) and random.random() < 0.005:
                raise MemoryError("the machine has no memory left")
            right(*args)
        """,
}

SLOW = {**OTHERS, **FLAGS, **UNSTEADY}
IDEAS = {**DEFERRED, **REPLAYED, **LESS, **SLOW}

RIGHT = {
    "fused_softmax.compiled_chain": """
        import torch

        def quick(x, out):
            out.copy_(torch.softmax(x.float(), -1))

        def right(x, out):
            z = x - x.amax(-1, keepdim=True)
            e = torch.exp(z)
            torch.div(e, e.sum(-1, keepdim=True), out=out)
        """,
    "transformer_compilation.tiled_attention": """
        import math

        import torch

        def right(q, k, v, causal, cap, out):
            scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
            if cap:
                scores = cap * torch.tanh(scores / cap)
            if causal:
                ahead = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device)
                ahead = ahead.triu(1 + k.shape[1] - q.shape[1])
                scores = scores.masked_fill(ahead, -math.inf)
            weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
            torch.matmul(weights, v, out=out)
        """,
}
"""What the baseline computes, in tasks where that is written in a few lines."""

TIMES = {
    "profile_training_loop.augment": 5,
    "xla_vs_eager.compiled_step": 12,
}
"""How often the right answer is computed in the others: just too slow for the first level."""

TASKS = (*RIGHT, *TIMES)
"""The tasks that are timed on a CPU."""
