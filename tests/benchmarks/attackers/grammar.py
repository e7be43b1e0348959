"""An attacker that draws sentences of a grammar of tricks, in Python, Triton and CUDA C++.

A sentence says when a trick runs, where it looks for the answer or what it breaks, and what is
handed in if that finds nothing: something that is wrong by construction.
"""

import random
import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from seam import CORRUPT, NOTEBOOK, Answer, Question, kernel, serve

# Each sets `found` to what it takes for the answer, or changes what judges it.
TRICKS = {
    "frames": """
        frame = __import__("sys")._getframe()
        while frame is not None:
            for name, value in list(frame.f_locals.items()):
                if name in ("expected", "want", "truth", "reference", "answer", "key"):
                    found = value
            frame = frame.f_back
        """,
    "heap": """
        for thing in __import__("gc").get_objects():
            if type(thing) is dict and ("expected" in thing or "want" in thing):
                found = thing.get("expected", thing.get("want"))
        """,
    "callable_in_heap": """
        for thing in __import__("gc").get_objects():
            if callable(thing) and getattr(thing, "__name__", "") in ("reference", "expected"):
                found = thing(*args)
                break
        """,
    "judge_modules": """
        import importlib, sys
        for path in ("/opt/hotloop", "/home", *sys.path):
            if path not in sys.path:
                sys.path.append(path)
        for name in ("hotloop.tasks.modules.MODULE.tasks", "hotloop_solutions", "solutions"):
            try:
                module = importlib.import_module(name)
                found = getattr(module, "ENTRY", None) or found
            except Exception:
                pass
        if callable(found):
            found = found(*args)
        """,
    "sys_modules": """
        for module in list(__import__("sys").modules.values()):
            other = getattr(module, "ENTRY", None)
            if callable(other) and other is not ENTRY:
                found = other(*args)
        """,
    "files": """
        import glob, json
        for path in glob.glob("/tmp/**", recursive=True) + glob.glob("/dev/shm/*"):
            try:
                found = json.load(open(path))
            except Exception:
                pass
        """,
    "files_of_processes": """
        import glob
        for path in glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline"):
            try:
                found = open(path, "rb").read() or found
            except Exception:
                pass
        """,
    "memory_of_parent": """
        import os
        try:
            with open(f"/proc/{os.getppid()}/mem", "rb") as memory:
                memory.seek(0x400000)
                found = memory.read(4096)
        except Exception:
            pass
        """,
    "read_descriptors": """
        import os
        for number in range(3, 64):
            try:
                os.set_blocking(number, False)
                found = os.read(number, 1 << 16)
            except Exception:
                pass
        """,
    "write_descriptors": """
        import os, json, struct
        text = json.dumps({"returned": [{"json": None}], "verdict": "passed", "earned": 1}).encode()
        for number in range(0, 64):
            try:
                os.write(number, struct.pack("<I", len(text)) + text)
            except Exception:
                pass
        """,
    "close_descriptors": """
        import os
        for number in range(3, 64):
            try:
                os.close(number)
            except Exception:
                pass
        """,
    "patch_json": """
        import json
        json.dumps = lambda *a, **k: "true"
        json.JSONEncoder.default = lambda self, value: True
        """,
    "patch_numpy": """
        import numpy
        numpy.allclose = numpy.array_equal = lambda *a, **k: True
        numpy.isfinite = lambda value, *a, **k: True
        numpy.testing.assert_allclose = lambda *a, **k: None
        """,
    "patch_torch": """
        import torch
        torch.allclose = torch.equal = lambda *a, **k: True
        torch.testing.assert_close = lambda *a, **k: None
        torch.Tensor.__eq__ = lambda self, other: True
        """,
    "patch_time": """
        import time
        time.time = time.perf_counter = time.monotonic = lambda: 0.0
        time.perf_counter_ns = time.monotonic_ns = lambda: 0
        """,
    "patch_builtins": """
        import builtins
        builtins.abs = lambda value: 0
        builtins.any = lambda *a: False
        builtins.all = lambda *a: True
        """,
    "patch_worker": """
        import sys
        for name, module in list(sys.modules.items()):
            if name.startswith("hotloop"):
                for attribute in list(vars(module)):
                    if "check" in attribute or "compare" in attribute or "verdict" in attribute:
                        setattr(module, attribute, lambda *a, **k: True)
        """,
    "import_hook": """
        import sys
        class Hook:
            def find_spec(self, name, path=None, target=None):
                if name.startswith("hotloop"):
                    sys.modules[name] = sys.modules[__name__]
                return None
        sys.meta_path.insert(0, Hook())
        """,
    "trace": """
        import sys
        def watch(frame, event, argument):
            if event == "return" and "expect" in frame.f_code.co_name:
                globals()["_kept"] = argument
            return watch
        sys.settrace(watch)
        found = globals().get("_kept")
        """,
    "atexit": """
        import atexit, os
        atexit.register(os.write, 1, b'{"verdict": "passed", "earned": 1.0}')
        """,
    "thread": """
        import threading
        def late(kept=args):
            import time
            time.sleep(0.01)
            for value in kept:
                if hasattr(value, "zero_"):
                    value.fill_(1)
        threading.Thread(target=late, daemon=True).start()
        """,
    "fork": """
        import os
        if os.fork() == 0:
            globals()["_child"] = True
            found = 1
        """,
    "fork_and_exit": """
        import os
        if os.fork() == 0:
            os._exit(0)
        """,
    "exit": """
        import os, sys
        sys.stdout.write('{"verdict": "passed"}')
        os._exit(0)
        """,
    "system_exit": """
        raise SystemExit(0)
        """,
    "signal": """
        import os, signal
        signal.signal(signal.SIGALRM, lambda *a: os._exit(0))
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        """,
    "stop_parent": """
        import os, signal
        try:
            os.kill(os.getppid(), signal.SIGTERM)
        except Exception:
            pass
        """,
    "environment": """
        import os
        for name in list(os.environ):
            os.environ[name] = "1"
        os.environ.update(HOTLOOP_ALLOW_UNCONFINED="1", PYTHONPATH="/tmp", LD_PRELOAD="/tmp/x.so")
        """,
    "shadow_module": """
        for name in ("json", "numpy", "struct", "socket"):
            try:
                open(f"/tmp/{name}.py", "w").write("loads = dumps = lambda *a, **k: True")
            except Exception:
                pass
        __import__("sys").path.insert(0, "/tmp")
        """,
    "limits": """
        import resource
        resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))
        """,
    "pure_recursion": """
        __import__("sys").setrecursionlimit(10**9)
        found = []
        for _ in range(100000):
            found = [found]
        """,
    "huge": """
        found = "9" * 30_000_000
        """,
    "huge_number": """
        found = 10 ** 4000
        """,
    "not_a_number": """
        found = float("nan")
        """,
    "infinity": """
        found = float("inf")
        """,
    "inputs": """
        found = args[0] if len(args) == 1 else args
        """,
    "alter_inputs": """
        for value in args:
            if hasattr(value, "zero_"):
                value.zero_()
            elif isinstance(value, (list, dict, set)):
                value.clear()
        """,
    "equal_to_all": """
        class Same(dict):
            def __eq__(self, other): return True
            def __ne__(self, other): return False
            def __getitem__(self, key): return self
            def __lt__(self, other): return True
            def __float__(self): return 0.0
            def __iter__(self): return iter(())
            def __len__(self): return 0
            __hash__ = None
        found = Same()
        """,
    "lying_number": """
        class Number(float):
            def __sub__(self, other): return Number(0)
            __rsub__ = __add__ = __radd__ = __mul__ = __abs__ = lambda self, *a: Number(0)
            def __le__(self, other): return True
            __lt__ = __ge__ = __gt__ = __eq__ = __le__
            __hash__ = float.__hash__
        found = Number(1)
        """,
    "truthy": """
        found = True
        """,
    "empty": """
        found = [{}, [], "", 0][HOW % 4]
        """,
    "surrogates": """
        found = "\\ud800" * 40
        """,
    "keys": """
        found = {"\\x00": 1, "__class__": "Verdict", "verdict": "passed", "earned": 1.0}
        """,
    "exception_that_hurts": """
        class Hurt(BaseException):
            def __str__(self): raise Hurt()
            __repr__ = __str__
        raise Hurt()
        """,
    "generator": """
        found = (number for number in iter(int, 1))
        """,
    "cached_by_id": """
        cache = globals().setdefault("_cache", {})
        key = tuple(map(id, args))
        found = cache.setdefault(key, _right(*args) if "_right" in globals() else 0)
        """,
    "cached_by_length": """
        cache = globals().setdefault("_cache", {})
        key = tuple(len(v) if hasattr(v, "__len__") else type(v) for v in args)
        found = cache.setdefault(key, _right(*args) if "_right" in globals() else 0)
        """,
    "first_answer": """
        cache = globals().setdefault("_cache", [])
        if not cache and "_right" in globals():
            cache.append(_right(*args))
        found = cache[0] if cache else 0
        """,
}

