"""What a `with` statement closes at its end."""

from typing import Self


class Closing:
    """A `with` block over an object of a subclass ends with its `close`."""

    def close(self) -> None:
        """Give back what the object holds. May be repeated."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
