"""Somebody at the only block of a study of `task_studies`, over Django's test client."""

import re
from dataclasses import dataclass
from typing import Any

from bs4 import BeautifulSoup
from django.test import Client

from survey.models import Participant, Presentation, Rating
from tests.prolific import arrival
from tests.survey import small_study, task_studies


@dataclass
class Visitor:
    """Somebody at the only block of a study of `task_studies`."""

    client: Client
    slug: str
    participant: Participant

    @property
    def address(self) -> str:
        return f"/s/{self.slug}/page/2/"

    def html(self) -> str:
        return self.client.get(self.address).content.decode()

    def send(self, form: dict[str, str], status: int = 302) -> str:
        reply = self.client.post(self.address, form)
        html = reply.content.decode()
        assert reply.status_code == status, html
        return html

    @property
    def presentation(self) -> Presentation:
        return Presentation.objects.get(participant=self.participant)

    def shown(self) -> list[str]:
        """The responses by the names that the browser knows, from top to bottom."""
        return re.findall(r'data-response="(\w+)"', self.html())

    def ratings(self) -> dict[tuple[str, str, str], tuple[int, int]]:
        """Value and number of changes by task, dimension and response."""
        rows = Rating.objects.filter(presentation=self.presentation)
        names = ("task", "dimension", "response__public_id", "value", "revisions")
        return {
            (task, dimension, response): (value, revisions)
            for task, dimension, response, value, revisions in rows.values_list(*names)
        }


def visit(client: Client, name: str, **more: Any) -> Visitor:
    """Load a study, and walk to its block."""
    yaml, csv = task_studies.yaml_of(name, **more), task_studies.csv_of(name)
    small_study.load(yaml=yaml, csv=csv)
    client.get(f"/s/{name}/{arrival('abc')}")
    client.post(f"/s/{name}/consent/", {"agree": "yes"})
    client.post(f"/s/{name}/page/1/", {})
    return Visitor(client, name, Participant.objects.get())


def checked(html: str) -> dict[str, str]:
    """The radio buttons that are on."""
    page = BeautifulSoup(html, "html.parser")
    return {str(i["name"]): str(i["value"]) for i in page.select("input[type=radio][checked]")}


def ranks(responses: list[str], *values: int) -> dict[str, str]:
    return {f"rank-{r}": str(v) for r, v in zip(responses, values, strict=True)}


def everything(person: Visitor) -> dict[str, str]:
    shown = person.shown()
    return {
        **{f"r-{response}-warmth": str(1 + i % 3) for i, response in enumerate(shown)},
        **ranks(shown, 8, 7, 6, 5, 4, 3, 2, 1),
        "best": shown[7],
        "worst": shown[0],
        "text-why": "It listens.",
        "text-comment": "",
        "check": "2",
    }