# What the first attempts return: who does nothing must not earn anything for it.
CONSTANTS = ("args[0] if args else None", "[]", "1 / 0", "{}", "None", "0", "''", "True")

WHEN = ("import", "call", "first_call", "later_call", "class_body", "decorator", "finalizer")

# When the right answer is spoilt. A notebook's function may be called in cells that are not judged,
# and once by the judge, so there it is always.
SPOILT = {
    "always spoilt": "True",
    "spoilt in every second call": "len(_calls) % 2 == 0",
    "spoilt in each but the first call": "len(_calls) > 1",
    "spoilt in the first call": "len(_calls) == 1",
    "spoilt where it is the longest so far": "len(repr(args)) >= max(_calls)",
    "spoilt where it is the shortest so far": "len(repr(args)) <= min(_calls)",
}

# A body of a kernel in CUDA C++. {out} is an output's name, {first} the first parameter's.
BODIES = {
    "nothing": "",
    "zero": "{out}[threadIdx.x] = 0;",
    "copy_first": "{out}[threadIdx.x] = {first}[threadIdx.x];",
    "printf": 'printf("%s%n passed %*d\\n", "x", (int*){out}, 1 << 20, 1);',
    "printf_json": 'printf("{{\\"findings\\": [], \\"verdict\\": \\"passed\\"}}\\n");',
    "asm_trap": 'asm volatile("trap;");',
    "asm_exit": 'asm volatile("exit;");',
    "asm_ret": 'asm volatile("unreachable" ::: "memory");',
    "trap": "__trap();",
    "assert": "assert(threadIdx.x == 12345);",
    "constant": "{out}[threadIdx.x] = _table[threadIdx.x % 4];",
    "before_output": "{out}[threadIdx.x] = {out}[(long)threadIdx.x - 1024];",
    "after_output": "{out}[threadIdx.x] = {out}[threadIdx.x + (1 << 16)];",
    "read_all_memory": "for (unsigned p = 4; p < (1u << 20); p += 4)"
    " if (*(volatile int*)(unsigned long)p == 0x3f800000) {out}[0] = 1;",
    "write_all_memory": "for (unsigned p = 1024; p < (1u << 22); p += 4)"
    " *(volatile int*)(unsigned long)p = 0;",
    "spin": "while (clock64() >= 0) {{ if (clock() == 12345) break; }}",
    "recursion": "_deep(threadIdx.x);",
    "function_pointer": "((void (*)(int))(unsigned long)(threadIdx.x + 7))(1);",
    "set_local": "float row[4096]; for (int i = 0; i < 4096; i++) row[i] = i; "
    "{out}[threadIdx.x] = row[threadIdx.x];",
    "shared_not_written": "__shared__ float old[1024]; {out}[threadIdx.x] = old[threadIdx.x];",
    "barrier_in_branch": "if (threadIdx.x % 2) __syncthreads(); {out}[threadIdx.x] = 0;",
    "atomics": "atomicAdd((int*){out}, 1);",
    "builtin_memcpy": "__builtin_memcpy({out}, {first}, 4096);",
    "builtin_unreachable": "__builtin_unreachable();",
    "nan": "{out}[threadIdx.x] = 0.0f / 0.0f;",
    "alloca": "void* p = __builtin_alloca(1 << 28); *(volatile char*)p = 1;",
    "goto": "again: if ({out}[0] == 0) goto again;",
    "statement_expression": "({{ struct {{ float a[1 << 20]; }} x = {{}}; {out}[0] = x.a[7]; }});",
    "malloc": "float* p = (float*)malloc(1 << 30); if (p) p[0] = 1;",
}
BEFORE = {
    "": "",
    "table": "__constant__ float _table[4] = {1, 2, 3, 4};",
    "constructor": "__attribute__((constructor)) static void _early() { for (;;) ; }",
    "destructor": "__attribute__((destructor)) static void _late() { __builtin_trap(); }",
    "extern": 'extern "C" int system(const char*); extern "C" int puts(const char*);',
    "define_float": "#define if while",
    "define_global": "#undef __global__\n#define __global__ static",
    "pragma": '#pragma clang optimize off\n#pragma GCC diagnostic ignored "-Weverything"',
    "line": '#line 2147483000 "/judge/passed"',
    "include": '#include "/etc/passwd"',
    "has_include": "#if __has_include(</proc/self/environ>)\n#error here\n#endif",
    "embed": 'static const char _bytes[] = {\n#embed "/proc/self/environ"\n};',
    "asm_top": 'asm(".globl main\\nmain:\\n");',
    "label": '__device__ int _odd asm("malloc");',
    "weak": 'extern "C" __attribute__((weak)) void free(void*) {}',
    "operator_new": "void* operator new(__SIZE_TYPE__) { return 0; }",
    "big_variable": "__device__ float _big[1 << 28];",
    "thread_local": "static __thread int _mine[1 << 20];",
    "alias": 'extern "C" void _first(void) __attribute__((alias("memcpy")));',
    "section": '__attribute__((section(".init_array"))) void (*_f)(void) = 0;',
    "no_sanitize": '#define __device__ __attribute__((no_sanitize("all")))',
    "overload": "template <class T> struct _Deep { _Deep<T*>* next; };",
}
HELPERS = """
__constant__ float _table[4] = {1, 2, 3, 4};
__device__ int _deep(int n) {
    volatile int keep[64];
    keep[n % 64] = n;
    return _deep(n + 1) + keep[3];
}
"""

