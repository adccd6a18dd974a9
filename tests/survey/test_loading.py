"""Loading a study: once, again, changed, and after somebody arrived."""

import json
from dataclasses import replace

import pytest
from django.test import Client

from survey.content import content_of
from survey.definition import StudyDefinition
from survey.definition.settings import Prolific, Settings
from survey.loading import content_hash, load_study
from survey.models import (
    Block,
    Participant,
    Response,
    Scenario,
    Study,
    StudyEvent,
    System,
    Withdrawal,
)
from survey.queries import StudyNotFound, find_study, study_for_arrivals
from survey.studies import StateError, set_state
from tests.factories import add_participant
from tests.prolific import arrival
from tests.survey import small_study

CHANGED = small_study.CSV.replace("Try again.", "Try once more.")
pytestmark = pytest.mark.django_db


def test_a_study_is_loaded_as_a_draft_with_all_it_holds() -> None:
    study = load_study(
        definition=small_study.definition(),
        settings=small_study.SETTINGS,
        rows=small_study.rows(),
    ).study
    assert study.state == "draft"
    assert (Scenario.objects.count(), System.objects.count()) == (2, 5)
    assert (Block.objects.count(), Response.objects.count()) == (4, 10)
    assert [len(block.responses) for block in content_of(study).blocks.values()] == [3] * 4


def test_a_repeated_reference_is_one_response_in_two_blocks() -> None:
    small_study.load()
    reference = Response.objects.get(scenario__name="S1", system__condition="reference")
    assert reference.blocks.count() == 2


def test_loading_the_same_again_changes_nothing() -> None:
    first = small_study.load()
    before = list(Response.objects.values_list("pk", "public_id"))
    again = small_study.load()
    assert again.pk == first.pk
    assert list(Response.objects.values_list("pk", "public_id")) == before
    assert StudyEvent.objects.count() == 1


def test_decomposed_names_of_an_earlier_load_become_those_of_the_files() -> None:
    composed, decomposed = "Zo\u00e9", "Zoe\u0301"
    yaml = small_study.YAML.replace("Ant", composed).replace("Female", f"Fille {composed}")
    csv = small_study.CSV.replace("Ant", composed).replace("Try again.", f"Ask {decomposed}.")
    plain = small_study.definition(yaml).model_dump(mode="json")
    earlier = json.loads(json.dumps(plain, ensure_ascii=False).replace(composed, decomposed))
    rows = small_study.rows(csv, yaml=yaml)
    study = load_study(
        definition=StudyDefinition.model_validate(earlier),
        settings=small_study.SETTINGS,
        rows=[replace(row, model=row.model.replace(composed, decomposed)) for row in rows],
    ).study
    person = add_participant(study, pseudonym="anna")
    person.demographic_answers.create(name="sex", value=f"Fille {decomposed}")
    responses = set(Response.objects.values_list("pk", "text"))

    again = small_study.load(csv=csv, yaml=yaml, state="draft")
    assert (again.pk, again.version, again.loaded_at) == (study.pk, 1, study.loaded_at)
    assert again.content_hash == content_hash(small_study.definition(yaml), rows)
    assert System.objects.filter(model=composed).count() == 2
    assert again.definition["sets"]["1"] == [composed]
    assert person.demographic_answers.get().value == f"Fille {composed}"
    assert set(Response.objects.values_list("pk", "text")) == responses
    assert list(StudyEvent.objects.values_list("action", flat=True)) == ["loaded", "names"]


@pytest.mark.parametrize(
    ("yaml", "digest"),
    [
        (small_study.YAML, "703740503aea1ac2ee850a0ec6dfb7eedfac3d48b4c747b4e55a93ac1da14ee8"),
        (
            small_study.SLIDER_YAML,
            "24bb8ab7ab6a59e102a6817bbd952050c2a0a380902c9f79083eb4ef92f54fd4",
        ),
        (
            small_study.EVERYTHING_YAML,
            "3b73f30dfa0307a4da56d4ba54cb4424403c388d5834adb9082f297907a209b9",
        ),
    ],
    ids=["likert", "slider", "everything"],
)
def test_a_later_fivefold_loads_the_same_files_as_the_same_study(yaml: str, digest: str) -> None:
    """A new key of study.yaml must not make a new version of a study that does not have it."""
    definition, *translations = small_study.definitions(yaml)
    assert content_hash(definition, small_study.rows(yaml=yaml), translations) == digest


def test_changed_content_replaces_a_version_nobody_has_seen() -> None:
    small_study.load()
    again = small_study.load(csv=CHANGED)
    assert again.version == 1
    assert Response.objects.count() == 10
    assert Response.objects.filter(text="Try once more.").exists()
    texts = {r.text for b in content_of(again).blocks.values() for r in b.responses.values()}
    assert "Try again." not in texts


