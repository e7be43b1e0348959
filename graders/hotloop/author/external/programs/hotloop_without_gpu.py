"""Runs code that asks for a GPU on a machine without one: what it asks for is answered by the CPU.

Used beside `hotloop_structure`, on both sides. Inside of `on_this_device`, tensors say that they
are on "cuda:0" and stay in the CPU's memory, `torch.cuda` is `StandIn`, and Triton's kernels run in
the interpreter. What cannot be answered raises `NeedsGpu` when it is used, with its name.
"""

import contextlib
import functools
import importlib
import re
import sys
import types
from types import SimpleNamespace
from unittest.mock import patch

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

CPU, CUDA = torch.device("cpu"), torch.device("cuda", 0)

_CUDA = re.compile(r"cuda(:\d+)?")

CAPABILITY = (8, 0)
"""Of the device that is shown: without what only later ones have, such as descriptors."""

BYTES = 40 << 30

PROPERTIES = SimpleNamespace(
    name="none (Hotloop runs this on a CPU)",
    major=CAPABILITY[0],
    minor=CAPABILITY[1],
    total_memory=BYTES,
    multi_processor_count=8,
    max_threads_per_multi_processor=2048,
    max_threads_per_block=1024,
    warp_size=32,
    regs_per_multiprocessor=65536,
    shared_memory_per_block=48 << 10,
    shared_memory_per_block_optin=163 << 10,
    shared_memory_per_multiprocessor=164 << 10,
    L2_cache_size=40 << 20,
    memory_bus_width=5120,
    memory_clock_rate=1215000,
    clock_rate=1410000,
    is_integrated=0,
    is_multi_gpu_board=0,
    gcnArchName="",
    uuid="",
    pci_bus_id=0,
    pci_device_id=0,
    pci_domain_id=0,
)
"""Few processors, so that a persistent kernel has few programs."""


class NeedsGpu(Exception):
    """What was used runs on a GPU only."""


def prepare(folder):
    """Make a folder importable. Without a GPU, torch.compile runs its function as it is."""
    sys.path.insert(0, str(folder))
    if not torch.cuda.is_available():
        torch.compiler.set_stance("force_eager")


@contextlib.contextmanager
def on_this_device():
    """Answer by the CPU what the code inside asks of a GPU; do nothing if there is a GPU."""
    if torch.cuda.is_available():
        yield
        return
    with contextlib.ExitStack() as stack:
        for place, name, replacement in _replacements():
            stack.enter_context(patch.object(place, name, replacement))
        stack.enter_context(_imported(_modules()))
        stack.enter_context(OnCpu())
        stack.enter_context(_Lazily())
        yield


@contextlib.contextmanager
def _imported(modules):
    """Have imports find these modules. What is imported inside stays imported, with its state."""
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module


