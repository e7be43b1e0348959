"""Finds out whether Markdown, rendered as on a feedback page, contains what a browser could run."""

from collections.abc import Mapping

from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from hotloop.course.sanitize import LAYOUT, LINK, PICTURE


class _Inspector(IPythonRenderer):
    """Renders like nbconvert and detects what a browser could act on."""

    suspicious = False

    def block_html(self, html: str) -> str:
        return self._refuse(html)

    def inline_html(self, html: str) -> str:
        return self._refuse(html)

    def block_mermaidjs(self, code: str) -> str:
        return self._refuse(code)

    def link(self, text: str, url: str, title: str | None = None) -> str:
        self.suspicious |= not LINK.match(url)
        return super().link(text, url, title)

    def image(self, text: str, url: str, title: str | None = None) -> str:
        self.suspicious |= not (PICTURE.fullmatch(url) or url.startswith("attachment:"))
        return super().image(text, url, title)

    def _refuse(self, text: str) -> str:
        self.suspicious |= not LAYOUT.fullmatch(text)
        return text


def renders_harmlessly(source: str, attachments: Mapping[str, Mapping[str, str]]) -> bool:
    """Return False for Markdown that a browser could act on, or that cannot be rendered.

    attachments: pictures that it may show; one that is missing cannot be rendered.
    """
    inspector = _Inspector(escape=False, attachments={k: dict(v) for k, v in attachments.items()})
    try:
        MarkdownWithMath(renderer=inspector).render(source)
    except Exception:  # noqa: BLE001 - what the renderer cannot render, it must not be given
        return False
    return not inspector.suspicious
