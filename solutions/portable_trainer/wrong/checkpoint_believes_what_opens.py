"""Takes every file for whole that safetensors opens.

fails: checkpoint.chosen
"""


### BEGIN SOLUTION portable_trainer.checkpoint read
def read(path):
    """Arrays and state of a checkpoint, or None if it is not whole."""
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        state = json.loads(metadata["state"])
        whole = "digest" in metadata
    except (SafetensorError, OSError, KeyError, ValueError):
        return None
    return (arrays, state) if whole else None


### END SOLUTION
