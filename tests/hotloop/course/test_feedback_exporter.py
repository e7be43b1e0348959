"""Templates are compiled once, and again when their text changes."""

from jinja2 import DictLoader, Environment

from hotloop.course.feedback_exporter import FeedbackExporter, InMemory


def page(cache: InMemory, text: str) -> tuple[str, list[str]]:
    """Render a template in a new environment; return the page and the compiled templates."""
    compiled: list[str] = []

    class Watched(Environment):
        def _compile(self, source: str, filename: str) -> object:
            compiled.append(filename)
            return super()._compile(source, filename)

    environment = Watched(loader=DictLoader({"page": text}), bytecode_cache=cache, autoescape=True)
    return environment.get_template("page").render(name="ada"), compiled


def test_the_same_text_is_compiled_once() -> None:
    cache = InMemory()
    first, compiled = page(cache, "Hello {{ name }}")
    assert (first, len(compiled)) == ("Hello ada", 1)
    assert page(cache, "Hello {{ name }}") == ("Hello ada", [])


def test_another_text_is_compiled_again() -> None:
    cache = InMemory()
    page(cache, "Hello {{ name }}")
    again, compiled = page(cache, "Bye {{ name }}")
    assert (again, len(compiled)) == ("Bye ada", 1)


def test_the_exporter_uses_one_cache() -> None:
    first, second = FeedbackExporter().environment, FeedbackExporter().environment
    assert first is not second
    assert first.bytecode_cache is second.bytecode_cache
    assert isinstance(first.bytecode_cache, InMemory)
