"""The oracle: makes hidden inputs and expected outputs of a problem, in a trusted sandboxed worker.

`hotloop_form` is the module for the set's format. The judge passes plain data, and tensors in its
own memory. This process runs no code of the candidate; it sees the candidate's outputs as numbers.
"""

import functools
import os
import time

import torch
from hotloop_bounds import bounds, undecided, within
from hotloop_form import DEVICE, WRITES, problem
from hotloop_structure import NAMES, Unfit, flatten, from_device, rebuilt, unpacked
from hotloop_without_gpu import on_this_device
from hotloop_worlds import run
from torch.utils.flop_counter import FlopCounterMode

# There is no network here: a problem that asks for weights hears so at once, without new attempts.
os.environ["HF_HUB_OFFLINE"] = "1"

RUNS, FEWEST_RUNS = 5, 3
"""Runs with random roundings from which a tolerance is derived; fewer of slow ones, and on a GPU.
"""
SLOW_S = 0.3
"""Processor time of a slow run."""

MOST_APART = 64
"""How far two results of the same code may be apart, in steps of their dtype: on a GPU, sums may
change their order."""


class OracleCall:
    """One call with hidden inputs. seed: of the inputs; weights: seed of the model's parameters."""

    def __init__(self, test, seed, weights, kind):
        self.form, self.sizes = problem(test)
        self.weights, self.seed = weights, seed
        self.setup = self.form.setup()
        made = []
        given = self.form.arguments(seed, kind)
        try:
            self.given = flatten(given, made)
        except TypeError as error:
            raise Unfit(f"its arguments cannot be handed to another process: {error}") from error
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
        return self._computed(self.seed)

    @functools.cached_property
    def truth(self):
        """The outputs in float64; those of the problem's own code where it brings its own check."""
        return self.eager if self.checks_itself else self._in_float64(None)

    @property
    def checks_itself(self):
        """Whether the problem brings its own check."""
        return hasattr(self.form, "mismatch")

    @functools.cached_property
    def bounds(self):
        """The lowest and the highest right numbers of each output."""
        begin = time.process_time()
        runs = [self._in_float64(self.seed)]
        slow = DEVICE == "cuda" or time.process_time() - begin > SLOW_S
        more = range(1, FEWEST_RUNS if slow else RUNS)
        runs += [self._in_float64(self.seed + number) for number in more]
        return [
            bounds(*each)
            for each in zip(self.truth, self.eager, zip(*runs, strict=True), strict=True)
        ]

    def require_fit(self):
        """Raise Unfit if no answer can be judged, whatever it is."""
        if unknown := {each.dtype for each in self.eager} - {*NAMES}:
            raise Unfit(f"its output is {', '.join(map(str, unknown))}")
        again = self._computed(self.seed + 1)
        if self.checks_itself:
            if said := _said(self, lambda: again):
                raise Unfit(f"its own check refuses its own reference: {said}")
        elif not all(map(_alike, self.eager, again)):
            raise Unfit(
                "its results differ from call to call: it draws random numbers, as dropout does "
                "in training, or keeps something of earlier calls"
            )

    def undecided(self):
        """Return why a wrong answer would not be refused; "" if it would."""
        if self.checks_itself:
            zeros = [torch.zeros_like(each) for each in self.eager]
            return "" if _said(self, lambda: zeros) else "its own check takes zeros"
        why = (
            undecided(exact, *limits, floating=eager.is_floating_point())
            for exact, eager, limits in zip(self.truth, self.eager, self.bounds, strict=True)
        )
        return next(filter(None, why), "")

    def again(self):
        """Return the outputs of the problem's own code, computed anew."""
        return self._computed(self.seed)

    def _computed(self, seed):
        given = [tensor.clone() for tensor in self.tensors]
        torch.manual_seed(seed)
        with torch.no_grad(), on_this_device():
            outputs = _listed(self.form.function(self.weights)(rebuilt(self.given, given)))
        places = {each.data_ptr() for each in outputs}
        self.written |= {at for at, each in enumerate(given) if each.data_ptr() in places}
        return [each.clone() for each in outputs]

    def _in_float64(self, rounding):
        """Return the outputs in float64, with roundings from a seed; exact ones for None."""
        torch.manual_seed(self.seed)
        with on_this_device():
            own = self.form.function(self.weights)
            return _listed(run(lambda *x: own(rebuilt(self.given, x)), self.tensors, rounding))