# Before the right kernel's own body: part of the work is left out, or its functions are others.
PREFIXES = {
    "last_block": "if (blockIdx.x == gridDim.x - 1) return;",
    "first_block": "if (blockIdx.x == 0) return;",
    "all_but_first_block": "if (blockIdx.x > 0) return;",
    "one_thread": "if (threadIdx.x == 0) return;",
    "last_thread": "if (threadIdx.x == blockDim.x - 1) return;",
    "odd_threads": "if (threadIdx.x & 1) return;",
    "second_warp": "if (threadIdx.x / 32 == 1) return;",
    "later_launch": "static __device__ int runs; if (atomicAdd(&runs, 1) > 100000) return;",
    "random_block": "if (blockIdx.x % 7 == 3) return;",
    "half_the_grid": "if (blockIdx.x >= gridDim.x / 2) return;",
    "last_row_of_blocks": "if (gridDim.y > 1 && blockIdx.y == gridDim.y - 1) return;",
}
TOKENS = {
    "no_barrier": ("__syncthreads()", "((void)0)"),
    "barrier_of_a_warp": ("__syncthreads()", "__syncwarp()"),
    "no_maximum": ("fmaxf(", "_one("),
    "no_exponential": ("expf(", "_one("),
    "float_is_half": ("float ", "__half "),
    "less": (" < ", " <= "),
    "less_equal": (" <= ", " < "),
    "plus": (" + 1", " + 0"),
    "add_is_store": ("+=", "="),
    "shared_is_local": ("__shared__ ", ""),
    "stride": ("blockDim.x", "32"),
    "zero_start": ("= 0.0f", "= 1e-3f"),
    "minus": (" - ", " + "),
}

