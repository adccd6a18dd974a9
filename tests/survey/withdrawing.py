"""Somebody who leaves a trace wherever one can be left, and withdraws; looking for traces."""

from collections.abc import Callable
from pathlib import Path

from django.core.management import call_command
from django.db import connection
from django.test import Client

from survey.models import Participant, Study
from survey.withdrawal import token_of
from tests.prolific import arrival, prolific_id
from tests.survey import small_study
from tests.survey.visiting import form_of

PROLIFIC_ID, SESSION_ID = prolific_id("person"), prolific_id("session")
LINK = f"/s/small/{arrival('person', study='study', session='session')}"
WORDS = "my grandmother's umbrella"
LAST_WORDS = "the lighthouse at noon"
YAML = small_study.YAML.replace(
    "conditions:",
    "  - {kind: text, name: why, question: Why?}\nconditions:",
).replace("tasks:", "closing:\n  - {name: last, kind: text, question: Anything else?}\ntasks:")
LAST_PAGE = 8  # instructions, four blocks, one attention check, closing, demographics


def load() -> Study:
    """The small study with free answers, and a code for those who withdraw."""
    study = small_study.load(yaml=YAML)
    study.settings["prolific"]["withdrawn_code"] = "GONE1"
    study.save()
    return study


def take_survey(client: Client, link: str = LINK) -> Participant:
    """Take all of the survey, with something written on each page that allows it."""
    client.get(link)
    client.post("/s/small/consent/", {"agree": "yes"})
    for number in range(1, LAST_PAGE):
        form = form_of(client, number) | {"text-why": WORDS, "text-last": LAST_WORDS}
        assert client.post(f"/s/small/page/{number}/", form).status_code == 302
    client.post(f"/s/small/page/{LAST_PAGE}/", {"age": "83", "state": "Wyoming"})
    return Participant.objects.latest("pk")


def private_link(participant: Participant) -> str:
    return f"/s/{participant.study.slug}/withdraw/{token_of(participant)}/"


def delete_everything(participant: Participant, client: Client | None = None) -> bytes:
    client = client or Client()
    return client.post(private_link(participant), {"delete": "yes"}, follow=True).content


def whole_database() -> str:
    """Every row of every table, as text."""
    with connection.cursor() as cursor:
        texts = []
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            texts += [f"{table}: {row}" for row in cursor.fetchall()]
    return "\n".join(texts)


def all_files(study: Study, folder: Path) -> str:
    """Everything that `analyze` and `export` write, as text."""
    for command in ("analyze", "export"):
        out = folder / command
        options = {"images": False} if command == "analyze" else {}
        sources = ["preview", "simulated"]
        call_command(command, "small", out=out, include=sources, verbosity=0, **options)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 5
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def traces(participant: Participant) -> list[str]:
    """What would tell of the person, were it found anywhere."""
    return [
        PROLIFIC_ID,
        SESSION_ID,
        participant.pseudonym,
        participant.secret,
        WORDS,
        LAST_WORDS,
        "Wyoming",
    ]


def found(traces: list[str], text: str) -> list[str]:
    return [trace for trace in traces if trace in text or trace.replace("'", "\\'") in text]


def elsewhere(act: Callable[[], object]) -> None:
    try:
        act()
    finally:
        connection.close()