class OnCpu(TorchFunctionMode):
    """Has every function of PyTorch work on the CPU where it is told to work on a GPU."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        """Call one function, with devices of the CPU."""
        kwargs = kwargs or {}
        if func in ANSWERS:
            return ANSWERS[func](*args, **kwargs)
        if func is torch.Tensor.to and args[1:] and type(args[1]) is int:
            args = (args[0], CPU, *args[2:])
        if type(kwargs.get("device")) is int:
            kwargs = {**kwargs, "device": CPU}
        if kwargs.get("pin_memory"):
            kwargs = {**kwargs, "pin_memory": False}
        return func(*tree_map(here, args), **tree_map(here, kwargs))


def here(value):
    """Return the CPU for a GPU, as an object or by name; anything else unchanged."""
    if isinstance(value, torch.device):
        return CPU if value.type == "cuda" else value
    return "cpu" if isinstance(value, str) and _CUDA.fullmatch(value) else value


def _itself(tensor, *_arguments, **_options):
    return tensor


def _always(value):
    return lambda *_arguments, **_options: value


def _device(tensor):
    """Return the GPU for a tensor on the CPU; another device, such as meta, is told as it is."""
    with torch._C.DisableTorchFunction():
        device = tensor.device
    return CUDA if device.type == "cpu" else device


ANSWERS = {
    torch.Tensor.cuda: _itself,
    torch.Tensor.pin_memory: _itself,
    torch.Tensor.is_pinned: _always(False),
    torch.Tensor.get_device: _always(0),
    torch.Tensor.is_cuda.__get__: _always(True),
    torch.Tensor.device.__get__: _device,
}
"""What tensors answer about their device."""


class Stream:
    """A stream, where everything is done at once."""

    device = CUDA
    device_index = 0
    cuda_stream = stream_id = priority = 0

    def __init__(self, *_arguments, **_options):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        pass

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return _always(True if name == "query" else None)

    def record_event(self, event=None):
        """Return the event, or a new one."""
        return event or Event()


class Event(Stream):
    """An event that has happened."""

    def elapsed_time(self, _end):
        """Return some milliseconds: time is not measured here."""
        return 1.0


class On(contextlib.ContextDecorator):
    """A context that selects a device or a stream; there is one of each."""

    def __init__(self, *_arguments, **_options):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        return False


class Refused:
    """Something that only a GPU has; naming it is no use of it."""

    def __init__(self, name):
        self._name = name

    def __call__(self, *_arguments, **_options):
        """Raise NeedsGpu."""
        raise NeedsGpu(f"{self._name} runs on a GPU only")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Refused(f"{self._name}.{name}")

    def __enter__(self):
        return self()

    def __exit__(self, *_error):
        pass


_STREAM = Stream()

NAMES = {
    **dict.fromkeys(("is_available", "is_initialized", "is_bf16_supported"), _always(True)),
    **dict.fromkeys(("is_tf32_supported",), _always(True)),
    **dict.fromkeys(("can_device_access_peer", "is_current_stream_capturing"), _always(False)),
    "device_count": _always(1),
    "current_device": _always(0),
    "get_device_name": _always(PROPERTIES.name),
    "get_device_capability": _always(CAPABILITY),
    "get_device_properties": _always(PROPERTIES),
    "get_arch_list": lambda: ["sm_80"],
    "get_gencode_flags": _always("-gencode compute=compute_80,code=sm_80"),
    "get_allocator_backend": _always("native"),
    "mem_get_info": _always((BYTES, BYTES)),
    "memory_stats": lambda *_device: {},
    "memory_stats_as_nested_dict": lambda *_device: {},
    "host_memory_stats": lambda *_device: {},
    "host_memory_stats_as_nested_dict": lambda *_device: {},
    "memory_snapshot": lambda *_device: [],
    **dict.fromkeys(("memory_summary", "list_gpu_processes"), _always("")),
    **dict.fromkeys(("get_per_process_memory_fraction",), _always(1.0)),
    **dict.fromkeys(("current_stream", "default_stream", "get_stream_from_external"),
                    _always(_STREAM)),
    **dict.fromkeys(("Stream", "ExternalStream"), Stream),
    "Event": Event,
    **dict.fromkeys(("device", "device_of", "stream", "StreamContext"), On),
    "initial_seed": torch.initial_seed,
    "get_rng_state_all": lambda: [torch.get_rng_state()],
    "set_rng_state": lambda state, *_device: torch.set_rng_state(state),
    "get_rng_state": lambda *_device: torch.get_rng_state(),
    "set_rng_state_all": lambda states: torch.set_rng_state(states[0]),
    "nvtx": SimpleNamespace(range=On, range_push=_always(0), range_pop=_always(0),
                            range_start=_always(0), range_end=_always(None), mark=_always(None)),
    "profiler": SimpleNamespace(profile=On, start=_always(None), stop=_always(None)),
    "default_generators": (torch.default_generator,),
}  # fmt: skip
"""What `torch.cuda` answers, besides the names below."""

NOTHING = (
    "init synchronize set_device set_stream empty_cache ipc_collect reset_peak_memory_stats "
    "reset_max_memory_allocated reset_max_memory_cached reset_accumulated_memory_stats "
    "reset_accumulated_host_memory_stats reset_peak_host_memory_stats set_sync_debug_mode "
    "set_per_process_memory_fraction caching_allocator_enable check_error "
    "manual_seed manual_seed_all seed seed_all"
)
"""Names that do nothing; `torch.manual_seed` seeds the one generator that there is."""
ZERO = (
    "memory_allocated max_memory_allocated memory_reserved max_memory_reserved memory_cached "
    "max_memory_cached device_memory_used memory_usage utilization temperature power_draw "
    "clock_rate get_sync_debug_mode current_blas_handle current_solver_handle"
)
KEPT = (
    "amp random memory streams OutOfMemoryError AcceleratorError CudaError DeferredCudaCallError "
    "cudaStatus has_half has_magma"
)
"""Names of the real module that need no GPU; `memory` and `streams` are looked up here again."""

MODULES = ("memory", "streams", "random")
"""Modules in which the same names are."""


class StandIn(types.ModuleType):
    """`torch.cuda` where there is no GPU."""

    def __init__(self, real):
        super().__init__(real.__name__, real.__doc__)
        self.__dict__.update({"__path__": getattr(real, "__path__", []), "_real": real})

    def __getattr__(self, name):
        if name in NAMES:
            return NAMES[name]
        if name in NOTHING.split():
            return _always(None)
        if name in ZERO.split():
            return _always(0)
        found = getattr(self._real, name)  # AttributeError as the real module's
        if name in MODULES:
            return sys.modules[f"torch.cuda.{name}"]
        if name.startswith("_") or name in KEPT.split():
            return found
        if name.endswith(("Tensor", "Storage")):
            return getattr(torch, name)
        if isinstance(found, types.ModuleType) and not found.__name__.startswith("torch.cuda"):
            return found  # what the module has imported
        return Refused(f"torch.cuda.{name}")


@functools.cache
def _modules():
    names = ("torch.cuda", *(f"torch.cuda.{name}" for name in MODULES))
    found = {name: StandIn(importlib.import_module(name)) for name in names}
    return found | {"torch.cuda.nvtx": NAMES["nvtx"], "torch.cuda.profiler": NAMES["profiler"]}


class _Generator(torch.Generator):
    def __new__(cls, device="cpu"):
        return super().__new__(cls, here(device))


_autocast = torch.autocast.__init__


def _autocast_here(self, device_type, dtype=None, *arguments, **options):
    if device_type == "cuda":
        device_type, dtype = "cpu", dtype or torch.float16
    _autocast(self, device_type, dtype, *arguments, **options)


def _replacements():
    """Return what to replace besides modules: where, name, replacement."""
    return [
        (torch, "cuda", _modules()["torch.cuda"]),
        (torch, "Generator", _Generator),
        (torch.autocast, "__init__", _autocast_here),
        (torch.Tensor, "record_stream", _always(None)),
        (torch, "set_default_device", _always(None)),
        (torch, "set_default_tensor_type", _always(None)),
        (torch.version, "cuda", "12.8"),
        (torch.accelerator, "is_available", _always(True)),
        (torch.accelerator, "current_accelerator", _always(CUDA)),
        (torch.accelerator, "synchronize", _always(None)),
        (torch.accelerator, "device_count", _always(1)),
    ]


class _Lazily:
    """Replaces, once they are imported, what Triton asks of its driver and what compiles CUDA.

    Importing either takes time, and few submissions need both.
    """

    PARTS: dict = {}  # noqa: RUF012

    def __enter__(self):
        sys.meta_path.insert(0, self)
        for name in self.PARTS:
            if name in sys.modules:
                self.PARTS[name](sys.modules[name])
        return self

    def __exit__(self, *_error):
        sys.meta_path.remove(self)

    def find_spec(self, name, path=None, target=None):  # noqa: ARG002
        """Find one of these modules as usual, and have its loader replace parts of it."""
        if name not in self.PARTS:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            self.PARTS[name](module)

        spec.loader.exec_module = exec_module
        return spec


def _extension(module):
    for name in ("load", "load_inline", "CUDAExtension", "CppExtension", "include_paths"):
        setattr(module, name, Refused(f"torch.utils.cpp_extension.{name}"))


def _driver(module):
    module.driver.set_active(_Driver())


def _testing(module):
    for name in ("do_bench", "do_bench_cudagraph"):
        setattr(module, name, _bench)


_Lazily.PARTS |= {
    "torch.utils.cpp_extension": _extension,
    "triton.runtime.driver": _driver,
    "triton.testing": _testing,
}


def _bench(_function, *_arguments, quantiles=None, **_options):
    """Return the same time for all, and call nothing: time means nothing here."""
    return [1.0] * len(quantiles) if quantiles else 1.0


class _Driver:
    """Triton's driver for the device that is shown."""

    utils = SimpleNamespace(
        get_device_properties=_always(
            {
                "multiprocessor_count": PROPERTIES.multi_processor_count,
                "max_shared_mem": PROPERTIES.shared_memory_per_block_optin,
                "max_num_regs": PROPERTIES.regs_per_multiprocessor,
                "warpSize": PROPERTIES.warp_size,
                "sm_clock_rate": PROPERTIES.clock_rate,
                "mem_clock_rate": PROPERTIES.memory_clock_rate,
                "mem_bus_width": PROPERTIES.memory_bus_width,
            }
        )
    )
    get_current_device = staticmethod(_always(0))
    set_current_device = staticmethod(_always(None))
    get_current_stream = staticmethod(_always(0))
    get_device_capability = staticmethod(_always(CAPABILITY))
    get_active_torch_device = staticmethod(_always(CUDA))
    clear_cache = staticmethod(_always(None))
    get_device_interface = staticmethod(lambda: torch.cuda)
    get_empty_cache_for_benchmark = staticmethod(lambda: torch.empty(1))

    @staticmethod
    def get_current_target():
        """Return a GPU of the shown capability."""
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", 10 * CAPABILITY[0] + CAPABILITY[1], PROPERTIES.warp_size)
