"""Writes every run of a step, so that a curve goes back at a restart.

fails: monitor.tensorboard
"""


### BEGIN SOLUTION portable_trainer.monitor tensorboard
def tensorboard(path, target):
    """Write the run's curves as an event file for TensorBoard."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.record_writer import RecordWriter

    with Path(target).open("wb") as file:
        writer = RecordWriter(file)
        first = Event(wall_time=time.time(), file_version="brain.Event:2")
        writer.write(first.SerializeToString())
        for number, event in ((e["step"], e) for e in look(path).ran):
            curves = {
                "step/seconds": event["seconds"],
                "step/loss": event["loss"],
                "memory/peak_bytes": max(event["memory_bytes"]),
            }
            values = [Summary.Value(tag=tag, simple_value=y) for tag, y in curves.items()]
            told = Event(wall_time=event["at"], step=number, summary=Summary(value=values))
            writer.write(told.SerializeToString())
        writer.flush()


### END SOLUTION