def _alike(one, other):
    """Return whether two results of the same code on the same inputs are as good as equal."""
    if not one.is_floating_point():
        return torch.equal(one, other)
    room = MOST_APART * torch.finfo(one.dtype).eps
    one, other = one.double(), other.double()
    size = one[one.isfinite()].square().mean().sqrt().nan_to_num()
    return torch.allclose(one, other, room, (room * size).item(), equal_nan=True)


def _listed(out):
    outputs = list(out) if isinstance(out, (tuple, list)) else [out]
    for each in outputs:
        if not isinstance(each, torch.Tensor):
            raise Unfit(f"it returns a {type(each).__name__}; judged are tensors")
    return outputs


@functools.lru_cache(maxsize=2)
def _call(*call):
    with on_this_device():
        return OracleCall(*call)


def describe(*call):
    """Return shapes and dtypes of the inputs and outputs, and how the arguments nest.

    Returns None for a call that is too large for this machine, and why a problem is `unfit`.
    """
    try:
        it = _call(*call)
        if not it.form.fits(it.tensors):
            return None
        it.require_fit()
        undecided = it.undecided()
    except Unfit as error:
        return {"unfit": str(error)}
    except ModuleNotFoundError as error:
        return {"unfit": f"it needs the package {error.name}, which is not installed here"}
    except Exception as error:  # noqa: BLE001 - of the problem's own code
        if "huggingface.co" in str(error):
            return {"unfit": "it needs weights from the Hugging Face hub, and has no network here"}
        return {"unfit": f"it raises {type(error).__name__}: {str(error).strip()[:300]}"}
    return {
        "inputs": [_described(tensor) for tensor in it.tensors],
        "outputs": [_described(tensor) for tensor in it.eager],
        "written": sorted(it.written),
        "parameters": [_described(tensor) for tensor in it.parameters],
        "given": it.given,
        "setup": flatten(it.setup, []),
        "sizes": it.sizes,
        "undecided": undecided,
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


def lowest(test, seed, weights, kind, out):
    """Write the lowest right numbers, in the form of `answers`."""
    out.copy_(_flat([low for low, _ in _call(test, seed, weights, kind).bounds]))


def highest(test, seed, weights, kind, out):
    """Write the highest right numbers, in the form of `answers`."""
    out.copy_(_flat([high for _, high in _call(test, seed, weights, kind).bounds]))


def own_check(test, seed, weights, kind, got, out):
    """Run the problem's own check on the packed outputs `got`.

    Sets out[0] to 0 if it passes, else to 1.
    """
    said = _said(_call(test, seed, weights, kind), lambda: unpacked(got))
    SAID.append(said)
    out.fill_(bool(said))


def _said(it, outputs):
    try:
        answer = outputs()
        with on_this_device():
            return it.form.mismatch(
                it.arguments(), answer[0] if len(answer) == 1 else tuple(answer)
            )
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


def flops(test, seed, weights, kind):
    """Return the operations in the products of the problem's own code."""
    it = _call(test, seed, weights, kind)
    with FlopCounterMode(display=False) as counter:
        it.again()
    return float(counter.get_total_flops())


def _bytes(tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def fill_call(test, seed, weights, kind, *tensors):
    """Write a call's inputs; the last tensor is its output and is left alone."""
    for target, source in zip(tensors[:-1], _call(test, seed, weights, kind).tensors, strict=True):
        target.copy_(source)
    _forget()


def check_call(test, seed, weights, kind, *tensors):
    """Record what is wrong with a call: a changed input, or a wrong output."""
    it = _call(test, seed, weights, kind)
    *inputs, out = tensors
    if not all(map(_same, inputs, it.tensors)):
        SAID.append("Your function changed its input: write to new memory.")
    elif it.checks_itself:
        said = _said(it, lambda: from_device(out, it.eager))
        SAID.append(said and f"Wrong, by the problem's own check: {said}")
    else:
        outputs = zip(from_device(out, it.eager), it.truth, it.bounds, strict=True)
        SAID.append(next(filter(None, (_disagreement(*each) for each in outputs)), ""))
    _forget()


def taken():
    """Return the messages since the last call of this, one per checked call; "" if it was right."""
    said = [text[:200] for text in SAID]
    SAID.clear()
    return said


def _same(left, right):
    return torch.equal(left.contiguous().view(torch.uint8), right.contiguous().view(torch.uint8))


def _disagreement(got, truth, limits):
    wrong = ~within(got.double(), *limits)
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
