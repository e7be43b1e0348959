"""Forms that people write in Triton kernels: those that a checked kernel may have, and others.

A form is part of a kernel that computes `y` from `x`, both float32 of BLOCK elements:

    before
    @triton.jit
    def k(x_ptr, out_ptr, n, BLOCK: tl.constexpr, parameters):
        i = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n, other=0.0)
        body
        tl.store(out_ptr + i, y, mask=i < n)
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Form:
    """A part of a kernel.

    before: lines above the kernel's decorators. decorators: those above @triton.jit. parameters,
    arguments: further ones. recorded: arguments that the decorators choose.
    """

    body: str
    before: str = ""
    decorators: str = ""
    jit: str = "@triton.jit"
    parameters: str = ""
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    recorded: dict[str, Any] = field(default_factory=dict[str, Any])
    imports: str = "import triton\nimport triton.language as tl"

    @property
    def source(self) -> str:
        """The learner's file."""
        parameters = f", {self.parameters}" if self.parameters else ""
        body = "\n".join(f"    {line}" for line in self.body.splitlines())
        head = "\n".join(filter(None, [self.imports, self.before, self.decorators, self.jit]))
        language = "T" if "as T" in self.imports else "tl"
        return f"""{head}
def k(x_ptr, out_ptr, n, BLOCK: {language}.constexpr{parameters}):
    i = {language}.arange(0, BLOCK)
    x = {language}.load(x_ptr + i, mask=i < n, other=0.0)
{body}
    {language}.store(out_ptr + i, y, mask=i < n)
"""


_HELPER = "@triton.jit\ndef double(a):\n    return a * 2\n"
_PUT = "@triton.jit\ndef put(p, a):\n    tl.store(p, a)\n    return 0\n"
_ADD = "@triton.jit\ndef add(a, b):\n    return a + b\n"

