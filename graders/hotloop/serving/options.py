"""How a server is started, beyond its repository."""

from collections.abc import Mapping
from dataclasses import dataclass, field

GIB = 1 << 30


@dataclass(frozen=True)
class Options:
    """isolation: "bubblewrap", or "none" for one's own repository on one's own machine.

    explicit: models are loaded and unloaded by request; `load` names those loaded at the start.
    cache_bytes: of the response cache; 0 is none. auto_complete: what a configuration leaves out
        is taken from the model.
    arguments: further ones for tritonserver.
    threads: that each model instance may compute with; onnxruntime's come from config.pbtxt.
    memory_bytes, tasks: of the server and all models together. tmp_bytes: of its /dev/shm, too.
    log_bytes: a server that prints more is ended. wall_s: one that lives longer is ended.
    """

    isolation: str = "bubblewrap"
    explicit: bool = False
    load: tuple[str, ...] = ()
    cache_bytes: int = 0
    auto_complete: bool = True
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    devices: tuple[str, ...] = ()
    threads: int = 1
    memory_bytes: int = 4 * GIB
    tasks: int = 1024
    tmp_bytes: int = GIB // 2
    log_bytes: int = 4 << 20
    wall_s: float = 3600.0
    ready_s: float = 30.0
