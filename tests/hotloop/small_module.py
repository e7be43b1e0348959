"""The contents of a module.yaml with one task, for curricula that tests write."""

from typing import Any


def small_module(name: str, **task: Any) -> dict[str, Any]:
    """Return the document of a module called `name`. task: replaces values of its task."""
    return {
        "id": name,
        "title": "M",
        "track": "a",
        "tier": "beginner",
        "summary": "s",
        "prerequisites": {},
        "concepts": ["c"],
        "tasks": [
            {
                "id": "task",
                "title": "T",
                "goal": "g",
                "minutes": 5,
                "difficulty": 1,
                "importance": 1,
                "kind": "code",
                "entry": "f",
                "files": ["lab.ipynb"],
                "hints": ["a", "b", "c"],
                "checks": [{"id": "correct", "points": 4, "what": "right"}],
                **task,
            }
        ],
        "hardware": {"cpu_cores": 1, "memory_gib": 1, "gpu": "any", "without_gpu": "all"},
        "versions": [],
    }
