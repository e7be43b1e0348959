"""A base class that makes objects with a `close` method usable in `with` statements."""

from typing import Self


class Closing:
    """Subclasses are context managers: leaving the `with` block calls `close`."""

    def close(self) -> None:
        """Release what the object holds. May be called twice."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
