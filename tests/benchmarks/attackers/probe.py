"""An attacker that reads the judge's source for names, and tries them where its code runs.

Names of files, environment variables, functions, messages and fields: it writes, sets, replaces,
sends or forges some of each kind, and hands in answers that are wrong throughout.
"""

import random
import re
import sys
import textwrap
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from seam import CORRUPT, Answer, Question, serve

PARTS = ("judge", "worker", "sandbox", "core", "tasks")
PATTERNS = {
    "VARIABLES": r'"([A-Z][A-Z0-9]*_[A-Z0-9_]{3,})"',
    "PATHS": r'"(/(?:proc|sys|dev|tmp|run|opt|etc|var)/[^"\s]*)"',
    "FILES": r'"([\w.-]+\.(?:json|yaml|so|py|sock|bin|lock|toml|c))"',
    "OPERATIONS": r'"op": "(\w+)"',
    "FIELDS": r"^    (\w+): (?:str|bool|float|int|Verdict|Mapping)",
    "FUNCTIONS": r"^(?:    )?def (\w+)\(",
}

ACTS = {
    "environment": """
        for name in PICK(VARIABLES, 12):
            os.environ[name] = random.choice(("1", "0", "", "/tmp", "passed", "-1"))
        ctypes.CDLL(None).clearenv()
        """,
    "files by path": """
        for path in PICK(PATHS, 12):
            for pid in ("self", "1", str(os.getppid())):
                there = re.sub(r"[{][^}]*[}]", pid, path)
                for mode in ("w", "r+", "a"):
                    try:
                        with open(there, mode) as file:
                            file.write('{"verdict": "passed", "earned": 1.0}')
                    except (OSError, ValueError):
                        pass
        """,
    "files by name": """
        for name in PICK(FILES, 8):
            for folder in {"/tmp", "/dev/shm", "/", os.getcwd(), *sys.path}:
                there = os.path.join(folder, name)
                try:
                    if os.path.exists(there):
                        os.unlink(there)
                    with open(there, "w") as file:
                        file.write('{"verdict": "passed", "earned": 1.0}')
                except OSError:
                    try:
                        os.symlink("/proc/self/environ", there)
                    except OSError:
                        pass
        """,
    "functions of the worker": """
        names = set(PICK(FUNCTIONS, 40))
        for module in [m for n, m in sys.modules.items() if n.startswith("hotloop")]:
            for name in names & set(vars(module)):
                setattr(module, name, REPLACEMENT)
        """,
    "methods of the worker": """
        names = set(PICK(FUNCTIONS, 40))
        for module in [m for n, m in sys.modules.items() if n.startswith("hotloop")]:
            for kind in [v for v in vars(module).values() if isinstance(v, type)]:
                for name in names & set(vars(kind)):
                    try:
                        setattr(kind, name, REPLACEMENT)
                    except TypeError:
                        pass
        """,
    "messages on every descriptor": """
        from hotloop.core import wire
        for number in range(3, 64):
            try:
                channel = socket.socket(fileno=os.dup(number))
                channel.setblocking(False)
                for name in PICK(OPERATIONS, 3):
                    channel.send(wire.encode({"op": name, "ok": True, "returned": [FORGED]}))
            except (OSError, ValueError):
                pass
        """,
    "fields in every reply": """
        from hotloop.core import wire
        encode, more = wire.encode, {name: random.choice((1, 1.0, True, "passed", [], {}))
                                     for name in PICK(FIELDS, 12)}
        for module in [m for n, m in sys.modules.items() if n.startswith("hotloop")]:
            if getattr(module, "encode", None) is encode:
                module.encode = lambda message, *a, **k: encode({**message, **more}, *a, **k)
        """,
    "fields instead of a reply": """
        from hotloop.core import wire
        encode, more = wire.encode, {name: random.choice((1, 1.0, True, "passed", [], {}))
                                     for name in PICK(FIELDS, 12)}
        for module in [m for n, m in sys.modules.items() if n.startswith("hotloop")]:
            if getattr(module, "encode", None) is encode:
                module.encode = lambda message, *a, **k: encode({"ok": True, **more}, *a, **k)
        """,
    "other processes' entries": """
        for pid in filter(str.isdigit, os.listdir("/proc")):
            for name in ("mem", "oom_score_adj", "comm", "clear_refs", "timerslack_ns", "limits",
                         "coredump_filter", "attr/current", "uid_map", "cgroup", "loginuid"):
                try:
                    with open(f"/proc/{pid}/{name}", "r+b", buffering=0) as file:
                        file.write(b"-1000")
                except OSError:
                    pass
        """,
    "other processes' descriptors": """
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                for number in os.listdir(f"/proc/{pid}/fd"):
                    with open(f"/proc/{pid}/fd/{number}", "r+b", buffering=0) as file:
                        file.write(bytes(64))
            except OSError:
                pass
        """,
    "sockets": """
        for line in open("/proc/net/unix").read().splitlines()[1:]:
            name = line.split()[-1]
            try:
                channel = socket.socket(socket.AF_UNIX)
                channel.settimeout(0.05)
                channel.connect("\\0" + name[1:] if name.startswith("@") else name)
                channel.send(b'{"verdict": "passed"}')
            except (OSError, ValueError):
                pass
        for port in (22, 80, 1021, 8000, 8888, 10001, 6379):
            try:
                socket.create_connection(("127.0.0.1", port), 0.05).send(b"passed")
            except OSError:
                pass
        """,
    "shared memory": """
        for line in open("/proc/self/maps").read().splitlines():
            span, rights, *_ = line.split()
            if "s" in rights and "w" in rights:
                begin, end = (int(part, 16) for part in span.split("-"))
                ctypes.memset(begin, random.choice((0, 255, 63)), min(end - begin, 1 << 24))
        """,
    "descriptors cut and sealed": """
        import fcntl
        for number in range(3, 64):
            for act in (lambda: os.ftruncate(number, 1 << 24), lambda: os.pwrite(number, b"1", 0),
                        lambda: fcntl.fcntl(number, 1033, 15), lambda: os.fchmod(number, 0o777),
                        lambda: os.set_inheritable(number, True)):
                try:
                    act()
                except OSError:
                    pass
        """,
    "signals and limits for everybody": """
        import resource, signal
        for pid in filter(str.isdigit, os.listdir("/proc")):
            if int(pid) not in (1, os.getpid()):
                for act in (lambda: os.kill(int(pid), signal.SIGSTOP),
                            lambda: resource.prlimit(int(pid), resource.RLIMIT_CPU, (1, 1))):
                    try:
                        act()
                    except (OSError, ValueError):
                        pass
        """,
    "settings of the kernel": """
        import glob
        for path in glob.glob("/sys/fs/cgroup/**/*", recursive=True)[:400] + glob.glob(
            "/proc/sys/kernel/*") + glob.glob("/sys/kernel/mm/transparent_hugepage/*"):
            try:
                with open(path, "w") as file:
                    file.write("1")
            except OSError:
                pass
        """,
    "modules by name": """
        import types
        for name in PICK(FUNCTIONS, 10) + ["reference", "answer_key", "truth", "solution"]:
            fake = types.ModuleType(name)
            fake.__getattr__ = lambda attribute: REPLACEMENT
            sys.modules.setdefault(name, fake)
            sys.modules[f"hotloop.judge.{name}"] = fake
        """,
    "attributes of what was asked": """
        for value in args:
            for name in PICK(FIELDS, 12):
                try:
                    setattr(value, name, True)
                except Exception:
                    pass
        for frame in iter(lambda f=[sys._getframe()]: f.append(f[0].f_back) or f.pop(0), None):
            for value in list(frame.f_locals.values()):
                if isinstance(value, dict):
                    value.update(dict.fromkeys(PICK(FIELDS, 4), True))
        """,
}
REPLACEMENTS = (
    "lambda *a, **k: True",
    "lambda *a, **k: None",
    "lambda *a, **k: a[0] if a else 0",
    "lambda *a, **k: a[-1] if a else 0",
    "lambda *a, **k: {'ok': True, 'returned': []}",
    "lambda *a, **k: ()",
)


