"""Writes over the last checkpoint instead of beside it.

fails: checkpoint.killed
"""


### BEGIN SOLUTION portable_trainer.checkpoint write
def write(arrays, state, path):
    """Write a checkpoint, all of it or nothing."""
    text = json.dumps(state)
    data = as_bytes(arrays, metadata={"state": text, "digest": layout.digest(arrays, text)})
    beside = Path(path)
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        # Without this a power cut may leave the new name with none of its content.
        os.fsync(file.fileno())


### END SOLUTION
