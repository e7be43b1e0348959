"""Runs a problem's own code in float64, exactly or with random roundings, to derive a tolerance.

PyTorch's dtypes stay as the problem's code sees them, so it runs unchanged, but every tensor holds
float64: a cast inside the problem narrows nothing. In a run with random roundings, each step's
result is rounded to the dtype that the problem gives it, up or down at random, and each sum gets
the error of one float32 accumulator that adds its terms in order. How far such runs lie from the
exact one, element by element, is how far right answers may lie.

Source: Parker, "Monte Carlo Arithmetic: exploiting randomness in floating-point arithmetic", 1997;
Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 4.2, for sums.
"""

import contextlib
import functools
import math

import torch
from torch._decomp import decomposition_table
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten
from torch.utils.weak import WeakTensorKeyDictionary

ATEN = torch.ops.aten

CHUNK = 1 << 20
"""Elements that are rounded at a time."""

FUSED = (
    "_softmax _log_softmax native_layer_norm native_group_norm native_batch_norm "
    "_native_batch_norm_legit _native_batch_norm_legit_functional _batch_norm_with_update "
    "gelu silu mish softplus elu hardswish hardsigmoid logsumexp logaddexp log_sigmoid_forward "
    "var var_mean std std_mean mean linalg_vector_norm norm _euclidean_dist "
    "mse_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits "
    "soft_margin_loss nll_loss_forward nll_loss2d_forward "
    "addmm baddbmm addmv addbmm addr _fused_rms_norm _scaled_dot_product_flash_attention_for_cpu"
)
"""Operations that run in their steps, since other code takes steps of its own."""


def _steps():
    table = {}
    for name in FUSED.split():
        packet = getattr(ATEN, name, None)
        for overload in packet.overloads() if packet else ():
            operation = getattr(packet, overload)
            if operation in decomposition_table:
                table[operation] = decomposition_table[operation]
    return table


STEPS = _steps()


def roundoff(dtype):
    """Return half of the distance from 1 to the next number."""
    return torch.finfo(dtype).eps / 2


class Wide(torch.Tensor):
    """A tensor with a dtype as the problem's code sees it, and float64 values."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, values, dtype):
        """Wrap `values`, whose memory is shared."""
        made = torch.Tensor._make_wrapper_subclass(
            cls, values.shape, strides=values.stride(), dtype=dtype, device=values.device
        )
        made.values = values
        return made

    def __repr__(self):
        """Return the dtype and the values."""
        return f"Wide({self.dtype}, {self.values})"

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        """Refuse what runs outside of a `World`: who has kept it has done so from another call."""
        raise RuntimeError(f"{func} reads a result of an earlier call: the problem keeps state")


class World(TorchDispatchMode):
    """One run in float64. seed: of the random roundings; None for the exact run."""

    def __init__(self, seed=None):
        super().__init__()
        self.random = None if seed is None else torch.Generator().manual_seed(seed)
        self.known = WeakTensorKeyDictionary()
        """The wide tensors of the model's plain ones, which stay the same when written to."""

    def wide(self, value):
        """Return the wide tensor of a floating-point tensor; anything else unchanged."""
        if isinstance(value, Wide) or not isinstance(value, torch.Tensor):
            return value
        if not value.is_floating_point():
            return value
        if value not in self.known:
            self.known[value] = Wide(value.detach().double().clone(), value.dtype)
        return self.known[value]

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Run one operation on the float64 values."""
        with torch._C.DisableTorchFunction():
            return self._dispatched(func, args, kwargs or {})

    def _dispatched(self, func, args, kwargs):
        if self.random is not None:
            with self:
                # What PyTorch itself composes of other functions arrives whole from STEPS.
                made = (STEPS.get(func) or func.decompose)(*args, **kwargs)
            if made is not NotImplemented:
                return made
        if func is ATEN.view.dtype:
            return self._bits(*args)
        flat, spec = tree_flatten((args, kwargs))
        flat = [self.wide(each) for each in flat]
        args, kwargs = tree_unflatten(flat, spec)
        dtypes = self._dtypes(func, flat, args, kwargs)
        values = tree_map(_value, args), tree_map(_value, kwargs)
        out = _computed(func, dtypes, *values)
        results, shape = tree_flatten(out)
        results = [
            self._result(func, args, kwargs, *pair) for pair in zip(results, dtypes, strict=False)
        ]
        return tree_unflatten(results, shape)

    def _bits(self, tensor, dtype):
        """Return the bits of a tensor of the problem's dtype as another dtype."""
        bits = (tensor.values.to(tensor.dtype) if isinstance(tensor, Wide) else tensor).view(dtype)
        return Wide(bits.double(), dtype) if dtype.is_floating_point else bits

    def _dtypes(self, func, flat, args, kwargs):
        """Return the dtypes that the problem's own code would get."""
        metas = tree_map(_meta, (args, kwargs))
        try:
            out = func(*metas[0], **metas[1])
            return [getattr(each, "dtype", None) for each in tree_flatten(out)[0]]
        except Exception:  # noqa: BLE001 - no kernel for shapes only, or sizes that depend on values
            return _Promoted([each for each in flat if isinstance(each, Wide)])

    def _result(self, func, args, kwargs, value, dtype):
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            return value
        given = _written(func, args, kwargs)
        value = value if value.dtype is torch.float64 else value.double()
        if given is None and (source := _source(value, args, kwargs)) is not None:
            if source.dtype is dtype:
                return Wide(value, dtype)
            value = value.clone()  # a cast, which in float64 has nothing to do
        if self.random is not None and dtype is not torch.float64:
            value.copy_(self._rounded(self._added(func, args, kwargs, value), dtype))
        return Wide(value, dtype) if given is None else given

    def _rounded(self, values, dtype):
        """Round up or down at random. Numbers of the dtype stay as they are."""
        found = torch.empty_like(values).flatten()
        for at, part in enumerate(values.flatten().split(CHUNK)):
            start = int(torch.randint(CHUNK, (), generator=self.random))
            noise = _noise(values.device)[start : start + len(part)]
            # Less than half of the distance to the next number of the dtype.
            moved = torch.addcmul(part, part, noise, value=roundoff(dtype) / 2)
            found[at * CHUNK : at * CHUNK + len(part)] = moved.to(dtype)
        return found.reshape(values.shape)

    def _added(self, func, args, kwargs, values):
        """Add the error of one float32 accumulator per sum."""
        found = _terms(func, args, kwargs)
        if found is None or not values.numel():
            return values
        count, squares, lost = found
        # Partial sums are a random walk from 0 to the sum: the mean of their squares.
        walk = (squares.double() * count - values.square()).clamp_(min=0) / 6
        variance = values.square() * count / 3 + walk
        if func.overloadpacket not in (ATEN.sum, ATEN.cumsum):
            # Other code may scale either factor before, which rounds each product twice.
            variance += 8 * squares.double()
        scale = variance.sqrt_() * (roundoff(torch.float32) / 2) + lost
        normal = torch.randn(values.shape, generator=self.random, dtype=torch.float64)
        return values + normal.to(values.device) * scale