ACCEPTED: dict[str, Form] = {
    name: Form(body)
    for name, body in {
        # --- asserts and prints
        "assert": "assert BLOCK >= 32\ny = x",
        "assert with a text": 'assert BLOCK >= 32, "at least one warp, or it is slow!"\ny = x',
        "assert with an f-string": 'assert BLOCK % 2 == 0, f"odd: {BLOCK=}"\ny = x',
        "static_assert": "tl.static_assert(BLOCK >= 32)\ny = x",
        "static_assert with a text": 'tl.static_assert(BLOCK >= 32, "at least one warp")\ny = x',
        "static_assert with an f-string": 'tl.static_assert(BLOCK > 1, f"got {BLOCK}")\ny = x',
        "device_assert": "tl.device_assert(n > 0)\ny = x",
        "device_assert with a text": 'tl.device_assert(i >= 0, "a negative index: why?")\ny = x',
        "device_print": 'tl.device_print("x", x)\ny = x',
        "device_print in hexadecimal": 'tl.device_print("x: ", x, hex=True)\ny = x',
        "static_print": 'tl.static_print("BLOCK is", BLOCK)\ny = x',
        "print": 'print("pid", tl.program_id(0), x)\ny = x',
        "print of an f-string": 'tl.static_print(f"BLOCK={BLOCK}")\ny = x',
        "print under if": 'if n < 0:\n    print("negative")\ny = x',
        "print in else": 'if n > 0:\n    y = x\nelse:\n    y = x + 1\n    tl.device_print("odd")',
        "prints only in a loop": 'for j in range(2):\n    tl.device_print("j")\ny = x',
        "docstring with a def": '"""As in\n\ndef double(x):\n    return 2 * x\n"""\ny = x',
        "docstring": '"""Copy.\n\nA `%s` and {braces}."""\ny = x',
        # --- control flow
        "for range": "y = x\nfor j in range(3):\n    y += j",
        "for range of a runtime number": "y = x\nfor j in range(0, n, BLOCK):\n    y += 1",
        "for tl.range": "y = x\nfor j in tl.range(0, 3, num_stages=2):\n    y += j",
        "for tl.range, flat": "y = x\nfor j in tl.range(0, 3, 1, flatten=True):\n    y += j",
        "for static_range": "y = x\nfor j in tl.static_range(3):\n    y += j",
        "for static_range with start": "y = x\nfor j in tl.static_range(1, 4):\n    y += j",
        "nested for": "y = x\nfor a in range(2):\n    for b in range(2):\n        y += a * b",
        "while": "y = x\nj = 0\nwhile j < n:\n    y += 1.0\n    j += BLOCK",
        "while with and": "y = x\nj = 0\nwhile (j < n) & (j < 3):\n    y += 1.0\n    j += 1",
        "if else": "if n > 3:\n    y = x\nelse:\n    y = -x",
        "elif": "if BLOCK == 1:\n    y = x\nelif BLOCK == 128:\n    y = x * 2\nelse:\n    y = -x",
        "if of a constexpr": "y = x\nif BLOCK >= 64:\n    y = x + 1",
        "if expression": "y = x * 2 if BLOCK > 64 else x",
        "if of a dtype": "z = x.to(tl.float16) if x.dtype == tl.float32 else x\n"
        "y = z.to(tl.float32)",
        "early return": "y = x\nif n < 0:\n    return",
        "pass": "pass\ny = x",
        "for tl.range with stages by position": "y = x\nfor j in tl.range(0, 3, 1, 2):\n    y += j",
        "walrus": "y = (z := x + 1) * z",
        "chained comparison": "y = tl.where((0 < x) & (x < 5), x, 0.0)",
        "unpacking": "a, b = x, 2.0\ny = a * b",
        "unpacked numbers": "acc, j = 0.0, 0\nwhile j > n:\n    acc += 1.0\n    j += 1\n"
        "y = x + acc.to(tl.float32) + j.to(tl.float32)",
        "unpacked hash": "h, prime = 2166136261, 16777619\nh = (h ^ i) * prime\n"
        "y = x + (h >> 15).to(tl.float32)",
        "swap": "a, b = x, x * 2\na, b = b, a\ny = a - b",
        "tuple by index": "pair = (x, x * 2)\ny = pair[0] + pair[1]",
        "star in a call": "pair = (x, x * 2)\ny = tl.maximum(*pair)",
        "augmented": "y = x\ny += 1\ny *= 2\ny -= 3\ny /= 4",
        "not of a constexpr": "y = x\nif not BLOCK == 64:\n    y = x + 1",
        "is None": "scale = None\ny = x if scale is None else x * 2",
        # --- annotations
        "constexpr variable": "C: tl.constexpr = 4\ny = x * C",
        "constexpr variable in quotes": 'C: "tl.constexpr" = 4\ny = x * C',
        "dtype annotation": "c: tl.float32 = 2.0\ny = x * c",
        "annotated number's method": "c: tl.float32 = 2.0\ny = x * c.to(tl.float16)",
        "plain annotation": "c: float = 2.0\ny = x * c",
        "tensor annotation": "c: tl.tensor = x * 2\ny = c",
        # --- numbers
        "hexadecimal": "y = x + 0xFF",
        "binary": "y = x + 0b101",
        "underscores": "y = x + 1_000",
        "exponent": "y = x * 1e-3",
        "inf": 'y = tl.where(x > 0, x, float("inf"))',
        "minus inf": 'y = tl.maximum(x, -float("inf"))',
        "minus inf in a text": 'y = tl.maximum(x, float("-inf"))',
        "floor division and modulo": "j = i // 3 + i % 5\ny = x + j",
        "shifts": "j = (i << 2) >> 1\ny = x + j",
        "bits": "j = (i & 7) | (i ^ 3)\ny = x + j",
        "invert": "j = ~i\ny = x + j",
        "power of a constexpr": "C: tl.constexpr = 2 ** 3\ny = x * C",
        "bool": "flag: tl.constexpr = True\ny = x if flag else -x",
        # --- math
        "exp": "y = tl.exp(x)",
        "math.exp": "y = tl.math.exp(x)",
        "exp2 and log2": "y = tl.exp2(tl.log2(tl.abs(x) + 1))",
        "sqrt and rsqrt": "y = tl.sqrt(tl.abs(x)) + tl.rsqrt(tl.abs(x) + 1)",
        "sqrt_rn and div_rn": "y = tl.div_rn(tl.sqrt_rn(tl.abs(x)), 3.0)",
        "sin and cos": "y = tl.sin(x) + tl.cos(x)",
        "erf": "y = 0.5 * x * (1 + tl.erf(x * 0.7071))",
        "floor and ceil": "y = tl.floor(x * 1.5) + tl.ceil(x * 1.5)",
        "fma": "y = tl.fma(x, x, x)",
        "fdiv": "y = tl.fdiv(x, 2.0)",
        "sigmoid": "y = tl.sigmoid(x)",
        "softmax": "y = tl.softmax(x)",
        "methods": "y = x.abs().sqrt().exp()",
        "clamp": "y = tl.clamp(x, -1.0, 1.0)",
        "clamp by maximum": "y = tl.minimum(tl.maximum(x, 0.0), 6.0)",
        "umulhi": "y = x + tl.umulhi(i.to(tl.uint32), i.to(tl.uint32)).to(tl.float32)",
        "abs method": "y = x.abs()",
        "where": "y = tl.where(x > 0, x, 0.01 * x)",
        "maximum with NaN": "y = tl.maximum(x, 1.0, propagate_nan=tl.PropagateNan.ALL)",
        "maximum without NaN": "y = tl.maximum(x, 1.0, propagate_nan=tl.PropagateNan.NONE)",
        # --- dtypes and casts
        "to": "y = x.to(tl.float16).to(tl.float32)",
        "cast": "y = tl.cast(tl.cast(x, tl.int32), tl.float32)",
        "bitcast": "y = x.to(tl.int32, bitcast=True).to(tl.float32, bitcast=True)",
        "element_ty": "y = x.to(out_ptr.dtype.element_ty)",
        "type.element_ty": "y = x.to(out_ptr.type.element_ty)",
        "is_floating": "y = x * 2 if x.dtype.is_floating() else x",
        "is_ptr": "y = x * 2 if x_ptr.dtype.is_ptr() else x",
        "primitive_bitwidth": "y = x + x.dtype.primitive_bitwidth",
        "bitwidth of a dtype": "y = x + tl.float16.primitive_bitwidth",
        "dtype in a variable": "kind: tl.constexpr = tl.float32\ny = x.to(kind)",
        "numel": "y = x + x.numel",
        "shape": "y = x + x.shape[0]",
        "shape on the left": "y = x + tl.sum(x.shape[0] * x, 0)",
        "len of the shape": "y = x + len(x.shape)",
        "pointer_type": "p = x_ptr.to(tl.pointer_type(tl.int32))\n"
        "y = tl.load(p + i, mask=i < n, other=0).to(tl.float32, bitcast=True)",
        # --- shapes
        "None index": "y = tl.sum(x[:, None] + tl.zeros([1, 2], tl.float32), 1)",
        "expand_dims": "y = tl.sum(tl.expand_dims(x, 1), 1)",
        "reshape": "y = tl.reshape(tl.reshape(x, (BLOCK // 2, 2)), (BLOCK,))",
        "reshape method": "y = x.reshape(BLOCK // 2, 2).reshape(BLOCK)",
        "view": "y = tl.view(x, [BLOCK])",
        "trans": "y = tl.trans(x.reshape(2, BLOCK // 2)).reshape(BLOCK)",
        "T": "y = x.reshape(2, BLOCK // 2).T.reshape(BLOCK)",
        "permute": "y = tl.permute(x.reshape(2, BLOCK // 2), (1, 0)).reshape(BLOCK)",
        "broadcast_to": "y = tl.broadcast_to(tl.sum(x), (BLOCK,))",
        "broadcast": "a, b = tl.broadcast(x, tl.zeros([1], tl.float32))\ny = a + b",
        "join and split": "a, b = tl.split(tl.join(x, x * 2))\ny = a + b",
        "interleave": "y = tl.sum(tl.interleave(x, x).reshape(BLOCK, 2), 1)",
        "ravel": "y = tl.ravel(x.reshape(2, BLOCK // 2))",
        "full and zeros": "z = tl.full([BLOCK], 2.0, tl.float32)\n"
        "y = x + z + tl.zeros((BLOCK,), tl.float32)",
        "zeros_like": "y = tl.zeros_like(x) + x",
        "flip": "y = tl.flip(x)",
        "gather": "y = tl.gather(x, (i + 1) % BLOCK, 0)",
        # --- reductions and scans
        "sum": "y = x - tl.sum(x, axis=0)",
        "sum method": "y = x / x.sum()",
        "sum with keep_dims": "y = x - tl.sum(x, axis=0, keep_dims=True)",
        "max and min": "y = x - tl.max(x, 0) + tl.min(x, 0)",
        "max with indices": "a, at = tl.max(x, 0, return_indices=True)\ny = x - a + at",
        "argmax and argmin": "y = x + tl.argmax(x, 0) - tl.argmin(x, 0)",
        "xor_sum": "y = x + tl.xor_sum(i, 0)",
        "cumsum": "y = tl.cumsum(x, 0)",
        "cumprod": "y = tl.cumprod(x * 0.1, 0)",
        "reversed cumsum": "y = tl.cumsum(x, 0, reverse=True)",
        "sort": "y = tl.sort(x)",
        "descending sort": "y = tl.sort(x, descending=True)",
        "histogram": "y = tl.histogram(i % 4, BLOCK).to(tl.float32)",
        "dot": "a = x.reshape(8, 16).to(tl.float16)\ny = x + tl.sum(tl.dot(a, tl.trans(a)))",
        "dot in tf32x3": "a = x.reshape(8, 16)\n"
        "y = x + tl.sum(tl.dot(a, tl.trans(a), input_precision='tf32x3'))",
        "dot in ieee": "a = x.reshape(8, 16)\n"
        "y = x + tl.sum(tl.dot(a, tl.trans(a), input_precision='ieee'))",
        "dot with an accumulator": "a = x.reshape(8, 16)\n"
        "y = x + tl.sum(tl.dot(a, tl.trans(a), acc=tl.zeros((8, 8), tl.float32)))",
        # --- memory
        "load with options": "y = tl.load(x_ptr + i, mask=i < n, other=0.0, cache_modifier='.cg', "
        "eviction_policy='evict_last')",
        "volatile load": "y = tl.load(x_ptr + i, i < n, 0.0, volatile=True)",
        "scalar load": "y = x + tl.load(x_ptr)",
        "store of a scalar": "tl.store(out_ptr, 1.0)\ny = x",
        "descriptor": "d = tl.make_tensor_descriptor(x_ptr, [n], [1], [BLOCK])\ny = d.load([0])",
        "descriptor's shapes": "d = tl.make_tensor_descriptor(x_ptr, [n], [1], [BLOCK])\n"
        "y = d.load([0]) + d.block_shape[0]",
        "hints": "j = tl.max_contiguous(tl.multiple_of(i, 8), 8)\n"
        "y = tl.load(x_ptr + j, mask=j < n, other=0.0)",
        "assume": "tl.assume(n > 0)\ny = x",
        "barrier": "tl.debug_barrier()\ny = x",
        "program ids": "y = x + tl.program_id(axis=0) + tl.num_programs(0)",
        "int64 offsets": "row = tl.program_id(0).to(tl.int64) * n\n"
        "y = tl.load(x_ptr + row + i, mask=i < n, other=0.0)",
        "atomic_add": "tl.atomic_add(out_ptr + i, 1.0, mask=i < n)\ny = x",
        "atomic with options": "tl.atomic_add(out_ptr, 1.0, sem='relaxed', scope='gpu')\ny = x",
        "swizzle2d": "a, b = tl.swizzle2d(tl.program_id(0), 0, 4, 4, 2)\ny = x + a + b",
        "cdiv": "y = x + tl.cdiv(n, BLOCK)",
        "triton.cdiv": "y = x + triton.cdiv(BLOCK, 3)",
        "min and max of numbers": "y = x + min(BLOCK, 64) + max(BLOCK, 64)",
        "rand": "y = x + tl.rand(7, i)",
        "randint": "y = x + tl.randint(7, i) % 3",
        "randn": "y = x + tl.randn(7, i)",
    }.items()
}

