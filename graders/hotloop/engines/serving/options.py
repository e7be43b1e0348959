"""Options of a server, apart from its repository."""

from dataclasses import dataclass

GIB = 1 << 30


@dataclass(frozen=True)
class Options:
    """Options of a server.

    isolation: "bubblewrap", or "none" for a trusted repository on one's own machine. explicit:
    models are loaded and unloaded by request; `load` names those loaded at the start. cache_bytes:
    of the response cache; 0 disables it. arguments: more command-line arguments for tritonserver.
    memory_bytes, tasks: limits for the server and all models together. tmp_bytes: also of /dev/shm.
    files_bytes: of the repository. log_bytes: a server that prints more is killed. wall_s: one that
    runs longer is killed. ready_s: seconds until all models must be loaded.
    """

    isolation: str = "bubblewrap"
    explicit: bool = False
    load: tuple[str, ...] = ()
    cache_bytes: int = 0
    arguments: tuple[str, ...] = ()
    memory_bytes: int = 4 * GIB
    tasks: int = 1024
    tmp_bytes: int = GIB // 2
    files_bytes: int = 64 << 20
    log_bytes: int = 4 << 20
    wall_s: float = 3600.0
    ready_s: float = 30.0
