"""The fake card of the judge's tests."""

from tests.hotloop.judge.gpu.conftest import built, fake

__all__ = ["built", "fake"]
