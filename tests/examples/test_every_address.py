"""Every page and route of the API, of every example study and of one with everything, by role.

The studies are taken by simulated raters, or have imported ratings, and are analysed. What is read
answers as the matrix of roles says, and never with an error of ours; what the API sends its owner
is what its schema says. Drawn requests, and changes, are in tests/dashboard/test_api_generated.py.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import call_command
from django.test import Client, override_settings
from django.urls import resolve, reverse
from pytest_django.live_server_helper import LiveServer
from schemathesis.core.result import Ok
from schemathesis.openapi import from_wsgi

from analysis.execution import finished_run
from analysis.locked_plans import LockOptions, lock_plan
from analysis.models import AnalysisRun
from analysis.recipe import MixedModels, Recipe
from analysis.recipe_sets import recipes_in_force, set_recipes
from dashboard.accounts.tokens import create_token
from dashboard.shared.roles import Role
from judge.models import Call
from judge.plans import plan_calls
from judge.queries import current_judges
from survey.models import Study
from survey.tidy import counted_sources
from tests.analysis import published_study
from tests.dashboard.addresses import RULES
from tests.dashboard.judging import answer_calls
from tests.dashboard.test_api_generated import EXAMPLES as FILLED
from tests.dashboard.test_api_generated import checks, connection_kept
from tests.dashboard.test_roles import OF_STUDY, browser, expected, member, outcome_of
from tests.examples.everything import SLUG as EVERYTHING
from tests.examples.everything import write_study
from tests.examples.planted import EXAMPLES

# Who may open what, and what pages make of a study: other tests store answers on every database.
pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.embedded]

STUDIES = sorted(folder.parent.name for folder in EXAMPLES.glob("*/study.yaml"))
PEOPLE = 3
ROLES = [*Role, None]


def test_every_example_is_here() -> None:
    assert {"audit", "corpora", "empathy", "haleas", "imported", "liu", "tide"} <= set(STUDIES)


def responses_of_corpora(folder: Path) -> Path:
    """What models might have written for the example's study of generated texts."""
    path = folder / "responses.csv"
    systems = [(model, condition) for model in "AB" for condition in ("zero_shot", "fine_tuned")]
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["scenario", "prompt", "model", "condition", "response"])
        for scenario in ("S1", "S2"):
            for model, condition in (*systems, ("Corpus", "reference")):
                text = f"{model}, {condition}, to {scenario}"
                table.writerow([scenario, f"Prompt {scenario}", model, condition, text])
    return path


def quick(recipe: Recipe) -> Recipe:
    """The recipe in half the time: of those who count, with mixed models that take the ratings for
    numbers.
    """
    if recipe.mixed_models is None:
        return recipe
    linear = MixedModels(links=["linear"])
    return recipe.model_copy(update={"raters": ["included"], "mixed_models": linear})


def loaded(name: str, folder: Path) -> Study:
    """The study of an example, opened as a rehearsal."""
    options: dict[str, Any] = {}
    source = EXAMPLES / name
    if name == EVERYTHING:
        source = write_study(folder)
    elif name == "tide":
        options["responses"] = published_study.write_responses(folder)
    elif name == "corpora":
        options["responses"] = responses_of_corpora(folder)
    call_command("load_study", source, verbosity=0, stdout=StringIO(), **options)
    study = Study.objects.get()
    lock_plan(study, LockOptions(), None)
    call_command("set_study", study.slug, "open", rehearsal=True, stdout=StringIO())
    return study


def taken(study: Study, name: str) -> None:
    """Simulated raters take it, or ratings are imported."""
    if name == "imported":
        files = {
            table: EXAMPLES / name / f"{table}.csv"
            for table in ("participants", "ratings", "ranks", "gold")
        }
        call_command("import_ratings", study.slug, **files, stdout=StringIO())
        return
    server = LiveServer("localhost")
    options = {"participants": PEOPLE, "seed": 1, "server": server.url, "workers": 2}
    call_command("simulate", study.slug, stdout=StringIO(), stderr=StringIO(), **options)
    server.stop()