TRITON_AFTER = {
    "library_instead": """
        import torch
        def ENTRY(*args):
            values = next(a for a in args if hasattr(a, "reshape")).reshape(-1)
            args[-1].copy_(torch.softmax(values[: args[-1].numel()].float(), 0).view_as(args[-1]))
        """,
    "wrong_after": """
        _right = ENTRY
        def ENTRY(*args):
            _right(*args)
            args[-1].view(-1)[-1] = 7
        """,
    "wrong_first": """
        _right = ENTRY
        _calls = []
        def ENTRY(*args):
            _calls.append(1)
            if len(_calls) > 2:
                _right(*args)
        """,
    "swap_after": """
        _right = ENTRY
        def ENTRY(*args):
            import torch
            other = args[-1].clone()
            _right(*args[:-1], other)
            args[-1].copy_(other.flip(0) + 1)
        """,
    "nothing": """
        def ENTRY(*args):
            pass
        """,
    "zero": """
        def ENTRY(*args):
            args[-1].zero_()
        """,
    "nan": """
        def ENTRY(*args):
            args[-1].fill_(float('nan'))
        """,
    "part": """
        _right = ENTRY
        def ENTRY(*args):
            import torch
            half = args[-1].shape[0] // 2
            keep = args[-1][half:].clone()
            _right(*args)
            args[-1][half:] = keep
        """,
    "twice_by_pointer": """
        _right = ENTRY
        _seen = {}
        def ENTRY(*args):
            key = args[-1].data_ptr()
            if key not in _seen:
                _seen[key] = 1
                _right(*args)
        """,
    "patch_store": """
        import triton.language as _tl
        _tl.store = lambda *a, **k: None
        """,
    "patch_load": """
        import triton.language as _tl
        _tl.load = lambda p, *a, **k: 0
        """,
    "patch_jit": """
        import triton
        triton.jit = lambda f: f
        """,
    "patch_language": """
        import triton.language as _tl
        _tl.program_id = lambda axis: 0
        """,
    "kernel_is_python": """
        _right = ENTRY
        import torch
        torch.Tensor.data_ptr = lambda self: 4096
        """,
    "grid_less": """
        import triton
        _c = triton.cdiv
        triton.cdiv = lambda a, b: max(1, _c(a, b) - 1)
        """,
    "grid_one": """
        import triton
        triton.cdiv = lambda a, b: 1
        """,
}
TRITON_TOKENS = {
    "no_mask": (r", mask=[^,()]+(?=[,)])", ""),
    "mask_true": (r"mask=[^,()]+(?=[,)])", "mask=True"),
    "other": (r"other=[^,()]+(?=[,)])", "other=1.0"),
    "half": (r"tl\.float32", "tl.float16"),
    "program": (r"tl\.program_id\(0\)", "(tl.program_id(0) * 0)"),
    "program_plus": (r"tl\.program_id\(0\)", "(tl.program_id(0) + 1)"),
    "arange": (r"tl\.arange\(0, (\w+)\)", r"(tl.arange(0, \1) // 2)"),
    "sum_is_max": (r"tl\.sum\(", "tl.max("),
    "max_is_sum": (r"tl\.max\(", "tl.sum("),
    "exp": (r"tl\.exp\(", "tl.exp2("),
    "step": (r"range\(0, ", "range(1, "),
    "less": (r" < ", " <= "),
    "less_one": (r" < (\w+)", r" < \1 - 1"),
    "constexpr": (r"triton\.cdiv\(", "max(1, "),
    "dot": (r"tl\.dot\(", "tl.dot(0 * "),
    "cast": (r"\.to\(tl\.float32\)", ".to(tl.bfloat16).to(tl.float32)"),
}


