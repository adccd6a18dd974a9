"""Panels of experts, as researchers invite them and see them: apart from the raters."""

import csv
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from analysis.execution import finished_run
from analysis.models import AnalysisRun
from analysis.queries import latest_run, results_of
from dashboard.importing.ratings import import_ratings
from survey.consent import give_consent
from survey.files.problems import DefinitionError
from survey.models import Invitation, Participant, Study
from survey.participants import Arrival
from survey.tidy import counted_sources, panels_of
from survey.withdrawal import withdraw
from tests.dashboard.reading import table_headed, tables_of, text_of
from tests.factories import add_participant, newcomer
from tests.survey import small_study

# What pages show and say; test_pages.py opens them on every database.
pytestmark = pytest.mark.embedded

#: Beside each of them: nobody at consent, active, silent, declined or screened out.
EXPERTS = ["panel", "2", "0", "0", "0", "2", "0", "0", "0", "none"]


@pytest.fixture
def experts(study: Study) -> list[Participant]:
    """Two experts who have completed the study of these tests."""
    return [
        add_participant(study, pseudonym=name, source="panel", panel="clinicians", minutes=200)
        for name in ("edda", "egon")
    ]


# ── Inviting ─────────────────────────────────────────────────────────────────────────────────


def invite(*arguments: str) -> list[str]:
    out = StringIO()
    call_command("invite", *arguments, stdout=out)
    return out.getvalue().split()


def test_invite_prints_a_link_for_each_expert_where_raters_need_another_way_in(
    study: Study,
) -> None:
    assert study.settings["ways_in"] == ["link"]
    links = invite("small", "--panel", "clinicians", "--count", "3")
    tokens = Invitation.objects.filter(panel="clinicians").values_list("token", flat=True)
    assert links == [f"http://localhost:8000/s/small/?invite={token}" for token in tokens]
    assert len(links) == 3
    with pytest.raises(CommandError, match="does not admit invitations"):
        invite("small")


@pytest.mark.parametrize(
    "name", ["", " ", "Clinicians", "the panel", "2nd", "peer-review", "näher", "peers\n", "p" * 41]
)
def test_invite_refuses_what_is_no_name(study: Study, name: str) -> None:
    with pytest.raises(
        CommandError, match=r"--panel .* can't be a name: use at most 40 of a-z, 0-9 and _"
    ):
        invite("small", "--panel", name)
    with pytest.raises(CommandError, match="from 1 to"):
        invite("small", "--panel", "clinicians", "--count", "0")
    assert not Invitation.objects.exists()


def test_invite_refuses_a_panel_where_nothing_is_rated(db: None) -> None:
    small_study.load(yaml=small_study.CHOICES_YAML.replace("slug: small", "slug: chosen"))
    with pytest.raises(CommandError, match="chosen@1 has no ratings, so it needs no panel"):
        invite("chosen", "--panel", "clinicians")
    assert not Invitation.objects.exists()


def test_admin_writes_invitations_into_a_panel_and_refuses_what_is_no_name(
    study: Study, client: Client
) -> None:
    client.force_login(User.objects.create_superuser("root"))
    form = {"study": study.pk, "label": "expert 1"}
    client.post("/admin/survey/invitation/add/", form | {"panel": "The Panel"})
    assert panels_of(study) == []
    client.post("/admin/survey/invitation/add/", form | {"panel": "peers"})
    assert panels_of(study) == ["peers"]


# ── Pages and API ────────────────────────────────────────────────────────────────────────────


def test_overview_counts_experts_on_a_line_of_their_own(
    page: Client, study: Study, experts: list[Participant]
) -> None:
    counts = table_headed(page.get("/studies/small/"), "Source")
    assert [row[0] for row in counts[1:]] == (
        ["link", "Not counted among raters", "panel", "simulated"]
    )
    assert counts[3] == EXPERTS
    assert "arrived 4" in text_of(page.get("/studies/small/"))


def test_list_of_studies_and_api_count_experts_apart(
    page: Client, study: Study, experts: list[Participant]
) -> None:
    [[_, row]] = tables_of(page.get("/"))
    assert row[2:] == ["4", "0", "4", "3"]
    answer = page.get("/api/studies/small/").json()
    assert (answer["arrived"], answer["completed"], answer["not_counted"]) == (4, 4, 3)
    counts = page.get("/api/studies/small/counts/").json()
    assert counts["real"]["arrived"] == 4
    assert [(row["source"], row["is_counted"]) for row in counts["sources"]] == (
        [("link", True), ("panel", False), ("simulated", False)]
    )


