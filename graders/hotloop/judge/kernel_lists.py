"""What a checked Triton kernel may use: allow lists, and sentences for what is refused.

The interpreter that runs these kernels is plain Python. A single extra name or attribute could let
a kernel reach the code that counts its bytes. Hence allow lists, not deny lists. The sentences only
say what to write instead; a name without one is refused just the same.
"""

import re
from collections.abc import Mapping

SUMMARY = """\
The kernels are taken out of this file and run alone, in a part of Triton's language: functions of
`tl`, `tl.math` and libdevice, methods of tensors, arithmetic, `for`, `while`, `if`, numbers, short
texts, constants of this file and its @triton.jit functions. Asserts and prints are left out. What
@triton.autotune and @triton.heuristics choose is taken from the launch. Block pointers, inline
assembly, lambdas, classes, `break` and what other files define are refused."""
"""What stands at the head of each file of kernels and on the page about them."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MAX_INTEGER_BITS = 64

DTYPES = _words(
    "int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 "
    "float8e4nv float8e4b8 float8e4b15 float8e5 float8e5b16"
)
MATH = _words(
    "abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi"
)
"""Functions of `tl` that `tl.math` and libdevice have too, with the same meaning."""

LIBDEVICE = _words(
    "acos acosh asin asinh atan atan2 atanh cbrt copysign cosh cospi erfc exp10 expm1 fast_cosf "
    "fast_dividef fast_expf fast_log10f fast_log2f fast_logf fast_powf fast_sinf fast_tanf "
    "fdim finitef fmod hypot isfinited isinf isnan lgamma log10 log1p nearbyint pow "
    "rcbrt rint round saturatef signbit sinh sinpi tan tanh tgamma trunc"
)
"""Functions of `triton.language.extra.libdevice`, besides those in `MATH`."""

ATOMICS = _words(
    "atomic_add atomic_and atomic_cas atomic_load atomic_max atomic_min atomic_or atomic_poll "
    "atomic_store atomic_xchg atomic_xor"
)
LANGUAGE = (
    DTYPES
    | MATH
    | ATOMICS
    | _words(
        "program_id num_programs arange zeros zeros_like full cat cast broadcast broadcast_to "
        "expand_dims interleave join permute ravel reshape split trans view where squeeze "
        "unsqueeze load store make_tensor_descriptor load_tensor_descriptor "
        "store_tensor_descriptor dot dot_scaled clamp maximum minimum sigmoid softmax cdiv add sub "
        "mul sum max min argmax argmin reduce associative_scan cumsum cumprod xor_sum reduce_or "
        "sort topk bitonic_merge flip histogram gather swizzle2d range static_range assume "
        "debug_barrier multiple_of max_contiguous max_constancy constexpr pointer_type to_tensor "
        "rand rand4x randn randn4x randint randint4x philox uint_to_uniform_float "
        "pair_uniform_to_normal TRITON_MAX_TENSOR_NUMEL PropagateNan.ALL PropagateNan.NONE"
    )
)
"""Names of `triton.language`."""

TRITON = _words("cdiv next_power_of_2")
"""Functions of `triton`."""

BUILTINS = _words("range min max len float int")
"""Functions of Python."""

MEMBERS = (
    MATH
    | ATOMICS
    | _words(
        "dtype shape numel type value element_ty scalar primitive_bitwidth int_bitwidth "
        "block_shape strides T to cast broadcast_to trans permute split view reshape ravel item "
        "expand_dims max argmax min argmin sum xor_sum reduce_or cumsum cumprod flip sort "
        "histogram reduce associative_scan gather load store scatter cdiv logical_and logical_or "
        "sigmoid softmax is_block is_bool is_floating is_standard_floating is_int is_int_signed "
        "is_int_unsigned is_ptr is_fp8 is_fp8e4nv is_fp8e5 is_fp16 is_bf16 is_fp32 is_fp64 "
        "is_int1 is_int8 is_int16 is_int32 is_int64 is_uint8 is_uint16 is_uint32 is_uint64"
    )
)
"""Attributes and methods of tensors, dtypes and descriptors."""

DROPPED = _words("static_assert static_print device_assert device_print")
"""Functions of `triton.language` that change no memory, so statements that call them are left out,
as are `assert` and `print`."""

NUMBERS = _words("pi e tau inf nan")
"""Constants that `math`, `numpy` and `torch` have."""

NUMBER_FUNCTIONS = _words("sqrt exp exp2 log log2 log10 log1p expm1 sin cos tanh floor ceil pow")
"""Functions of `math` and `numpy` in constants."""

_TEXT = re.compile(r"(?!.*__)[A-Za-z0-9_.+ -]{0,64}")

TEXTS = "a text in a kernel has at most 64 letters, digits, spaces and `_ . + -`, and no `__`"
"""What `is_text` accepts, in words."""

_BLOCK_POINTER = (
    "Triton 3.9 has no block pointers any more: use tl.make_tensor_descriptor, or pointer "
    "arithmetic with a mask"
)
_ASSEMBLY = "Triton's interpreter runs no assembly: write it with `tl` functions"
INSTEAD: Mapping[str, str] = {
    "make_block_ptr": _BLOCK_POINTER,
    "advance": _BLOCK_POINTER,
    "inline_asm_elementwise": _ASSEMBLY,
    "libdevice": "Triton's interpreter cannot run it: write it with `tl` functions",
    "map_elementwise": "Triton's interpreter cannot run it: write it with tl.where",
    "condition": "Triton's interpreter cannot run it: use a plain `while`",
    "target_info": "a kernel is checked for several GPUs: give the launch a tl.constexpr instead",
    "getattr": "write the attribute itself",
    "hasattr": "give the launch a tl.constexpr and compare it instead",
    "isinstance": "give the launch a tl.constexpr and compare it instead",
    "abs": "Triton does not compile it: use tl.abs",
}
"""What to write instead of a name, by a part of what it stands for."""

CONSTRUCTS: Mapping[str, str] = {
    "Import": "an import inside a kernel: import at the top of the file",
    "ImportFrom": "an import inside a kernel: import at the top of the file",
    "FunctionDef": "a function inside a kernel: put it at the top level, with @triton.jit",
    "ClassDef": "a class inside a kernel",
    "Lambda": "a lambda: write a @triton.jit function",
    "JoinedStr": "an f-string outside of an assert or a print",
    "Dict": "a dictionary: use a tuple, or constants of their own",
    "Set": "a set: use a tuple",
    "ListComp": "a comprehension: write its elements, or loop with tl.static_range",
    "DictComp": "a comprehension",
    "SetComp": "a comprehension",
    "GeneratorExp": "a generator: use a tuple",
    "Try": "`try`: Triton has no exceptions",
    "Raise": "`raise`: Triton has no exceptions; use tl.device_assert",
    "With": "`with`",
    "Global": "`global`: return the value instead",
    "Nonlocal": "`nonlocal`",
    "Delete": "`del`",
    "Starred": "`*` outside of a call's arguments",
    "Break": "`break`, which Triton does not compile: put its condition into `while`, or use masks",
    "Continue": "`continue`, which Triton does not compile: use `if`",
    "Match": "`match`: use `if` and `elif`",
    "Yield": "`yield`",
    "Await": "`await`",
}
"""Refused constructs of Python, by their class in `ast`."""


def is_text(text: str) -> bool:
    """Return True for a text that a kernel may hold, as in `ACTIVATION == "leaky_relu"`.

    Without `%`, `{` and `__`, no text can format an object or name what is inside of one.
    """
    return _TEXT.fullmatch(text) is not None
