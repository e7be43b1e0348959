"""Code that asks for a GPU runs on a CPU, or names what only a GPU has."""

import json
import subprocess
import sys
import textwrap

import pytest
import torch

from hotloop.author.external import PROGRAMS
from hotloop.author.external.checks import NEEDS_GPU

pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")

IDIOMS = {
    "is_cuda": "assert x.is_cuda and x.device.type == 'cuda' and x.get_device() == 0",
    "moved": "y = x.contiguous().cuda(); z = x.to('cuda:0'); w = x.to(0); v = x.cuda(0)",
    "moved without waiting": "y = x.pin_memory().to(torch.device('cuda'), non_blocking=True)",
    "made there": "y = torch.empty_like(x, device='cuda') + torch.zeros(4, device=x.device)",
    "made by number": "y = torch.ones(4, device=0); z = torch.tensor([1.0], device='cuda:0')",
    "device context": "with torch.cuda.device(x.device): y = x + 1",
    "device of": "with torch.cuda.device_of(x), torch.device('cuda'): y = torch.empty(3)",
    "default device": "torch.set_default_device('cuda'); y = torch.empty(3)",
    "properties": "torch.cuda.get_device_properties(x.device).multi_processor_count + 1",
    "capability": "assert torch.cuda.get_device_capability()[0] >= 8",
    "current stream": "torch.cuda.current_stream().synchronize()",
    "own stream": """
        s = torch.cuda.Stream()
        s.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(s):
            y = x + 1
        torch.cuda.current_stream().wait_stream(s)
        y.record_stream(s)
        """,
    "events": """
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        end.record(torch.cuda.current_stream())
        torch.cuda.synchronize()
        assert begin.elapsed_time(end) > 0 and end.query()
        """,
    "autocast": """
        with torch.autocast("cuda"), torch.cuda.amp.autocast(dtype=torch.bfloat16):
            assert (x[None] @ x[:, None]).dtype is torch.bfloat16
        """,
    "autocast is float16": """
        with torch.autocast(device_type="cuda"):
            assert (x[None] @ x[:, None]).dtype is torch.float16
        """,
    "memory": "torch.cuda.empty_cache(); assert torch.cuda.memory_allocated() == 0",
    "seeds": "torch.cuda.manual_seed_all(1); torch.manual_seed(1); torch.cuda.get_rng_state()",
    "generator": "torch.rand(3, generator=torch.Generator(device='cuda').manual_seed(0))",
    "a model": "m = torch.nn.Linear(4, 4, device='cuda').cuda().to('cuda'); m(x)",
    "imports": "from torch.cuda import amp, nvtx; import torch.cuda.nvtx; nvtx.range_push('a')",
    "is_available": "assert torch.cuda.is_available() and torch.cuda.device_count() == 1",
    "types": "assert torch.cuda.FloatTensor is torch.FloatTensor",
    "naming a graph": "from torch.cuda import CUDAGraph, graph",
    "float32 settings": "torch.backends.cuda.matmul.allow_tf32 = False",
    "compile": "y = torch.compile(lambda v: v + 1, mode='max-autotune')(x)",
    "triton's driver": """
        from triton.runtime import driver
        assert driver.active.get_current_target().arch == 80
        assert driver.active.utils.get_device_properties(0)["multiprocessor_count"]
        assert driver.active.get_active_torch_device().type == "cuda"
        """,
    "benchmarking": """
        import triton
        assert triton.testing.do_bench(lambda: 1 / 0) == 1.0
        """,
}

REFUSED = {
    "a graph": ("g = torch.cuda.CUDAGraph()", "torch.cuda.CUDAGraph"),
    "capturing": ("with torch.cuda.graph(None): pass", "torch.cuda.graph"),
    "graphed": ("torch.cuda.make_graphed_callables(None, ())", "make_graphed_callables"),
    "an extension": ("from torch.utils.cpp_extension import load_inline; load_inline('a', '')",
                     "cpp_extension.load_inline"),
    "the runtime": ("torch.cuda.cudart().cudaProfilerStart()", "torch.cuda.cudart"),
}  # fmt: skip

RUN = """
import json, sys, textwrap, torch
sys.path.insert(0, {programs!r})
from hotloop_without_gpu import on_this_device, prepare, StandIn, Refused
prepare({programs!r})
"""


def outcomes(body: str) -> dict[str, str]:
    """Run code in a process of its own that has imported the stand-in; it prints one JSON value."""
    text = RUN.format(programs=str(PROGRAMS)) + textwrap.dedent(body)
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=False, timeout=120,
        env={"TRITON_INTERPRET": "1", "PATH": "/usr/bin:/bin", "HOME": "/tmp"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
def test_what_kernels_are_written_with_runs_or_is_named() -> None:
    snippets = {name: textwrap.dedent(text).strip() for name, text in IDIOMS.items()}
    snippets |= {name: text for name, (text, _) in REFUSED.items()}
    found = outcomes(f"""
        said = {{}}
        for name, text in {snippets!r}.items():
            try:
                with on_this_device():
                    exec(text, {{"torch": torch, "x": torch.ones(4)}})
                said[name] = ""
            except Exception as error:
                said[name] = f"It raised {{type(error).__name__}}: {{error}}"
        print(json.dumps(said))
    """)
    assert {name: said for name, said in found.items() if name in IDIOMS and said} == {}
    for name, (_, names) in REFUSED.items():
        assert NEEDS_GPU.search(found[name]), found[name]
        assert names in found[name]


@pytest.mark.slow
def test_no_public_name_of_torch_cuda_asks_for_a_driver() -> None:
    """A name that PyTorch adds is refused by name until somebody decides what it answers."""
    found = outcomes("""
        said = {}
        real = torch.cuda
        with on_this_device():
            for name in [each for each in dir(real) if not each.startswith("_")]:
                for arguments in ((), (0,)):
                    try:
                        value = getattr(torch.cuda, name)
                        if callable(value):
                            value(*arguments)
                        break
                    except Exception as error:
                        said[name] = f"{type(error).__name__}: {error}"
                else:
                    continue
                said.pop(name, None)
        print(json.dumps(said))
    """)
    untold = {
        name: text
        for name, text in found.items()
        if not text.startswith(("NeedsGpu", "TypeError", "AttributeError"))
        or "not compiled" in text
    }
    assert untold == {}
    assert "CUDAGraph" in found
    assert "synchronize" not in found


@pytest.mark.slow
def test_outside_of_it_nothing_is_changed() -> None:
    found = outcomes("""
        cuda, autocast = torch.cuda, torch.autocast.__init__
        with on_this_device():
            assert torch.cuda is not cuda
            import colorsys
            colorsys.kept = 1
        import colorsys
        assert colorsys.kept == 1  # as what a submission keeps from call to call
        same = torch.cuda is cuda and sys.modules["torch.cuda"] is cuda
        print(json.dumps({"same": same and torch.autocast.__init__ is autocast,
                          "device": str(torch.ones(1).device), "cuda": torch.cuda.is_available()}))
    """)
    assert found == {"same": True, "device": "cpu", "cuda": False}
