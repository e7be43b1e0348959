"""What is asked of a problem of a public set, and what is right: runs in a confined worker of ours.

`hotloop_form` is the set's form. The judge asks with plain data, and gets tensors in memory of its
own. This process sees no code of the candidate's; its answers are numbers to it.
"""

import functools

import torch
from hotloop_form import problem
from hotloop_structure import NAMES, flatten, rebuilt, unpacked


class Call:
    """One call with hidden inputs. seed: of the inputs; weights: of the model's parameters."""

    def __init__(self, test, seed, weights, kind):
        self.form, self.sizes = problem(test)
        self.weights = weights
        self.setup = self.form.setup()
        self.tensors = []
        self.given = flatten(self.form.arguments(seed, kind), self.tensors)

    def arguments(self):
        """As the problem made them; a copy, as whoever is called may write to it."""
        return rebuilt(self.given, [tensor.clone() for tensor in self.tensors])

    @functools.cached_property
    def eager(self):
        """The outputs as the problem's own code computes them."""
        return self._computed(double=False)

    @functools.cached_property
    def truth(self):
        """The outputs in float64."""
        return self._computed(double=True)

    def _computed(self, double):
        out = self.form.reference(self.arguments(), self.setup, self.weights, double)
        return list(out) if isinstance(out, (tuple, list)) else [out]


_call = functools.lru_cache(maxsize=2)(Call)


def describe(*call):
    """Shapes and dtypes of the inputs and outputs, and how the arguments are put together.

    None for a call that is too large for this machine.
    """
    it = _call(*call)
    if not it.form.fits(it.tensors):
        return None
    return {
        "inputs": [_described(tensor) for tensor in it.tensors],
        "outputs": [_described(tensor) for tensor in it.eager],
        "given": it.given,
        "setup": flatten(it.setup, []),
        "sizes": it.sizes,
    }


def _described(tensor):
    return {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape)}


def fill(test, seed, weights, kind, position, out):
    """Write an input."""
    out.copy_(_call(test, seed, weights, kind).tensors[position])


def answers(test, seed, weights, kind, out):
    """Write the outputs in float64, one behind the other."""
    out.copy_(_flat(_call(test, seed, weights, kind).truth))


def errors(*call):
    """Of each output: the most by which the problem's own code misses float64, and its RMS."""
    it = _call(*call)
    return [_error(*pair) for pair in zip(it.eager, it.truth, strict=True)]


def _error(eager, truth):
    if not truth.numel():
        return [0.0, 0.0]
    truth = truth.double()
    return [(eager.double() - truth).abs().max().item(), truth.square().mean().sqrt().item()]


def own_check(test, seed, weights, kind, got, out):
    """Have the problem's own check look at the outputs; out[0] is 0 where it is content."""
    it = _call(test, seed, weights, kind)
    try:
        outputs = unpacked(got)
        answer = outputs[0] if len(outputs) == 1 else tuple(outputs)
        said = it.form.mismatch(it.arguments(), answer)
    except Exception as error:  # noqa: BLE001 - about the answer, whatever it is
        said = f"{type(error).__name__}: {error}"
    SAID.append(said)
    out.fill_(bool(said))


SAID = []
"""What the problem's own check has said."""


def last_said():
    """The last of it, cut to a length for a sentence."""
    return SAID[-1][:200]


def _flat(tensors):
    return torch.cat([tensor.double().flatten() for tensor in tensors])