ACCEPTED.update(
    {
        # --- decorators
        "jit with options": Form(
            "y = x", jit='@triton.jit(do_not_specialize=["n"], noinline=True)'
        ),
        "heuristics": Form(
            "y = x + EVEN",
            decorators='@triton.heuristics({"EVEN": lambda a: a["n"] % a["BLOCK"] == 0})',
            parameters="EVEN: tl.constexpr",
            recorded={"EVEN": False},
        ),
        "autotune with one configuration": Form(
            "y = x * C",
            decorators='@triton.autotune([triton.Config({"C": 3}, num_warps=4)], key=["n"])',
            parameters="C: tl.constexpr",
            recorded={"C": 3},
        ),
        "autotune with configurations from a function": Form(
            "y = x * C",
            before='def configurations():\n    return [triton.Config({"C": c}) for c in [3]]\n',
            decorators='@triton.autotune(configs=configurations(), key=["n"])',
            parameters="C: tl.constexpr",
            recorded={"C": 3},
        ),
        "a decorator of one's own above": Form(
            "y = x", before="def mine(f):\n    return f\n", decorators="@mine"
        ),
        "jit by name": Form(
            "y = x", imports="import triton.language as tl\nfrom triton import jit", jit="@jit"
        ),
        # --- parameters
        "text": Form(
            'if ACT == "leaky_relu":\n    y = tl.where(x >= 0, x, 0.01 * x)\nelse:\n    y = x',
            parameters="ACT: tl.constexpr",
            arguments={"ACT": "leaky_relu"},
        ),
        "text with a default": Form(
            'y = x if MODE != "sum" else tl.sum(x) + x', parameters='MODE: tl.constexpr = "sum"'
        ),
        "text that is an option": Form(
            "y = tl.load(x_ptr + i, mask=i < n, other=0.0, cache_modifier=HOW)",
            parameters="HOW: tl.constexpr",
            arguments={"HOW": ".cg"},
        ),
        "keyword-only parameter": Form(
            "y = x * SCALE", parameters="*, SCALE: tl.constexpr", arguments={"SCALE": 3}
        ),
        "float argument": Form("y = x * a", parameters="a", arguments={"a": 0.5}),
        "dtype argument": Form(
            "y = x.to(KIND).to(tl.float32)",
            parameters="KIND: tl.constexpr = tl.float16",
        ),
        "None argument": Form(
            "y = x if bias_ptr is None else x + tl.load(bias_ptr)",
            parameters="bias_ptr",
            arguments={"bias_ptr": None},
        ),
        "annotations of any kind": Form(
            "y = x * a", parameters='a: "the factor", b: int | None = 1', arguments={"a": 2}
        ),
        "default of arithmetic": Form("y = x * C", parameters="C: tl.constexpr = 2 ** 4 - 1"),
        # --- constants
        "constant": Form("y = x * C", before="C = tl.constexpr(3)"),
        "constant on the left": Form("y = tl.sum(C * x, 0) + x", before="C = tl.constexpr(3)"),
        "constant on the left, then a method": Form(
            "y = (C * x).to(tl.float16).to(tl.float32)", before="C = tl.constexpr(3)"
        ),
        "constant on the left, then an index": Form(
            "y = tl.sum((C * x)[:, None], 1)", before="C = tl.constexpr(3)"
        ),
        "constant below a tensor": Form(
            "y = tl.where(C < x, x, 1.0)", before="C = tl.constexpr(3)"
        ),
        "constant on the right of a number": Form(
            "y = x + (BLOCK % C) + (BLOCK & C) + (BLOCK >> C) + (1 << C) + float(C)",
            before="C = tl.constexpr(3)",
        ),
        "length of a constant": Form(
            "y = x\nfor j in tl.static_range(len(C)):\n    y += C[j]",
            before="C = tl.constexpr((1, 2, 4))",
        ),
        "constants in a row": Form("y = x * C + D", before="C = D = tl.constexpr(3)"),
        "constants by unpacking": Form(
            "y = x * C + D", before="C, D = tl.constexpr(3), tl.constexpr(4)"
        ),
        "constant with math": Form(
            "y = tl.exp2(x * LOG2E)", before="import math\nLOG2E = tl.constexpr(math.log2(math.e))"
        ),
        "constant of constants": Form(
            "y = x * D", before="C = 3\nD = tl.constexpr(C * 2 + min(C, 2))"
        ),
        "constant with inf": Form(
            "y = tl.maximum(x, LOW)", before='LOW = tl.constexpr(float("-inf"))'
        ),
        "constant of a power": Form(
            "y = x * C", before="C = tl.constexpr(triton.next_power_of_2(100))"
        ),
        "constant text": Form(
            'y = x if MODE == "plain" else -x', before='MODE = tl.constexpr("plain")'
        ),
        "constant tuple": Form("y = x * C[1]", before="C = tl.constexpr((1, 2))"),
        "math.pi": Form("y = x * math.pi", before="import math"),
        "pi by name": Form("y = x * C", before="from math import pi\nC = tl.constexpr(pi / 2)"),
        "math function of numbers": Form("y = x * math.sqrt(2.0 / math.pi)", before="import math"),
        "numpy constant": Form("y = x * np.pi", before="import numpy as np"),
        "dtype by another name": Form("y = x.to(KIND).to(tl.float32)", before="KIND = tl.float16"),
        # --- helpers
        "helper": Form("y = double(x)", before=_HELPER),
        "helper with a constexpr": Form(
            "y = times(x, 3)",
            before="@triton.jit\ndef times(a, C: tl.constexpr):\n    return a * C\n",
        ),
        "helper with several results": Form(
            "a, b = both(x)\ny = a + b", before="@triton.jit\ndef both(a):\n    return a, a * 2\n"
        ),
        "helper with a text": Form(
            'y = act(x, "relu")',
            before="@triton.jit\ndef act(a, KIND: tl.constexpr):\n"
            '    return tl.maximum(a, 0.0) if KIND == "relu" else a\n',
        ),
        "helper of a helper": Form(
            "y = four(x)",
            before=f"{_HELPER}@triton.jit\ndef four(a):\n    return double(double(a))\n",
        ),
        "assert of a helper": Form("assert double(BLOCK) > 1\ny = x", before=_HELPER),
        "print of a helper": Form('tl.device_print("x", double(x))\ny = x', before=_HELPER),
        "helper that asserts": Form(
            "y = sure(x, 4)",
            before="@triton.jit\ndef sure(a, C: tl.constexpr):\n"
            '    tl.static_assert(C > 1, "C must be > 1")\n    return a * C\n',
        ),
        "reduce": Form("y = x - tl.reduce(x, 0, add)", before=_ADD),
        "associative_scan": Form("y = tl.associative_scan(x, 0, add)", before=_ADD),
        "reduce along the last axis": Form(
            "y = x - tl.sum(tl.reduce(x.reshape(2, BLOCK // 2), -1, add, keep_dims=True))",
            before=_ADD,
        ),
        "reduce with a branch along the last axis": Form(
            "y = x - tl.sum(tl.reduce(x.reshape(2, BLOCK // 2), -1, most))",
            before="@triton.jit\ndef most(a, b):\n    r = a\n    if b > a:\n        r = b\n"
            "    return r\n",
        ),
        "reduce of a pair": Form(
            "a, b = tl.reduce((x, x), 0, pair)\ny = x + a + b",
            before="@triton.jit\ndef pair(a, b, c, d):\n    return a + c, tl.maximum(b, d)\n",
        ),
        "constexpr_function": Form(
            "y = x * half(BLOCK)",
            before="@triton.constexpr_function\ndef half(size):\n    return size // 2\n",
        ),
        # --- names
        "language from triton": Form(
            "y = tl.exp(x)", imports="import triton\nfrom triton import language as tl"
        ),
        "cdiv by name": Form("y = x + cdiv(BLOCK, 3)", before="from triton import cdiv"),
        "dtype by name": Form(
            "y = x.to(float16).to(tl.float32)", before="from triton.language import float16"
        ),
        "constexpr by name": Form(
            "y = x * C",
            before="from triton.language import constexpr",
            parameters="C: constexpr = 3",
        ),
        "import in try": Form(
            "y = x * 2",
            imports="try:\n    import triton\n    import triton.language as tl\n"
            "except ImportError:\n    triton = tl = None",
        ),
        "helper under if": Form(
            "y = double(x)", before="if True:\n    " + _HELPER.replace("\n", "\n    ")
        ),
        # --- what the interpreter runs as it is corrected
        "language by another name": Form(
            "y = T.exp(x)", imports="import triton\nimport triton.language as T"
        ),
        "rsqrt from triton.language.math": Form(
            "y = rsqrt(tl.abs(x) + 1)", before="from triton.language.math import rsqrt"
        ),
        "exp from triton.language": Form("y = exp(x)", before="from triton.language import exp"),
        "exp by another name": Form("y = fast(x)", before="fast = tl.exp"),
        "libdevice": Form(
            "y = libdevice.tanh(x)", before="from triton.language.extra import libdevice"
        ),
        "libdevice of CUDA": Form(
            "y = lib.pow(tl.abs(x), 2.5)",
            before="from triton.language.extra.cuda import libdevice as lib",
        ),
        "tanh from libdevice": Form(
            "y = tanh(x)", before="from triton.language.extra.libdevice import tanh"
        ),
        "tanh from wherever it is": Form(
            "y = tanh(x)",
            before="try:\n    from triton.language.extra.libdevice import tanh\n"
            "except ModuleNotFoundError:\n"
            "    from triton.language.extra.cuda.libdevice import tanh",
        ),
        "rsqrt from wherever it is": Form(
            "y = rsqrt(tl.abs(x) + 1)",
            before="try:\n    from triton.language.extra.libdevice import rsqrt\n"
            "except ModuleNotFoundError:\n    from triton.language.math import rsqrt",
        ),
        "value of a constexpr": Form("C: tl.constexpr = 3\ny = x * C.value"),
        "dot in bf16x3": Form(
            "a = x.reshape(8, 16)\ny = x + tl.sum(tl.dot(a, tl.trans(a), input_precision='bf16x3'))"
        ),
        "autotune with several configurations": Form(
            "y = x * C",
            decorators='@triton.autotune([triton.Config({"C": c}) for c in (3, 5)], key=["n"])',
            parameters="C: tl.constexpr",
            recorded={"C": 3},
        ),
    }
)

