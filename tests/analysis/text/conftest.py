"""Which texts of the templates the tests of a file have seen said."""

from collections.abc import Callable, Iterator

import pytest
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from markupsafe import Markup

from analysis.text.sentences import ENVIRONMENT

Unsaid = Callable[..., list[str]]

#: Each text between two tags, by template and place in it, and the numbers of those that were said.
TEXTS: dict[tuple[str, int], str] = {}
SAID: set[int] = set()


class Noted(Extension):
    """Each text of a template is followed by a call that notes that it was said."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        for place, token in enumerate(stream):
            yield token
            if token.type == "data" and token.value.strip():
                key = (stream.name or "", place)
                TEXTS[key] = f"{stream.name}:{token.lineno} {token.value!s}"
                call = (("name", "note_said"), ("lparen", "("), ("integer", list(TEXTS).index(key)))
                yield Token(token.lineno, "variable_begin", "{{")
                for kind, value in (*call, ("rparen", ")")):
                    yield Token(token.lineno, kind, value)  # type: ignore[arg-type]
                yield Token(token.lineno, "variable_end", "}}")


def note_said(text: int) -> Markup:
    SAID.add(text)
    return Markup("")


@pytest.fixture(autouse=True, scope="module")
def _noted() -> None:
    """From here on, texts count that are said by the tests of this file."""
    if Noted.identifier not in ENVIRONMENT.extensions:
        ENVIRONMENT.globals["note_said"] = note_said
        ENVIRONMENT.add_extension(Noted)
        assert ENVIRONMENT.cache is not None
        ENVIRONMENT.cache.clear()
    SAID.clear()


@pytest.fixture
def unsaid(request: pytest.FixtureRequest) -> Unsaid:
    """The texts of templates that no test of the file has seen; none if only some tests ran."""
    tests = [item for item in request.session.items if isinstance(item, pytest.Function)]
    chosen = {test.originalname for test in tests if test.path == request.path}
    every = {name for name in vars(request.module) if name.startswith("test_")}

    def unsaid_of(*templates: str) -> list[str]:
        for template in templates:
            ENVIRONMENT.get_template(template)
        return [
            text
            for number, ((template, _), text) in enumerate(TEXTS.items())
            if template in templates and number not in SAID and every <= chosen
        ]

    return unsaid_of
