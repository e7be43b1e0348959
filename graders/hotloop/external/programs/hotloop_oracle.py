"""What is asked of a problem of a public set, and what is right: runs in a confined worker of ours.

`hotloop_form` is the set's form. The judge asks with plain data, and gets tensors in memory of its
own. This process sees no code of the candidate's; its answers are numbers to it.
"""

import functools

import torch
from hotloop_form import DEVICE, WRITES, problem
from hotloop_structure import NAMES, flatten, from_device, rebuilt, unpacked
from torch.utils.flop_counter import FlopCounterMode


class Call:
    """One call with hidden inputs. seed: of the inputs; weights: of the model's parameters."""

    def __init__(self, test, seed, weights, kind):
        self.form, self.sizes = problem(test)
        self.weights = weights
        self.setup = self.form.setup()
        made = []
        self.given = flatten(self.form.arguments(seed, kind), made)
        self.tensors = [tensor.to(DEVICE) for tensor in made]
        self.written = set()
        """Numbers of the inputs that the problem's own code writes its outputs to."""

    def arguments(self):
        """As the problem made them; a copy, as whoever is called may write to it."""
        return rebuilt(self.given, [tensor.clone() for tensor in self.tensors])

    @functools.cached_property
    def parameters(self):
        """What a call reads besides its inputs."""
        return [each for each in self.form.parameters(self.weights) if each.dtype in NAMES]

    @functools.cached_property
    def eager(self):
        """The outputs as the problem's own code computes them."""
        return self._computed(double=False)

    @functools.cached_property
    def truth(self):
        """The outputs in float64."""
        return self._computed(double=True)

    def _computed(self, double):
        given = [tensor.clone() for tensor in self.tensors]
        out = self.form.reference(rebuilt(self.given, given), self.weights, double)
        outputs = list(out) if isinstance(out, (tuple, list)) else [out]
        places = {each.data_ptr() for each in outputs}
        self.written |= {at for at, each in enumerate(given) if each.data_ptr() in places}
        return outputs


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
        "written": sorted(it.written),
        "parameters": [_described(tensor) for tensor in it.parameters],
        "given": it.given,
        "setup": flatten(it.setup, []),
        "sizes": it.sizes,
    }


def _described(tensor):
    return {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape)}


def fill(test, seed, weights, kind, position, out):
    """Write an input."""
    out.copy_(_call(test, seed, weights, kind).tensors[position])


def fill_parameter(test, seed, weights, kind, position, out):
    """Write a parameter."""
    out.copy_(_call(test, seed, weights, kind).parameters[position])


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
    said = _said(it, lambda: unpacked(got))
    if said and (own := _said(it, lambda: it.eager)):
        raise ValueError(f"the problem's check refuses its own reference: {own}")
    SAID.append(said)
    out.fill_(bool(said))


def _said(it, outputs):
    try:
        answer = outputs()
        return it.form.mismatch(it.arguments(), answer[0] if len(answer) == 1 else tuple(answer))
    except Exception as error:  # noqa: BLE001 - of a check that cannot look at such an answer
        return f"{type(error).__name__}: {error}"


SAID = []
"""What the problem's own check has said."""


def last_said():
    """The last of it, cut to a length for a sentence."""
    return SAID[-1][:200]


def _flat(tensors):
    return torch.cat([tensor.double().flatten() for tensor in tensors])


def cost(test, seed, weights, kind):
    """Of a call: bytes that it moves at least once, and the operations of the problem's own code.

    What is returned is copied into the judge's memory; inputs that may be written to are copied
    for the call. Both copies are in the time of whoever is timed.
    """
    it = _call(test, seed, weights, kind)
    with FlopCounterMode(display=False) as counter:
        outputs = it.eager
    given, made, kept = map(_bytes, (it.tensors, outputs, it.parameters))
    moved = given * (3 if WRITES else 1) + kept + 3 * made
    return [moved, float(counter.get_total_flops())]


def _bytes(tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def fill_call(test, seed, weights, kind, *tensors):
    """Write a call's inputs; the last tensor is its output."""
    for target, source in zip(tensors[:-1], _call(test, seed, weights, kind).tensors, strict=True):
        target.copy_(source)
    _forget()


def check_call(allowed, test, seed, weights, kind, *tensors):
    """Note what is wrong with a call: its inputs are changed, or its output is not right.

    allowed: times eager's error, of each number, of the RMS; empty for the problem's own check.
    """
    it = _call(test, seed, weights, kind)
    *inputs, out = tensors
    if not all(map(_same, inputs, it.tensors)):
        SAID.append("Your function changed its input: write to new memory.")
    elif not allowed:
        said = _said(it, lambda: from_device(out, it.eager))
        SAID.append(said and f"Wrong, by the problem's own check: {said}")
    else:
        outputs = zip(from_device(out, it.eager), it.eager, it.truth, strict=True)
        SAID.append(next(filter(None, (_disagreement(*each, *allowed) for each in outputs)), ""))
    _forget()


def taken():
    """What was noted since the last time, a text for each call: empty where all is right."""
    said = [text[:200] for text in SAID]
    SAID.clear()
    return said


def _same(left, right):
    return torch.equal(left.contiguous().view(torch.uint8), right.contiguous().view(torch.uint8))


def _disagreement(got, eager, truth, times, relative, of_rms):
    error, rms = _error(eager, truth)
    truth = truth.double()
    excess = (got.double() - truth).abs() - relative * truth.abs() - times * error - of_rms * rms
    # NaN is neither more nor less.
    wrong = ~(excess <= 0)
    if not wrong.any():
        return ""
    at = int(wrong.flatten().long().argmax())
    values = [float(each.flatten()[at]) for each in (got, truth)]
    return (
        f"Wrong: at element {at}: got {values[0]:.6g}, expected {values[1]:.6g}; "
        f"{int(wrong.sum())} of {wrong.numel()} elements differ."
    )


def _forget():
    """Leave the card's memory to whoever is timed."""
    _call.cache_clear()
    if DEVICE == "cuda":
        torch.cuda.empty_cache()