REFUSED: dict[str, tuple[Form, str]] = {
    name: (Form(f"{body}\ny = x"), sentence)
    for name, (body, sentence) in {
        "block pointer": (
            "p = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (BLOCK,), (0,))",
            "use tl.make_tensor_descriptor",
        ),
        "advance": ("p = tl.advance(x_ptr, (1,))", "use tl.make_tensor_descriptor"),
        "inline assembly": (
            "z = tl.inline_asm_elementwise('', '', [], tl.int32, True, 1)",
            "runs no assembly: write it with `tl` functions",
        ),
        "map_elementwise": ("z = tl.map_elementwise(f, x)", "write it with tl.where"),
        "libdevice beyond": ("z = tl.extra.libdevice.j0(x)", "write it with `tl` functions"),
        "lambda": ("f = lambda a: a", "a lambda: write a @triton.jit function"),
        "comprehension": ("z = [a for a in (1, 2)]", "loop with tl.static_range"),
        "f-string": ('z = f"{BLOCK}"', "an f-string outside of an assert or a print"),
        "dictionary": ('z = {"a": 1}', "a dictionary: use a tuple"),
        "nested function": ("def f(): pass", "put it at the top level, with @triton.jit"),
        "import": ("import math", "import at the top of the file"),
        "try": ("try:\n    z = 1\nfinally:\n    z = 2", "Triton has no exceptions"),
        "raise": ('raise ValueError("no")', "use tl.device_assert"),
        "break": ("while n > 0:\n    break", "put its condition into `while`"),
        "continue": ("for j in range(3):\n    continue", "use `if`"),
        "else of for": ("for j in range(3):\n    z = j\nelse:\n    z = 0", "`else` after a loop"),
        "else of while": ("while n > 9:\n    z = 1\nelse:\n    z = 0", "`else` after a loop"),
        "match": ("match BLOCK:\n    case 1: pass", "use `if` and `elif`"),
        "with": ("with x: pass", "`with`"),
        "del": ("del x", "`del`"),
        "global": ("global z", "return the value instead"),
        "assignment to an element": ("x[0] = 1", "elements of a tensor cannot be assigned"),
        "abs of Python": ("z = abs(x)", "use tl.abs"),
        "isinstance": ("z = isinstance(x, int)", "give the launch a tl.constexpr"),
        "hasattr": ('z = hasattr(x, "shape")', "give the launch a tl.constexpr"),
        "getattr": ('z = getattr(x, "shape")', "write the attribute itself"),
        "long text": (f'z = "{"a" * 65}"', "at most 64 letters"),
        "text with braces": ('z = "{0}"', "at most 64 letters"),
        "format": ('z = "a".format(x)', "`.format` is not allowed"),
        "print in an expression": ("z = print(x)", "`print` is not allowed"),
        "assert that writes": ("assert tl.atomic_add(out_ptr, 1.0) > 0", "write nothing in them"),
        "print that writes": (
            'tl.device_print("x", tl.atomic_add(out_ptr, 1.0))',
            "write nothing in them",
        ),
        "print that writes to a descriptor": (
            'tl.device_print("x", tl.make_tensor_descriptor(out_ptr, [n], [1], [4]).store([0], x))',
            "write nothing in them",
        ),
        "assert that assigns": ("assert (z := n) > 0", "write nothing in them"),
        "unknown name": ("z = numpy.zeros(3)", "`numpy.zeros` is not allowed"),
        "target_info": ("z = tl.target_info.is_cuda()", "checked for several GPUs"),
        "star in a list": ("z = (*(1, 2), 3)", "`*` outside of a call's arguments"),
        "keywords from a dictionary": ("z = tl.load(**x)", "plain arguments only"),
        "call of a variable": ("z = x(3)", "compare a text instead"),
        "tensor by hand": ("z = tl.tensor(x, tl.int32)", "`tl.tensor` is not allowed"),
    }.items()
}