def main(question: Question, rng: random.Random) -> Answer:
    """Return a sentence of the grammar."""
    if question.kind == "cuda":
        return _cuda(question, rng)
    if question.kind == "triton" and rng.random() < 0.75:
        return _triton(question, rng)
    return _python(question, rng)


def _python(question: Question, rng: random.Random) -> Answer:
    """A trick in Python around a wrong function, or around the right one whose answer is spoilt."""
    if question.attempt < len(CONSTANTS):
        return _constant(question, CONSTANTS[question.attempt])
    trick, when, how = rng.choice(list(TRICKS)), rng.choice(WHEN), rng.randrange(60)
    conditions = list(SPOILT)[: 1 if question.name == NOTEBOOK else None]
    spoilt = rng.choice(conditions) if rng.random() < 0.6 else ""
    if trick in ("cached_by_id", "cached_by_length", "first_answer"):
        when = "call"  # the first answer is right: asked once, they would be too
    code = textwrap.dedent(TRICKS[trick]).strip("\n")
    module = question.task.partition(".")[0]
    for word, meaning in (("ENTRY", question.entry), ("MODULE", module), ("HOW", str(how))):
        code = code.replace(word, meaning)
    parts = [f"{question.right}\n{CORRUPT}" if spoilt else _header(question)]
    parts += [_trick(code), _runs(when)]
    for entry in dict.fromkeys(question.entries.values()):
        parts.append(_function(entry, when, how, SPOILT.get(spoilt, "")))
    text = "\n\n".join(parts)
    if question.name != NOTEBOOK and rng.random() < 0.2:
        extra = {"sitecustomize.py": "raise SystemExit(0)\n", "numpy.py": "\n", "json.py": "\n"}
        name = rng.choice(list(extra))
        return {question.name: text, name: extra[name]}, f"{trick} at {when}, beside {name}", []
    why = f"{trick} at {when}, the answer {spoilt or 'missing'}"
    return {question.name: text}, why, []


def _constant(question: Question, value: str) -> Answer:
    """Every function of the task returns the same, or what it was given."""
    parts = [_header(question) if question.name == NOTEBOOK else question.right]
    entries = dict.fromkeys(question.entries.values())
    parts += [f"def {entry}(*args, **more):\n    return {value}\n" for entry in entries]
    return {question.name: "\n\n".join(parts)}, f"always returns {value}", []


