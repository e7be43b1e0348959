"""Run a learner's service, and list what it computes: PyTorch's operations, and runs of graphs.

The service works on numbers without a meaning. Another process repeats the list on the hidden
request (serving_replays.py), so what is said here is believed of nobody.
"""

from __future__ import annotations

import importlib.util
import logging
import operator
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch._dynamo
from torch._dynamo.backends.common import aot_autograd
from torch._guards import TracingContext
from torch._subclasses.fake_tensor import is_fake
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_leaves

from hotloop.worker.torch_record import Recorder, packed

torch.set_num_threads(1)
warnings.filterwarnings("ignore")
logging.getLogger("torch._dynamo").setLevel(logging.CRITICAL)

RECORDERS: list[ServiceRecorder] = []
SERVICES: list[Callable[..., Any]] = []


class ServiceRecorder(Recorder):
    """The steps of a service, graphs of TorchDynamo among them."""

    graphs = 0

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Return True: TorchDynamo would compile nothing otherwise."""
        return True

    def compiled(self, function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        """Return torch.compile with a backend that records."""
        backend = aot_autograd(fw_compiler=self._graph, keep_inference_input_mutations=True)
        return torch.compile(function, **{**options, "backend": backend})

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Record what is computed, and not what a compiler tries."""
        tensors = [each for each in tree_leaves((args, kwargs)) if isinstance(each, torch.Tensor)]
        tried = any(each.device.type == "meta" or is_fake(each) for each in tensors)
        if tried or TracingContext.try_get() is not None:
            return func(*args, **(kwargs or {}))
        return super().__torch_dispatch__(func, types, args, kwargs)

    def _graph(self, graph: torch.fx.GraphModule, _inputs: object) -> Callable[..., Any]:
        number = self.graphs
        self.graphs += 1
        self.steps.append(["graph", number, self._nodes(graph)])

        def run(*arguments: Any) -> Any:
            with _disable_current_modes():
                given = self.encoded(list(arguments))
                results = graph.forward(*arguments)
                tensors = [each for each in results if isinstance(each, torch.Tensor)]
                made = [self.number(each) for each in tensors]
            self.steps.append(["run", number, given, made])
            return results

        return run

    def _nodes(self, graph: torch.fx.GraphModule) -> list[Any]:
        """Return [kind, name, arguments, named arguments] of each node."""
        places = {node: place for place, node in enumerate(graph.graph.nodes)}

        def value(of: Any) -> Any:
            if isinstance(of, torch.fx.Node):
                return ["node", places[of]]
            if isinstance(of, list | tuple):
                return ["list", [value(each) for each in of]]
            return self.encoded(of)

        nodes: list[Any] = []
        for node in places:
            if node.op == "get_attr":
                nodes.append(["value", "", self.encoded(getattr(graph, node.target)), {}])
                continue
            named = {key: value(each) for key, each in node.kwargs.items()}
            nodes.append([node.op, _name(node.target), value(list(node.args)), named])
        return nodes


def begin(path: str, name: str, width: int) -> str:
    """Start a new service, made by the function `name` of the learner's file; return its steps."""
    torch._dynamo.reset()
    weights = {"up": torch.randn(width, width), "down": torch.randn(width)}
    recorder = ServiceRecorder(weights.values())
    with torch.no_grad(), recorder:
        service = getattr(_loaded(Path(path)), name)(recorder.compiled, weights)
    RECORDERS[:], SERVICES[:] = [recorder], [service]
    return _taken(recorder)


def answer(rows: int, length: int, width: int, temperature: float, strided: bool) -> str:
    """Serve one request; return its steps. strided: the memory order is not that of the axes."""
    recorder, service = RECORDERS[0], SERVICES[0]
    x = laid_out(torch.randn(rows, length, width), strided)
    recorder.steps.append(["input", recorder.number(x)])
    with torch.no_grad(), recorder:
        mean = service(x, temperature)
    recorder.steps.append(["out", recorder.encoded(mean)])
    return _taken(recorder)


def laid_out(x: torch.Tensor, strided: bool) -> torch.Tensor:
    """Return x in the memory order of a request."""
    return x.transpose(0, 1).contiguous().transpose(0, 1) if strided else x


def _taken(recorder: ServiceRecorder) -> str:
    if recorder.unfollowed:
        raise RuntimeError(f"the judge cannot repeat {recorder.unfollowed}")
    steps = packed(recorder.steps)
    recorder.steps.clear()
    return steps


def _name(target: Any) -> str:
    if isinstance(target, str | torch._ops.OpOverload):
        return str(target)
    module = "operator" if getattr(operator, target.__name__, None) is target else target.__module__
    return f"{module}.{target.__name__}"


def _loaded(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("serving", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