@functools.cache
def _noise(device):
    """Return numbers from -1 to 1; a part that starts anywhere is as good as new ones."""
    made = torch.rand(2 * CHUNK, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return (2 * made - 1).to(device)


class _Promoted:
    """The dtypes of results where the operation cannot tell: that of its widest input, each."""

    def __init__(self, given):
        self.dtype = given[0].dtype if given else torch.get_default_dtype()
        for each in given[1:]:
            self.dtype = torch.promote_types(self.dtype, each.dtype)

    def __iter__(self):
        while True:
            yield self.dtype


def _value(each):
    if isinstance(each, Wide):
        return each.values
    return torch.float64 if isinstance(each, torch.dtype) and each.is_floating_point else each


def _meta(each):
    if not isinstance(each, torch.Tensor):
        return torch.device("meta") if isinstance(each, torch.device) else each
    return torch.empty_strided(each.shape, each.stride(), dtype=each.dtype, device="meta")


def _computed(func, dtypes, args, kwargs):
    makes = not any(isinstance(each, torch.Tensor) for each in tree_flatten((args, kwargs))[0])
    if (
        makes
        and not isinstance(dtypes, _Promoted)
        and torch.Tag.nondeterministic_seeded not in (func.tags)
    ):
        takes = any(argument.name == "dtype" for argument in func._schema.arguments)
        if takes and dtypes and dtypes[0] is not None and dtypes[0].is_floating_point:
            kwargs = {**kwargs, "dtype": torch.float64}
    return func(*args, **kwargs)


def _written(func, args, kwargs):
    """Return the argument that the operation writes its result to, if any."""
    for at, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            return args[at] if at < len(args) else kwargs.get(argument.name)
    return None


def _source(value, args, kwargs):
    """Return the argument whose memory a result is in, if any."""
    place = value.untyped_storage().data_ptr()
    given = [each for each in tree_flatten((args, kwargs))[0] if isinstance(each, Wide)]
    found = (each for each in given if each.values.untyped_storage().data_ptr() == place)
    return next(found, None) if place else None


def _terms(func, args, kwargs):
    """Return for each sum the number of terms, the sum of their squares, and what may be lost.

    A term that is less than a rounding of the sum is lost if it is added last. None for no sum.
    """
    packet = func.overloadpacket
    if packet in (ATEN.mm, ATEN.bmm, ATEN.mv, ATEN.dot):
        left, right = (each.values.float().square() for each in args[:2])
        return left.shape[-1], packet(left, right), 0.0
    if packet is ATEN.convolution:
        x, weight, _bias, *rest = args
        count = (
            math.prod(weight.shape[1:])
            if not rest[3]
            else math.prod(weight.shape) // max(1, weight.shape[1])
        )
        with _onednn(on=True):
            squares = packet(x.values.float().square(), weight.values.float().square(), None, *rest)
        return count, squares, 0.0
    if packet in (ATEN.sum, ATEN.cumsum):
        x = args[0].values if isinstance(args[0], Wide) else args[0]
        if packet is ATEN.sum:
            squares = func(x.float().square(), *args[1:], **{**kwargs, "dtype": None})
            return x.numel() / max(1, squares.numel()), squares, _lost(x, *args[1:])
        squares = x.float().square().cumsum(args[1])
        shape = [1] * max(1, x.dim())
        shape[args[1]] = -1
        size = x.shape[args[1]] if x.dim() else 1
        return torch.arange(1, size + 1, device=x.device).reshape(shape), squares, 0.0
    return None


def _lost(x, dims=None, keepdim=False):
    dims = dims or list(range(x.dim()))
    small = x.abs() <= roundoff(torch.float32) * x.sum(dims, keepdim=True).abs()
    return (x * small).sum(dims, keepdim=keepdim).abs() / 2


def run(function, tensors, seed=None):
    """Return what `function` returns for wide tensors, its floating-point tensors as float64.

    function: called with a `World` active and with `tensors`, made wide. seed: as in `World`.
    """
    world = World(seed)
    with torch._C.DisableTorchFunction():
        given = [world.wide(each) for each in tensors]
    with torch.no_grad(), _onednn(on=False), world:
        out = function(*given)
    return tree_map(_value, out)


@contextlib.contextmanager
def _onednn(*, on):
    """Use oneDNN or not: its layers have no float64, and in float32 they are fast."""
    before = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(on)
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(before)