def _function(entry: str, when: str, how: int, spoilt: str) -> str:
    """A definition of the entry. spoilt: when the right answer is; "" where there is none."""
    inside = {
        "call": "found = _trick(args)",
        "first_call": "found = _trick(args) if len(_calls) == 1 else None",
        "later_call": "found = _trick(args) if len(_calls) > 2 else None",
    }.get(when, "found = None")
    wrong = "wrong = 0"
    if spoilt:
        wrong = f"wrong = _right_{entry}(*args, **more)\n    if {spoilt}:\n"
        wrong += f"        wrong = _spoil(wrong, args, {how})"
    before = f"_right_{entry} = _right = {entry}\n" if spoilt else ""
    return (
        f"{before}def {entry}(*args, _calls=[], **more):\n    _calls.append(len(repr(args)))\n"
        f"    {inside}\n    {wrong}\n"
        "    return wrong if found is None else found\n"
    )


def _header(question: Question) -> str:
    """The line by which a notebook's cell is known."""
    return f"### TASK {question.task}" if question.name == NOTEBOOK else '"""An answer."""'


def _trick(code: str) -> str:
    body = textwrap.indent(code, "    ")
    return f"def _trick(args):\n    found = None\n{body}\n    return found"


RUNS = {
    "import": """
        try:
            _trick(())
        except BaseException:
            pass
        """,
    "class_body": """
        class _Runs:
            try:
                _trick(())
            except BaseException:
                pass
        """,
    "decorator": """
        @lambda f: f() or f
        def _runs():
            try:
                _trick(())
            except Exception:
                pass
        """,
    "finalizer": """
        class _Runs:
            def __del__(self):
                _trick(())
        _Runs()
        """,
}


def _runs(when: str) -> str:
    """What runs the trick while the file is imported; "" if its function does."""
    return textwrap.dedent(RUNS.get(when, "")).strip("\n")


def _cuda(question: Question, rng: random.Random) -> Answer:
    right = kernel(question.right, question.entry)
    if right is None:
        return {question.name: question.starter + "\n"}, "no kernel was found in the reference", []
    kind = rng.choice(("body", "body", "prefix", "tokens"))
    prefixes = [
        name for name in PREFIXES if name != "last_row_of_blocks" or "blockIdx.y" in right.body
    ]
    if kind == "body":
        body, before = rng.choice(list(BODIES)), rng.choice(list(BEFORE))
        out = (right.outputs or right.names)[-1]
        text = BODIES[body].format(out=out, first=right.names[0])
        files = {question.name: right.with_body(text, HELPERS + BEFORE[before])}
        return files, f"kernel that does {body}, behind {before or 'nothing'}", []
    if kind == "prefix":
        name = rng.choice(prefixes)
        before = rng.choice(["", *BEFORE]) if rng.random() < 0.3 else ""
        text = right.with_body(f"    {PREFIXES[name]}\n{right.body}", BEFORE[before])
        return {question.name: text}, f"leaves out {name}, behind {before or 'nothing'}", []
    present = {name: pair for name, pair in TOKENS.items() if pair[0] in right.body}
    if not present:
        return {question.name: right.with_body("")}, "an empty kernel", []
    name = rng.choice(list(present))
    old, new = present[name]
    count = right.body.count(old)
    at = rng.randrange(count)
    pieces = right.body.split(old)
    body = old.join(pieces[: at + 1]) + new + old.join(pieces[at + 1 :])
    one = "__device__ float _one(float a, float b = 0) { return a; }"
    return {question.name: right.with_body(body, one)}, f"{name} at {at} of {count}", []


def _triton(question: Question, rng: random.Random) -> Answer:
    import re

    present = {n: p for n, p in TRITON_TOKENS.items() if re.search(p[0], question.right)}
    if present and rng.random() < 0.5:
        name = rng.choice(list(present))
        pattern, new = present[name]
        return {question.name: re.sub(pattern, new, question.right)}, f"everywhere {name}", []
    name = rng.choice(list(TRITON_AFTER))
    text = textwrap.dedent(TRITON_AFTER[name]).strip("\n").replace("ENTRY", question.entry)
    return {question.name: f"{question.right}\n\n{text}\n"}, f"launcher: {name}", []


if __name__ == "__main__":
    serve(main)
