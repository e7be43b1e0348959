"""Nearly all figures from hotloop.engines.trace, the reader that the notebook uses."""

### BEGIN SOLUTION profile_training_loop.read_trace
from hotloop.engines import trace as traces


def answers(path):
    t = traces.read(path)
    steps = t.steps
    ops = t.ops()
    biggest = t.largest_allocation
    uploads = [c for c in t.copies if c.direction == "HtoD"]
    return {
        "steps": len(steps),
        "step_ms": float(statistics.median(s.duration_us for s in steps)) / 1e3,
        "slowest_op": ops[0].name,
        "slowest_op_share": ops[0].self_us / sum(row.self_us for row in ops),
        "launches_per_step": sum(len(t.launches.within(s)) for s in steps) / len(steps),
        "copies_to_device": sum(
            s.start_us <= c.start_us < s.start_us + s.duration_us for c in uploads for s in steps
        ),
        "gpu_idle_share": t.gpu_idle_share(),
        "largest_allocation": biggest.bytes if biggest else None,
    }


### END SOLUTION
