"""The oracle: makes hidden inputs and expected outputs of a problem, in a trusted sandboxed worker.

`hotloop_form` is the module for the set's format. The judge passes plain data, and tensors in its
own memory. This process runs no code of the candidate; it sees the candidate's outputs as numbers.
"""

import functools

import torch
from hotloop_form import DEVICE, WRITES, problem
from hotloop_structure import NAMES, flatten, from_device, rebuilt, unpacked
from torch.utils.flop_counter import FlopCounterMode


class Call:
    """One call with hidden inputs. seed: of the inputs; weights: seed of the model's parameters."""

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
        """Return the problem's arguments, cloned because the called function may write to them."""
        return rebuilt(self.given, [tensor.clone() for tensor in self.tensors])

    @functools.cached_property
    def parameters(self):
        """What a call reads besides its inputs."""
        return [each for each in self.form.parameters(self.weights) if each.dtype in NAMES]

    @functools.cached_property
    def eager(self):
        """The outputs of the problem's own code."""
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
    """Return shapes and dtypes of the inputs and outputs, and how the arguments nest.

    Returns None for a call that is too large for this machine.
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
    """Write the input at `position` into `out`."""
    out.copy_(_call(test, seed, weights, kind).tensors[position])


def fill_parameter(test, seed, weights, kind, position, out):
    """Write a parameter."""
    out.copy_(_call(test, seed, weights, kind).parameters[position])


def answers(test, seed, weights, kind, out):
    """Write the outputs in float64, flattened and concatenated, into `out`."""
    out.copy_(_flat(_call(test, seed, weights, kind).truth))


def errors(*call):
    """Return for each output the problem's own largest error against float64, and the RMS."""
    it = _call(*call)
    return [_error(*pair) for pair in zip(it.eager, it.truth, strict=True)]


def _error(eager, truth):
    if not truth.numel():
        return [0.0, 0.0]
    truth = truth.double()
    return [(eager.double() - truth).abs().max().item(), truth.square().mean().sqrt().item()]


def own_check(test, seed, weights, kind, got, out):
    """Run the problem's own check on the packed outputs `got`.

    Sets out[0] to 0 if it passes, else to 1. Raises ValueError if the check also rejects the
    problem's own outputs.
    """
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
"""Messages of the problem's own check."""


def last_said():
    """Return the last message, cut to 200 characters."""
    return SAID[-1][:200]


def _flat(tensors):
    return torch.cat([tensor.double().flatten() for tensor in tensors])


def cost(test, seed, weights, kind):
    """Return the bytes that a call must move, and the operations of the problem's own code.

    The output is copied into the judge's memory; inputs that may be written to are copied before
    the call. Both copies are part of the timed work.
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
    """Write a call's inputs; the last tensor is its output and is left alone."""
    for target, source in zip(tensors[:-1], _call(test, seed, weights, kind).tensors, strict=True):
        target.copy_(source)
    _forget()


def check_call(allowed, test, seed, weights, kind, *tensors):
    """Record what is wrong with a call: a changed input, or a wrong output.

    allowed: factors of eager's error, of each number, and of the RMS; empty to use the problem's
    own check.
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
    """Return the messages since the last call of this, one per checked call; "" if it was right."""
    said = [text[:200] for text in SAID]
    SAID.clear()
    return said


def _same(left, right):
    return torch.equal(left.contiguous().view(torch.uint8), right.contiguous().view(torch.uint8))


def _disagreement(got, eager, truth, times, relative, of_rms):
    error, rms = _error(eager, truth)
    truth = truth.double()
    excess = (got.double() - truth).abs() - relative * truth.abs() - times * error - of_rms * rms
    # A comparison with NaN is false, so NaN counts as wrong.
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
    """Free the device memory for the timed process."""
    _call.cache_clear()
    if DEVICE == "cuda":
        torch.cuda.empty_cache()
