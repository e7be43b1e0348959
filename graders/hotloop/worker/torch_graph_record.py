"""Records what a function computes with PyTorch, runs of TorchDynamo's graphs among it.

The list holds the nodes of each graph, so that `hotloop.worker.torch_graph_replay` can repeat it
without the learner's code, and count there. See `hotloop.worker.torch_record`.
"""

from __future__ import annotations

import importlib
import logging
import operator
from collections.abc import Callable
from typing import Any, cast

from torch.utils._pytree import tree_leaves

from hotloop.worker.torch_record import Recorder, packed

torch: Any = importlib.import_module("torch")  # torch publishes few types
aot_autograd: Any = importlib.import_module("torch._dynamo.backends.common").aot_autograd
TracingContext: Any = importlib.import_module("torch._guards").TracingContext
is_fake: Any = importlib.import_module("torch._subclasses.fake_tensor").is_fake
disable_modes: Any = importlib.import_module("torch.utils._python_dispatch")._disable_current_modes

logging.getLogger("torch._dynamo").setLevel(logging.CRITICAL)


class GraphRecorder(Recorder):
    """The steps of all calls, graphs of TorchDynamo among them.

    More steps: ["graph", number, nodes], and ["run", number, arguments, storages of the results].
    """

    graphs = 0

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Return True: TorchDynamo would compile nothing otherwise."""
        return True

    def backend(self) -> Callable[..., Any]:
        """Return the backend for `torch.compile` that records graphs without gradients."""
        return aot_autograd(fw_compiler=self._graph, keep_inference_input_mutations=True)

    def taken(self) -> str:
        """Return the steps since the last time, packed. Raises RuntimeError if there is no list."""
        if self.unfollowed:
            raise RuntimeError(f"the judge cannot repeat {self.unfollowed}")
        steps = packed(self.steps)
        self.steps.clear()
        return steps

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Record what is computed, and not what a compiler tries."""
        tensors = [each for each in tree_leaves((args, kwargs)) if isinstance(each, torch.Tensor)]
        tried = any(each.device.type == "meta" or is_fake(each) for each in tensors)
        if tried or TracingContext.try_get() is not None:
            return func(*args, **(kwargs or {}))
        return super().__torch_dispatch__(func, types, args, kwargs)

    def _graph(self, graph: Any, _inputs: object) -> Callable[..., Any]:
        number = self.graphs
        self.graphs += 1
        self.steps.append(["graph", number, self._nodes(graph)])

        def run(*arguments: Any) -> Any:
            with disable_modes():
                recorded = self.encoded(list(arguments))
                results = graph.forward(*arguments)
                numbers = [self.number(t) for t in results if isinstance(t, torch.Tensor)]
            self.steps.append(["run", number, recorded, numbers])
            return results

        return run

    def _nodes(self, graph: Any) -> list[Any]:
        """Return [kind, name, arguments, named arguments] of each node."""
        places: dict[Any, int] = {node: place for place, node in enumerate(graph.graph.nodes)}

        def value(of: Any) -> Any:
            if isinstance(of, torch.fx.Node):
                return ["node", places[of]]
            if isinstance(of, list | tuple):
                return ["list", [value(each) for each in cast(list[Any], of)]]
            return self.encoded(of)

        nodes: list[Any] = []
        for node in places:
            if node.op == "get_attr":
                nodes.append(["value", "", self.encoded(getattr(graph, node.target)), {}])
                continue
            named = {key: value(each) for key, each in node.kwargs.items()}
            nodes.append([node.op, _name(node.target), value(list(node.args)), named])
        return nodes


def _name(target: Any) -> str:
    if isinstance(target, str | torch._ops.OpOverload):
        return str(target)
    module = "operator" if getattr(operator, target.__name__, None) is target else target.__module__
    return f"{module}.{target.__name__}"