def test_what_a_replacement_leaves_alone_keeps_its_rows() -> None:
    small_study.load()
    before = dict(Response.objects.values_list("text", "pk"))
    small_study.load(csv=CHANGED, yaml=small_study.YAML.replace("short replies", "replies"))
    after = dict(Response.objects.values_list("text", "pk"))
    assert {t: pk for t, pk in after.items() if t in before} == {
        text: pk for text, pk in before.items() if text != "Try again."
    }


def test_block_of_the_same_responses_keeps_its_row() -> None:
    before = {str(b): b.pk for b in small_study.load().blocks.all()}
    lines = small_study.CSV.replace("Try again.", "Try once more.").splitlines(keepends=True)
    upside_down = "".join([lines[0], *lines[7:], *lines[1:4], lines[5], lines[4], lines[6]])
    study = small_study.load(csv=upside_down, yaml=small_study.YAML.replace("Thank", "Thanking"))
    after = list(study.blocks.values_list("pk", flat=True))
    names = ["S2 × 1", "S2 × 2", "S1 × 1", "S1 × 2"]
    assert [str(block) for block in study.blocks.all()] == names
    kept = [before[name] for name in names]
    assert (after[:2], after[3]) == (kept[:2], kept[3])
    assert after[2] not in before.values()
    shown = [[r.text for r in b.responses.values()] for b in content_of(study).blocks.values()]
    assert shown[2:] == [
        [
            "Try once more.",
            "That hurts, I am sorry.",
            "Failing hurts. Do you want to tell me more?",
        ],
        [
            "It makes sense that you feel low.",
            "Everybody fails.",
            "Failing hurts. Do you want to tell me more?",
        ],
    ]


def test_block_that_gains_or_loses_a_response_is_another() -> None:
    before = list(small_study.load().blocks.values_list("pk", flat=True))
    sets = small_study.YAML.replace('"1": [Ant]', '"1": [Ant, Cat]')
    more = "".join(
        f"{scenario},1,{prompt},Cat,{condition},Meow {scenario} {condition}.\n"
        for scenario, prompt in (("S1", "I failed."), ("S2", "I miss her."))
        for condition in ("plain", "tuned")
    )
    larger = list(
        small_study.load(yaml=sets, csv=small_study.CSV + more).blocks.values_list("pk", flat=True)
    )
    assert [pk in before for pk in larger] == [False, True, False, True]
    again = list(small_study.load().blocks.values_list("pk", flat=True))
    assert [pk in larger for pk in again] == [False, True, False, True]
    assert again[1::2] == before[1::2]


def test_a_replacement_of_the_task_replaces_every_response() -> None:
    small_study.load()
    before = set(Response.objects.values_list("pk", flat=True))
    small_study.load(yaml=small_study.YAML.replace("How warm is", "How kind is"))
    assert before.isdisjoint(Response.objects.values_list("pk", flat=True))
    assert Response.objects.count() == 10


def test_a_replaced_prompt_replaces_its_responses_alone() -> None:
    small_study.load()
    before = set(Response.objects.values_list("pk", flat=True))
    study = small_study.load(csv=small_study.CSV.replace("I failed.", "I failed again."))
    kept = before.intersection(Response.objects.values_list("pk", flat=True))
    assert set(Response.objects.filter(pk__in=kept).values_list("scenario__name")) == {("S2",)}
    assert len(kept) == 5
    prompts = [block.prompt for block in content_of(study).blocks.values()]
    assert prompts == ["I failed again."] * 2 + ["I miss her."] * 2


def test_changed_content_becomes_a_new_version_once_somebody_arrived() -> None:
    study = small_study.load()
    Client().get(f"/s/small/{arrival('abc')}")
    newer = small_study.load(csv=CHANGED, state="draft")
    assert (newer.version, newer.state) == (2, "draft")
    assert Response.objects.filter(scenario__study=study, text="Try again.").exists()
    assert study_for_arrivals("small") == study
    assert find_study("small") == newer
    assert find_study("small@1") == study


def test_indentation_makes_no_new_version_of_a_study_that_was_loaded_without() -> None:
    """Cells were read without the indentation of their first line before."""
    indented = small_study.CSV.replace("Try again.", "    Try again.")
    study = small_study.load()
    Client().get(f"/s/small/{arrival('abc')}")
    assert small_study.load(csv=indented) == study
    assert not Response.objects.filter(text__startswith=" ").exists()


def test_indentation_is_taken_over_while_nobody_has_arrived() -> None:
    study = small_study.load()
    assert small_study.load(csv=small_study.CSV.replace("Try again.", "    Try again.")) == study
    assert Response.objects.filter(text="    Try again.").exists()