@dataclass(frozen=True)
class Example:
    """A study, a client of each role (by name), and what fills the places in addresses."""

    study: Study
    clients: dict[Role | None, Client]
    places: dict[str, Any]
    run: AnalysisRun

    def path(self, name: str, path: str) -> str:
        asked = resolve(path).kwargs
        known = {place: self.places[place] for place in asked if place in self.places}
        return reverse(name, kwargs=asked | known)


@pytest.fixture(scope="module", params=[*STUDIES, EVERYTHING])
def example(
    request: pytest.FixtureRequest,
    database: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Example]:
    name = request.param
    folder = tmp_path_factory.mktemp(name)
    judged = {"JUDGE_STAND_IN": True, "JUDGE_BASE_URL": "http://127.0.0.1:9/v1"}
    with override_settings(PACKAGES_DIR=folder / "zips", **judged):
        study = loaded(name, folder)
        taken(study, name)
        for judge in current_judges(study):
            plan_calls(judge)
            answer_calls(judge.calls.all(), lambda *_: 2)
        set_recipes(study=study, recipes=list(map(quick, recipes_in_force(study))))
        run = finished_run(study=study, sources=counted_sources(["simulated"]))
        clients = {role: browser(member(role, study, str(role))) for role in (*Role, None)}
        yield Example(study, clients, places_of(study, run), run)
    call_command("flush", verbosity=0, interactive=False)


def places_of(study: Study, run: AnalysisRun) -> dict[str, Any]:
    """Rows that are there, by the name of their place in an address."""
    person = study.participants.exclude(pseudonym="").earliest("id")
    result = run.results.filter(kind="table").earliest("id")
    figure = run.results.filter(kind="figure").order_by("id").first()
    call = Call.objects.filter(judge__study=study).order_by("id").first()
    places: dict[str, Any] = {
        "name": study.slug,
        "run": run.pk,
        "participant": person.pk,
        "pseudonym": person.pseudonym,
        "rater": person.pseudonym,
        "table": result.name,
        "version": 1,  # of the locked plan
    }
    if figure is not None:
        places["figure"] = figure.name
    if call is not None:
        places |= {"call": call.pk, "judge": f"{call.judge.name}@{call.judge.version}"}
    return places


@pytest.mark.parametrize(
    ("role", "query"), [(Role.OWNER, ""), *((role, "?include=simulated") for role in ROLES)]
)
def test_what_is_read_answers_as_the_matrix_says(
    example: Example, role: Role | None, query: str
) -> None:
    """With the simulated raters, and to their owner also without: then nobody counts."""
    wrong = {}
    for each in OF_STUDY:
        if RULES[each.name].get is None:
            continue
        path = example.path(each.name, each.path) + query
        answer = example.clients[role].get(path)
        if query and answer.status_code == 400:  # it takes no `include`
            answer = example.clients[role].get(path.removesuffix(query))
        is_right = outcome_of(answer) == expected(role, each.name, "get")
        if answer.status_code >= 500 or not is_right:
            wrong[each.name] = (path, answer.status_code)
    assert wrong == {}


def test_api_sends_what_its_schema_says(example: Example) -> None:
    owner = User.objects.get(username=str(Role.OWNER))
    key = create_token(user=owner, name="x", expires_at=None)
    headers = {"Authorization": f"Token {key}"}
    with connection_kept():
        schema = from_wsgi("/api/schema/?format=json", WSGIHandler(), headers=headers)
    described = [each.ok() for each in schema.get_all_operations() if isinstance(each, Ok)]
    asked = 0
    for operation in described:
        is_read = operation.method.upper() == "GET" and "/studies/{name}/" in operation.path
        if not is_read or any(each.is_required for each in operation.query):
            continue
        names = re.findall(r"{(\w+)}", operation.path)
        places = {name: (FILLED | example.places)[name] for name in names}
        for query in ({}, {"include": ["simulated"]}):
            if query and "include" not in {each.name for each in operation.query}:
                continue
            case = operation.Case(path_parameters=places, query=query)
            with connection_kept():
                answer = case.call(headers=headers)
            case.validate_response(answer, checks=checks())
            asked += 1
    assert asked > 70