def test_overview_shows_their_places_and_order_page_their_certificate(
    page: Client, study: Study
) -> None:
    study.settings["places"]["maximum"] = 5
    study.save()
    for source, panel in (("link", ""), ("panel", "clinicians"), ("panel", "peers")):
        at = timezone.now()
        person = newcomer(Arrival(study=study, source=source, panel=panel, at=at))
        give_consent(participant=person, at=at)
    assert table_headed(page.get("/studies/small/"), "Pool")[1:] == [
        ["raters", "5", "1", "0", "1", "0", "4", "0", "0", "0", "0"],
        ["panel", "any number", "2", "0", "2", "0", "any number", "0", "0", "0", "0"],
    ]
    shown = text_of(page.get("/studies/small/order/?pool=panel&people=places"))
    assert "These are panel people." in shown and "what 2 people were shown" in shown
    raters = text_of(page.get("/studies/small/order/?people=places"))
    assert "what 1 person was shown" in raters


def test_endings_are_those_of_raters(page: Client, study: Study) -> None:
    def completed() -> str:
        table = table_headed(page.get("/studies/small/"), "Ending")
        return next(row[1] for row in table if row[0] == "Completed")

    before = completed()
    add_participant(study, pseudonym="edda", source="panel", panel="clinicians")
    assert completed() == before == "4"


def test_study_of_experts_alone_leads_to_their_numbers(
    page: Client, study: Study, experts: list[Participant]
) -> None:
    study.participants.exclude(source="panel").delete()
    answer = page.get("/studies/small/results/")
    assert "Only panel participants have taken part." in text_of(answer)
    assert '<a href="?include=panel">look at their numbers</a>' in answer.content.decode()


def test_pages_say_when_experts_are_included(
    page: Client, study: Study, experts: list[Participant]
) -> None:
    finished_run(study=study, sources=counted_sources(["panel"]))
    shown = text_of(page.get("/studies/small/raters/?include=panel"))
    assert "These numbers include panel participants, who never count as raters" in shown
    assert "edda" in shown and "no real people" not in shown
    raters = page.get("/api/studies/small/raters/?include=panel").json()["results"]
    assert {row["participant"]: row["source"] for row in raters}["edda"] == "panel"


# ── Analyses and files ───────────────────────────────────────────────────────────────────────


def test_experts_are_in_no_table_unless_asked_for_and_then_named(
    study: Study, experts: list[Participant]
) -> None:
    usual = finished_run(study=study, sources=counted_sources())
    asked = finished_run(study=study, sources=counted_sources(["panel"]))
    assert (usual.manifest["included_by_name"], asked.manifest["included_by_name"]) == (
        ([], ["panel"])
    )
    assert (usual.manifest["n_participants"], asked.manifest["n_participants"]) == (4, 6)
    for run, named in ((usual, False), (asked, True)):
        for name, table in results_of(run, "table").items():
            assert ("sources" in table["columns"]) is named, name


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("share", [False, True])
def test_export_leaves_experts_out_and_never_names_their_panel(
    study: Study, experts: list[Participant], tmp_path: Path, share: bool
) -> None:
    for include, people in (([], 4), (["panel"], 6)):
        folder = tmp_path / f"with-{len(include)}"
        call_command("export", "small", out=folder, include=include, share=share, verbosity=0)
        participants = rows(folder / "participants.csv")
        assert len(participants) == people
        assert json.loads((folder / "export.json").read_text())["people"]["came"] == people
        for name in ("participants.csv", "ratings_all.csv"):
            sources = {row["participant"]: row.get("source") for row in rows(folder / name)}
            assert sources.get("edda") == ("panel" if include else None), name
        text = "".join(path.read_text(encoding="utf-8") for path in folder.iterdir())
        assert "clinicians" not in text


def test_experts_of_a_file_are_refused_rather_than_counted_as_raters(
    study: Study, files: Callable[..., dict[str, Path]]
) -> None:
    people = "participant,source,status\nedda,panel,completed\n"
    ratings = "participant,scenario,set,model,condition,rating\nedda,S1,1,Ant,plain,2\n"
    with pytest.raises(DefinitionError, match=r"source.* is panel: of experts, import the gold"):
        import_ratings(study=study, files=files(participants=people, ratings=ratings))
    assert not Participant.objects.filter(pseudonym="edda").exists()


def test_expert_who_withdraws_takes_every_result_with_them(
    study: Study, experts: list[Participant]
) -> None:
    usual, asked = counted_sources(), counted_sources(["panel"])
    finished_run(study=study, sources=usual)
    finished_run(study=study, sources=asked)
    withdraw(participant=experts[0], at=timezone.now())
    assert latest_run(study, usual) is latest_run(study, asked) is None
    waiting = AnalysisRun.objects.filter(state="waiting").order_by("id")
    assert [run.sources for run in waiting] == [asked, usual]