def test_changed_settings_are_taken_over_and_recorded() -> None:
    study = small_study.load()
    Client().get(f"/s/small/{arrival('abc')}")
    settings = small_study.SETTINGS.model_copy(update={"ways_in": ["link"]})
    loaded = load_study(
        definition=small_study.definition(), settings=settings, rows=small_study.rows()
    )
    assert (loaded.study.pk, loaded.outcome) == (study.pk, "settings")
    assert Study.objects.get().settings["ways_in"] == ["link"]
    assert StudyEvent.objects.filter(action="settings").count() == 1


@pytest.mark.parametrize("text", ["nothing", "small@9", "small@x", "small@-1", ""])
def test_unknown_study_is_named_with_those_there_are(text: str) -> None:
    small_study.load()
    with pytest.raises(StudyNotFound, match="studies here: small@1"):
        find_study(text)


@pytest.mark.parametrize(("text", "near"), [("smal", "small"), ("smlal@1", "small@1")])
def test_study_that_may_be_meant_is_suggested(text: str, near: str) -> None:
    small_study.load()
    with pytest.raises(StudyNotFound, match=f"studies here: small@1; did you mean '{near}'"):
        find_study(text)


def test_state_changes_are_recorded_once() -> None:
    study = small_study.load()
    assert set_state(study=study, state="paused") is True
    assert set_state(study=study, state="paused") is False
    event = StudyEvent.objects.get(action="state")
    assert event.detail == {"from": "open", "to": "paused"}


def test_unknown_state_is_refused() -> None:
    study = small_study.load()
    with pytest.raises(StateError, match="choose one of draft, open, paused, closed"):
        set_state(study=study, state="shut")


def test_a_study_with_real_participants_cannot_go_back_to_draft() -> None:
    study = small_study.load()
    client = Client()
    client.get(f"/s/small/{arrival('abc')}")
    client.post("/s/small/consent/", {"agree": "yes"})
    with pytest.raises(StateError, match="pause or close it"):
        set_state(study=study, state="draft")
    assert Participant.objects.get().status == "in_progress"


# ── Completion codes ──────────────────────────────────────────────────────────────────────────────


def load_with(csv: str = small_study.CSV, **prolific: str) -> Study:
    """Load the study as a file that gives these codes says."""
    settings = Settings.model_validate({"ways_in": ["prolific"], "prolific": prolific or None})
    rows = small_study.rows(csv)
    return load_study(definition=small_study.definition(), settings=settings, rows=rows).study


def codes_of(study: Study) -> list[str]:
    return Prolific.model_validate(study.settings["prolific"]).codes


def test_random_codes_are_the_same_whenever_the_study_is_loaded_again() -> None:
    codes = codes_of(load_with())
    assert len(set(codes)) == 3
    assert codes_of(load_with()) == codes
    assert StudyEvent.objects.count() == 1


def test_random_codes_are_the_same_in_the_next_version() -> None:
    study = load_with()
    Participant.objects.create(study=study, source="prolific")
    again = load_with(CHANGED)
    assert again.version == 2
    assert codes_of(again) == codes_of(study)


def test_two_studies_have_different_random_codes() -> None:
    first = load_with()
    Study.objects.filter(pk=first.pk).update(slug="other")
    assert not set(codes_of(first)) & set(codes_of(load_with()))


def test_codes_in_the_file_replace_random_ones_until_they_are_left_out_again() -> None:
    random = codes_of(load_with())
    assert codes_of(load_with(completion_code="K7PQ2XWM")) == ["K7PQ2XWM"]
    assert codes_of(load_with()) == random


@pytest.mark.parametrize("who", [Participant, Withdrawal])
def test_codes_that_people_are_on_their_way_back_with_stay_when_the_file_loses_them(
    who: type[Participant | Withdrawal],
) -> None:
    study = load_with(completion_code="K7PQ2XWM")
    Study.objects.filter(pk=study.pk).update(random_codes={})
    kept = {"slug": study.slug, "key_kept_until": study.loaded_at} if who is Withdrawal else {}
    who.objects.create(study=study, source="prolific", **kept)
    assert codes_of(load_with())[0] == "K7PQ2XWM"


def test_codes_that_nobody_takes_back_do_not_outlive_the_file() -> None:
    """Such as the code of an example: raters who were imported have frozen the study, too."""
    study = load_with(completion_code="TEST1")
    Study.objects.filter(pk=study.pk).update(random_codes={}, frozen_at=study.loaded_at)
    Participant.objects.create(study=study, source="import")
    assert "TEST1" not in codes_of(load_with())
