"""Study texts: Markdown in, harmless HTML out, whichever threads ask first."""

import importlib
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from survey.templatetags import markdown as module
from survey.templatetags.markdown import inline_markdown, markdown


def test_markdown_becomes_html() -> None:
    assert markdown("# About\n\nCall **988**.") == (
        "<h1>About</h1>\n<p>Call <strong>988</strong>.</p>\n"
    )
    assert inline_markdown("I am *18* or older") == "I am <em>18</em> or older"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"),
        ("a <b onclick='x'>b</b>", "<p>a &lt;b onclick='x'&gt;b&lt;/b&gt;</p>\n"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>\n"),
        (
            "![x](https://example.org/pixel.png)",
            '<p>!<a href="https://example.org/pixel.png">x</a></p>\n',
        ),
    ],
)
def test_nothing_runs_and_nothing_is_loaded(text: str, html: str) -> None:
    assert markdown(text) == html


@pytest.fixture
def impatient_threads() -> Iterator[None]:
    """Threads that interrupt one another all the time."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.slow
@pytest.mark.usefixtures("impatient_threads")
def test_threads_that_render_first_at_the_same_time_get_the_same_text() -> None:
    barrier = Barrier(4)

    def render(number: int) -> str:
        barrier.wait()
        return str(module.markdown(f"# Title\n\n[x](http://e) **c** {number}\n\n- d\n"))

    with ThreadPoolExecutor(4) as threads:
        for _ in range(300):
            importlib.reload(module)
            assert list(threads.map(render, range(4))) == [
                f'<h1>Title</h1>\n<p><a href="http://e">x</a> <strong>c</strong> {number}</p>\n'
                "<ul>\n<li>d</li>\n</ul>\n"
                for number in range(4)
            ]
