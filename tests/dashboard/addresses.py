"""Every address of the dashboard, by name: for the study `small`, or for another one; and what its
view says that it needs.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from django.urls import URLPattern, URLResolver

from dashboard.shared.access import needs_of
from dashboard.shared.roles import About, Needs
from dashboard.urls import urlpatterns

VALUES = {
    "<study:name>": "small",
    "<number:run>": "1",
    "<number:call>": "1",
    "<number:package>": "1",
    "<number:plan>": "1",
    "<number:upload>": "1",
    "<number:participant>": "1",
    "<number:submission>": "1",
    "<number:order>": "1",
    "<number:page>": "2",
    "<number:pk>": "1",
    "<number:version>": "1",
    "<number:text>": "1",
    "<number:code>": "1",
    "<number:invitation>": "1",
    "<number:job>": "1",
    "<slug:kind>": "plan",
    "<number:job_id>": "1",
    "<slug:corpus>": "talks",
    "<slug:sample>": "six",
    "<str:corpus_file>": "removed.csv",
    "<str:job_file>": "test.jsonl",
    "<slug:form>": "osf",
    "<judge:judge>": "judge@1",
    "<slug:figure>": "ratings_kde",
    "<slug:subject>": "groups",
    "<slug:table>": "wins",
    "<slug:page>": "information",
    "<path:pseudonym>": "ann",
    "<path:rater>": "ann",
    "<str:file>": "ratings.csv",
    "<str:secret>": "x",
    "<str:token>": "x",
    "<number:token>": "1",
    "<str:key>": "x",
}


class Address(NamedTuple):
    """The name by which templates and tests know it, an example, and what its view needs."""

    name: str
    path: str
    needs: Needs | None = None


def _addresses(
    patterns: list[URLPattern | URLResolver],
    values: Mapping[str, str],
    before: str = "",
    space: str = "",
) -> Iterator[Address]:
    for pattern in patterns:
        path = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            within = f"{pattern.namespace}:" if pattern.namespace else space
            yield from _addresses(pattern.url_patterns, values, path, within)
            continue
        for place, value in values.items():
            path = path.replace(place, value)
        yield Address(f"{space}{pattern.name}", f"/{path}", needs_of(pattern.callback))


def addresses_with(values: Mapping[str, str]) -> list[Address]:
    """All of them, with other `values` than usual in some places."""
    return list(_addresses(urlpatterns, {**VALUES, **values}))


def needs_about(about: About) -> dict[str, Needs]:
    """What those addresses need that are about this, by name."""
    return {each.name: each.needs for each in ADDRESSES if each.needs and each.needs.about is about}


ADDRESSES = addresses_with({})
RULES, OF_CORPORA, OF_ACCOUNT = map(needs_about, (About.STUDY, About.CORPORA, About.ACCOUNT))