REFUSED.update(
    {
        "assert of a helper that writes": (
            Form("assert put(out_ptr + i, x) == 0\ny = x", before=_PUT),
            "write nothing in them",
        ),
        "print of a helper whose helper writes": (
            Form(
                'print("x", through(out_ptr + i, x))\ny = x',
                before=f"{_PUT}@triton.jit\ndef through(p, a):\n    return put(p, a)\n",
            ),
            "write nothing in them",
        ),
        "assert that writes by another name": (
            Form(
                "assert put(out_ptr + i, x) is None\ny = x",
                before="from triton.language import store as put",
            ),
            "write nothing in them",
        ),
        "helper from another file": (
            Form("y = helper(x)", before="from mine import helper"),
            "`helper` is imported: kernels are taken out of this file alone",
        ),
        "module from another file": (
            Form("y = mine.helper(x)", before="import mine"),
            "`mine` is imported: kernels are taken out of this file alone",
        ),
        "alias of another file's": (
            Form("y = f(x)", before="import mine\nf = mine.f"),
            "`mine` is imported: kernels are taken out of this file alone",
        ),
        "helper without jit": (
            Form("y = helper(x)", before="def helper(a):\n    return a\n"),
            "lacks @triton.jit",
        ),
        "helper in a class": (
            Form("y = Ops.f(x)", before="class Ops:\n    pass\n"),
            "`Ops` is not a constant",
        ),
        "decorator below jit": (
            Form("y = x", before="def mine(f):\n    return f\n", jit="@triton.jit\n@mine"),
            "the decorator next to a kernel's `def` is @triton.jit",
        ),
        "constant of a module": (
            Form("y = x * C", before='import os\nC = int(os.environ.get("C", 3))'),
            "a constant is made of numbers",
        ),
        "list constant": (
            Form("y = x * C[0]", before="C = [1, 2]"),
            "a constant is made of numbers",
        ),
        "constant without a value": (Form("y = x * C", before="C = 1 // 0"), "has no value"),
        "huge constant": (Form("y = x * C", before="C = 9 ** 9 ** 9"), "too large"),
        "constant of itself": (Form("y = x * C", before="C = D\nD = C"), "a constant cannot use"),
        "two constants": (Form("y = x * C", before="C = 1\nC = 2"), "keep one definition"),
        "two meanings": (
            Form("y = f(x)", before="if True:\n    f = tl.exp\nelse:\n    f = tl.log"),
            "several things of Triton in this file; keep one",
        ),
        "constexpr that Triton reads and the check would lose": (
            Form("y = x * C", parameters="C: tl.constexpr | None = 3"),
            "write `tl.constexpr`",
        ),
        "parameters with **": (Form("y = x", parameters="**rest"), "no `/` and no `**`"),
        "launched with *": (Form("y = x", parameters="*rest"), "names each of its parameters"),
        "math of a variable": (
            Form("y = x * math.sqrt(n)", before="import math"),
            "a constant is made of numbers",
        ),
    }
)