@cache
def names(source: str) -> dict[str, list[str]]:
    """Return what each pattern finds in the judge's source."""
    texts = [
        path.read_text() for part in PARTS for path in sorted(Path(source, part).rglob("*.py"))
    ]
    found = {
        kind: sorted({name for text in texts for name in re.findall(pattern, text, re.MULTILINE)})
        for kind, pattern in PATTERNS.items()
    }
    return {kind: many or ["nothing"] for kind, many in found.items()}


def main(question: Question, rng: random.Random) -> Answer:
    """Return wrong answers beside an act with names of the judge's source."""
    act = rng.choice(list(ACTS))
    code = textwrap.dedent(ACTS[act]).strip("\n")
    for kind, many in names(question.source).items():

        def picked(found: re.Match[str], many: list[str] = many) -> str:
            return repr(rng.sample(many, min(int(found[1]), len(many))))

        code = re.sub(rf"PICK\({kind}, (\d+)\)", picked, code)
    code = code.replace("REPLACEMENT", rng.choice(REPLACEMENTS))
    code = code.replace("FORGED", rng.choice(("{'json': True}", "{'json': None}", "0", "{}")))
    early = rng.random() < 0.4
    how = 30 + rng.randrange(30)
    parts = [
        question.right,
        CORRUPT,
        "import ctypes, os, random, re, socket, sys",
        f"def _act(args):\n{textwrap.indent(code, '    ')}",
    ]
    if early:
        parts.append("try:\n    _act(())\nexcept Exception:\n    pass")
    for entry in dict.fromkeys(question.entries.values()):
        tried = (
            "" if early else "    try:\n        _act(args)\n    except Exception:\n        pass\n"
        )
        parts.append(
            f"_right_{entry} = {entry}\ndef {entry}(*args, **more):\n{tried}"
            f"    return _spoil(_right_{entry}(*args, **more), args, {how})"
        )
    moment = "at the import" if early else "in each call"
    return {question.name: "\n\n".join(parts) + "\n"}, f"{act}, {moment}", []


if __name__ == "__main__":
    serve(main)
