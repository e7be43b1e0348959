"""An attacker on the simulator: what C++ offers beside a kernel's own loads and stores.

It reads the checker's source for the names of its functions, and imports, exports, defines or calls
them; or it takes a construct of clang's. The kernel leaves work out, or moves bytes that should not
be counted.
"""

import random
import re
import sys
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from seam import Answer, Question, kernel, serve

IMPORT = 'extern "C" __attribute__((import_module("{module}"), import_name("{name}")))'
WITH_NAMES = {
    "import": (
        f"{IMPORT} void _seam(int, int, int);",
        "_seam(0, 4, {number});",
    ),
    "import of a value": (
        f"{IMPORT} long long _seam(int, int);",
        "if (_seam({number}, 4) == 77) return;",
    ),
    "export": ('extern "C" __attribute__((export_name("{name}"))) void _out(int, int) {{ }}', ""),
    "definition": ('extern "C" void {name}(int, int, int) {{ }}', ""),
    "definition on the device": ('extern "C" __device__ int {name}(int a) {{ return a; }}', ""),
    "declaration and call": ('extern "C" int {name}(...);', "{name}(0, {number});"),
    "alias": ('extern "C" void {name}(void) __attribute__((alias("memcpy")));', ""),
    "label": ('__device__ int _at __asm__("{name}");', "_at = {number};"),
    "variable": ('extern "C" __device__ int {name}[64];', "{name}[{number} % 64] = 1;"),
    "macro": ("#define {name} return", ""),
    "weak symbol": (
        'extern "C" __attribute__((weak)) int {name};',
        "if (&{name}) {name} = {number};",
    ),
}
CONSTRUCTS = {
    "memory that grows": "__builtin_wasm_memory_grow(0, 16);",
    "size of memory": "if (__builtin_wasm_memory_size(0) == {number}) return;",
    "return address": "if ((long)__builtin_return_address(0) == {number}) return;",
    "frame": "*(int*)((char*)__builtin_frame_address(0) + {number} * 4096) = 1;",
    "frame far up": "*(volatile int*)((char*)__builtin_frame_address(0) - {number} * 65536) = 1;",
    "alloca": "((volatile char*)__builtin_alloca({number} << 16))[5] = 1;",
    "trap": "if (blockIdx.x == 1) __builtin_trap();",
    "unreachable": "if (threadIdx.x == {number}) __builtin_unreachable();",
    "assembler": 'asm volatile("nop");',
    "assembler with memory": 'asm volatile("i32.const 0\\ni32.const 7\\ni32.store 0");',
    "computed goto": "void* _to = &&_end; if (threadIdx.x == 0) goto *_to; _end:;",
    "function by number": "((void (*)(int)){number})(1);",
    "function in a table": "static void (*_table[4])(int); _table[threadIdx.x % 4](1);",
    "exception": "try {{ throw {number}; }} catch (...) {{ }}",
    "new": "int* _new = new int[{number}]; _new[0] = 1;",
    "malloc": "((volatile int*)malloc({number}))[0] = 1;",
    "std::thread": "std::thread([] {{ }}).detach();",
    "exit": "exit(0);",
    "abort": "abort();",
    "print with %n": 'int _n; printf("%d%n", 1, &_n);',
    "a million lines": 'for (int i = 0; i < 1000; i++) printf("passed\\n");',
    "copy from the host": "cudaMemcpy({out}, {first}, 4, cudaMemcpyDefault);",
    "launch in a kernel": "cudaDeviceSynchronize(); cudaDeviceReset();",
    "atomic of clang": "__atomic_fetch_add((int*){out}, 0, __ATOMIC_RELAXED);",
    "sync builtin": "__sync_lock_test_and_set((int*){out}, *(int*){out});",
    "vote by one": "if (__ballot_sync(1u << {number} % 32, 1)) {{ }}",
    "shuffle from nobody": "__shfl_sync(0, threadIdx.x, {number} % 32);",
    "long loop": "for (volatile long i = 0; i < 1l << {number} % 40; i++) {{ }}",
    "endless recursion": "struct _R {{ static int f(int n) {{ return n ? f(n + 1) : 0; }} }};"
    " if (_R::f(1)) return;",
    "state of a launch": "static __device__ int _runs; if (_runs++ > {number} % 8) return;",
    "clock": "if (clock64() % 2) return;",
    "address of a block": "if (((long){out} >> 4) % 3 == {number} % 3) return;",
}
MOVES = {
    "vector of 64 bytes": "typedef int _V __attribute__((vector_size(64), aligned(1)));"
    " volatile _V _v = ((const _V*){first})[_i % 4]; (void)_v[{number} % 16];",
    "_BitInt": "typedef unsigned _BitInt(128) _B; volatile _B _b = ((const _B*){first})[_i % 4];",
    "__int128": "volatile __int128 _w = ((const __int128*){first})[_i % 4];",
    "struct by value": "struct _S {{ int a[32]; }}; volatile int _k = (*(const _S*){first}).a"
    "[threadIdx.x % 32];",
    "memcpy_inline": "char _c[64]; __builtin_memcpy_inline(_c, (const char*){first} + _i, 64);"
    " if (_c[{number} % 64] == 77 && _c[1] == 78 && _c[2] == 79) return;",
    "bcmp": "if (__builtin_memcmp({first}, (const char*){first} + _i, 8) == 77) return;",
    "strlen": "if (__builtin_strlen((const char*){first} + _i) == 77777) return;",
    "non-temporal load": "if (__builtin_nontemporal_load((const int*){first} + _i)"
    " == 12345678) return;",
    "bit field": "struct _F {{ unsigned a : 3; }};"
    " if (((const volatile _F*){first})[_i].a > 7) return;",
    "atomic load": "if (__atomic_load_n((const int*){first} + _i, __ATOMIC_ACQUIRE) == 12345678)"
    " return;",
    "member of a volatile": "struct _M {{ volatile int x, y; }};"
    " for (int i = 0; i < {number}; i++) (void)((const _M*){first})->y;",
    "texture path": "for (int i = 0; i < {number}; i++) (void)__ldg((const int*){first} + i % 16);",
}


LEFT_OUT = (
    "if (threadIdx.x & 1) return;",
    "if (blockIdx.x == 0) return;",
    "if (threadIdx.x == 0) return;",
    "return;",
)


@cache
def names(source: str) -> list[str]:
    """Return the names that the checker's source and its glue define or export."""
    simulator = Path(source, "engines", "simulate")
    texts = [path.read_text() for path in sorted((simulator / "checker").glob("*.[ch]"))]
    function = re.compile(r"^[a-z]\w+[* ]+(?:\w+[* ]+)*(\w+)\(", re.MULTILINE)
    found = {name for text in texts for name in function.findall(text)}
    found |= set(re.findall(r'"(\w+)"', (simulator / "glue.wat").read_text()))
    found |= {"memory", "__stack_pointer", "__wasm_call_ctors", "_start", "__heap_base", "printf"}
    return sorted(found - {"if", "for", "while", "return"})


def main(question: Question, rng: random.Random) -> Answer:
    """Return a kernel that leaves work out, or moves more than it should, by such a construct."""
    right = kernel(question.right, question.entry)
    if right is None:
        return {question.name: question.starter + "\n"}, "no kernel was found in the reference", []
    words = {
        "name": rng.choice(names(question.source)),
        "module": rng.choice(("checker", "program", "env", "glue", "wasi_snapshot_preview1")),
        "number": rng.choice((0, 1, 3, 8, 16, 31, 63)),
        "first": right.names[0],
        "out": (right.outputs or right.names)[-1],
    }
    kind = rng.choice(("names", "constructs", "moves"))
    before, honest = "", list[str]()
    if kind == "names":
        what = rng.choice(list(WITH_NAMES))
        before, inside = (text.format(**words) for text in WITH_NAMES[what])
        what = f"{what} of {words['name']}"
    elif kind == "constructs":
        what = rng.choice(list(CONSTRUCTS))
        inside = CONSTRUCTS[what].format(**words)
    else:
        what = rng.choice(list(MOVES))
        inside = f"for (int _i = 0; _i < 64; _i++) {{ {MOVES[what].format(**words)} }}"
        honest = [name for name in question.checks if not name.startswith("traffic")]
    left_out = "" if kind == "moves" else rng.choice(LEFT_OUT)
    body = f"    {{ {inside} }}\n    {left_out}\n{right.body}"
    return (
        {question.name: right.with_body(body, before)},
        f"{what}, {left_out or 'nothing'}",
        honest,
    )


if __name__ == "__main__":
    serve(main)
