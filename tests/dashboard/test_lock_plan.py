"""A plan is locked before the first participant, and everything done otherwise says so."""

import csv
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from analysis.locked_plans import LONGEST_NOTE, LockOptions, first_consent, lock_plan, locked_plan
from analysis.models import LockedPlan
from analysis.quality_rules import QualityRules
from analysis.recipe_sets import set_recipes
from analysis.rule_sets import set_rules
from survey.models import Participant, Study, StudyEvent
from tests.dashboard.loading import QUICK_RECIPES, run
from tests.dashboard.reading import text_of
from tests.factories import add_participant
from tests.survey import small_study
from tests.survey.visiting import begin

FEWER_MINUTES = QualityRules.model_validate({"duration_minutes": {"minimum": 1.0}})
MORE = "ways_in: [link, invitation]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "study.yaml").write_text(small_study.YAML + MORE, encoding="utf-8")
    (tmp_path / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
    return tmp_path


@pytest.fixture
def study(folder: Path, db: None) -> Study:
    """A study that anybody with the link may take."""
    run("load_study", folder)
    Study.objects.update(state="open")
    return Study.objects.get()


def refusal(*arguments: object) -> str:
    with pytest.raises(CommandError) as refused:
        run(*arguments)
    return str(refused.value)


def content_of(plan: LockedPlan) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(plan.content)
    return content


def consent() -> Participant:
    return begin(Client(), "/s/small/")


# ── Locking ───────────────────────────────────────────────────────────────────────────────────────


def test_plan_holds_what_is_planned_and_its_hash_is_that_of_the_text(study: Study) -> None:
    said = run("lock_plan", "small", "--note", "Power: 80 %")
    plan = LockedPlan.objects.get()
    assert said.splitlines()[:2] == ["small@1: plan 1 is locked", f"SHA-256 {plan.sha256}"]
    printed = run("lock_plan", "small", "--text", "json")
    assert hashlib.sha256(printed.encode()).hexdigest() == plan.sha256
    content = content_of(plan)
    assert content["contrast"] == "plain − tuned, reference Oracle (reference)"
    assert content["content_hash"] == study.content_hash
    assert [recipe["name"] for recipe in content["recipes"]] == ["paper", "sound"]
    assert content["rules"]["duration_minutes"] == {"minimum": 10.0, "maximum": 75.0}
    assert content["gold"]["source"] == "judge@1"
    assert (content["note"], content["replaces"]) == ("Power: 80 %", None)
    assert len(content["blocks"]) == 4
    assert set(content["blocks"][0]["responses"][0]) == {"model", "condition", "sha256"}
    assert "base_url" not in printed


def test_lock_is_among_the_changes_of_the_study(study: Study, researcher: User) -> None:
    lock_plan(study, LockOptions(), researcher)
    event = StudyEvent.objects.get(action="plan locked")
    assert event.author == researcher


def test_second_lock_says_which_there_is_and_changes_nothing(study: Study) -> None:
    run("lock_plan", "small")
    plan = LockedPlan.objects.get()
    said = refusal("lock_plan", "small")
    assert said.startswith("small@1 plan 1 of ") and plan.sha256[:12] in said
    assert said.endswith("Give a reason to put another in its place before the first participant")
    assert list(LockedPlan.objects.all()) == [plan]


def test_another_plan_takes_its_place_with_a_reason_and_both_are_kept(study: Study) -> None:
    run("lock_plan", "small")
    set_rules(study=study, rules=FEWER_MINUTES)
    run("lock_plan", "small", "--reason", "The pilot was quicker")
    first, second = LockedPlan.objects.all()
    assert locked_plan(study) == second
    replaces = {"sha256": first.sha256, "reason": "The pilot was quicker"}
    assert content_of(second)["replaces"] == replaces


def test_same_plan_again_is_not_locked_with_whatever_reason(study: Study) -> None:
    run("lock_plan", "small")
    said = refusal("lock_plan", "small", "--reason", "To be sure")
    assert said.endswith("says the same; nothing was locked")
    assert LockedPlan.objects.count() == 1


def test_reason_without_an_earlier_plan_is_refused(study: Study) -> None:
    said = refusal("lock_plan", "small", "--reason", "Why not")
    assert said == ("small@1 has no locked plan that another could replace: leave out the reason")
    assert not LockedPlan.objects.exists()


def test_nothing_is_locked_after_the_first_consent(study: Study) -> None:
    began = consent().consented_at
    assert first_consent(study) is None  # as it was read before
    said = refusal("lock_plan", "small")
    assert said == (
        f"small@1 has participants since {began:%Y-%m-%d %H:%M} UTC: a plan can be locked only "
        "before the first one. Nothing was locked"
    )
    assert not LockedPlan.objects.exists()


def test_plan_that_there_is_stays_after_the_first_consent(study: Study) -> None:
    run("lock_plan", "small")
    consent()
    said = refusal("lock_plan", "small", "--reason", "Too late")
    assert "small@1 plan 1 of " in said and said.endswith(" stays. Nothing was locked")
    assert LockedPlan.objects.count() == 1


def test_plan_can_not_be_locked_after_everyone_withdrew(study: Study) -> None:
    person = consent()
    call_command("withdraw", "small", person.pseudonym, verbosity=0)
    assert "has participants since" in refusal("lock_plan", "small")


@pytest.mark.parametrize(
    "person", [{"source": "simulated"}, {"source": "preview"}, {"source": "panel", "panel": "x"}]
)
def test_people_who_never_count_do_not_prevent_a_lock(study: Study, person: dict[str, Any]) -> None:
    add_participant(study, pseudonym="ann", **person)
    if person["source"] == "panel":
        Study.objects.update(frozen_at=timezone.now())  # what experts see is frozen, too
    run("lock_plan", "small")
    assert LockedPlan.objects.exists()


def test_imported_ratings_come_before_any_plan(study: Study) -> None:
    add_participant(study, pseudonym="ann", source="import")
    Study.objects.update(frozen_at=timezone.now())
    assert "has participants since" in refusal("lock_plan", "small")


# ── Bad input ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["smal"], "there is no study 'smal'; studies here: small@1; did you mean 'small'?"),
        (["small@2"], "there is no study 'small@2'"),
        (["small", "--text", "osf"], "small@1 has no locked plan: manage.py lock_plan small@1"),
        (["small", "--text", "word"], "argument --text: invalid choice: 'word'"),
        (["small", "--text", "osf", "--note", "x"], "--text locks nothing: leave out --note"),
        (["small", "--text", "osf", "--reason", "x"], "--text locks nothing: leave out --note"),
        (
            ["small", "--note", "x" * (LONGEST_NOTE + 1)],
            "It may have at most 5000 characters.",
        ),
        (["small", "--reason", "x" * 6000], "It may have at most 5000 characters."),
        (["small", "--unlock"], "unrecognized arguments: --unlock"),
        ([], "the following arguments are required: STUDY"),
    ],
)
def test_bad_arguments_are_told_in_one_line_and_lock_nothing(
    study: Study, arguments: list[str], says: str
) -> None:
    said = refusal("lock_plan", *arguments)
    assert says in said and "\n" not in said
    assert not LockedPlan.objects.exists()


@pytest.mark.parametrize(
    ("section", "says"),
    [
        ("primary: {model: Aunt}", "line 43, column 29: preregistration.primary.model: the study "
         "has no model 'Aunt'; did you mean 'Ant'?"),
        ("primary: {dimension: depth}", "preregistration.primary.dimension: the study has no "
         "dimension 'depth'; there is warmth"),
        ("primary: {recipe: sounds}", "preregistration.primary.recipe: the study has no recipe "
         "'sounds'; did you mean 'sound'?"),
        ("primary: {condition: tuned}", "preregistration.primary.condition: unknown key"),
        ("primery: {model: Ant}", "preregistration.primery: unknown key; did you mean 'primary'?"),
        ("hypotheses: It is better", "preregistration.hypotheses: "),
        ("hypotheses: [It is better, It is better]", "preregistration.hypotheses: text "
         "'It is better' is repeated"),
        ("sample_size: 40", "preregistration.sample_size: "),
    ],
)  # fmt: skip
def test_a_preregistration_that_does_not_fit_is_told_with_its_place_and_nothing_changes(
    study: Study, folder: Path, section: str, says: str
) -> None:
    text = small_study.YAML + MORE + f"preregistration: {{{section}}}\n"
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    before = Study.objects.values().get()
    nothing, said = refusal("load_study", folder).splitlines()
    assert nothing == "Nothing was loaded."
    assert says in said and "study.yaml, line " in said
    assert Study.objects.values().get() == before


def test_recipe_with_an_unknown_key_leaves_the_plan_as_planned(study: Study, folder: Path) -> None:
    run("lock_plan", "small")
    (folder / "recipes").mkdir()
    text = "name: mine\ntitle: Mine\nunit: rating\nmargin: {groups: 1}\n"
    (folder / "recipes" / "mine.yaml").write_text(text, encoding="utf-8")
    said = refusal("load_study", folder)
    assert "mine.yaml, line 4, column 1: margin: unknown key; did you mean 'margins'?" in said
    assert study.recipe_sets.count() == 1


# ── Texts ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.embedded
def test_texts_say_what_is_planned_without_markup(study: Study, folder: Path) -> None:
    section = (
        "preregistration:\n  question: Do tuned replies feel warmer?\n"
        "  hypotheses: [Tuned replies feel warmer & <better>.]\n"
        "  primary: {dimension: warmth, model: Ant}\n"
        "  sample_size: Forty detect half a point.\n  exploratory: [Whether age matters.]\n"
        "places: {maximum: 40}\n"
    )
    (folder / "study.yaml").write_text(small_study.YAML + MORE + section, encoding="utf-8")
    run("load_study", folder)
    run("lock_plan", "small", "--note", "A note.")
    for form in ("osf", "aspredicted"):
        text = run("lock_plan", "small", "--text", form)
        escape = "\\" if form == "osf" else ""  # in Markdown it would be an element
        for part in (
            "Do tuned replies feel warmer?",
            f"H1: Tuned replies feel warmer & {escape}<better>.",
            "H2 (tested by the main analysis, two-sided): the mean rating of Plain differs from "
            "that of Tuned for the model Ant.",
            "no participant who counts had consented",
            "40 participants who complete the survey.",
            "Forty detect half a point.",
            "Whether age matters.",
            "“How warm is this response?”, on a scale of 3 points: 1 Not at all, 2 Somewhat, "
            "3 Very.",
            "(1) who took less than 10 or more than 75 minutes",
            "Cumulative link mixed models",
            "p values of the 2 models are adjusted by Holm's method",
            "A note.",
            LockedPlan.objects.get().sha256,
        ):
            assert part in text, (form, part)
        assert "&amp;" not in text and "\ue000" not in text
    assert text.startswith("1) Data collection.")
    osf = run("lock_plan", "small", "--text", "osf")
    assert osf.startswith("# A small study\n")
    for beside in ("All pairs of systems were compared", "how often a system is first was counted"):
        assert beside in osf


@pytest.mark.embedded
@pytest.mark.parametrize(
    ("yaml", "says"),
    [
        (
            small_study.CHOICES_YAML,
            "the systems are not chosen equally often as best, nor as worst.",
        ),
        (small_study.SLIDER_YAML, "on a slider from "),
        (small_study.EVERYTHING_YAML, "Eligible are those who answer"),
        (
            small_study.YAML + small_study.COMPREHENSION,
            "participants answer 2 questions about the instructions in at most 2 attempts.",
        ),
        (small_study.YAML + small_study.TRAINING, "They then rate 2 training items with feedback"),
    ],
)
def test_any_kind_of_study_has_its_texts(db: None, yaml: str, says: str) -> None:
    study = small_study.load(yaml=yaml, state="draft")
    lock_plan(study, LockOptions(), None)
    for form in ("osf", "aspredicted"):
        text = run("lock_plan", study.slug, "--text", form)
        assert says in text and "None," not in text


# ── Pages and API ─────────────────────────────────────────────────────────────────────────────────


def test_page_locks_a_plan_by_its_author_and_offers_its_texts(page: Client, study: Study) -> None:
    address = "/studies/small/locked-plan/"
    assert "No plan is locked." in text_of(page.get(address))
    answer = page.post(address, {"confirmed": "yes", "note": "Registered"}, follow=True)
    said = text_of(answer)
    assert "Plan 1 is locked." in said and "UTC by ada. Nobody who counts" in said
    plan = LockedPlan.objects.get()
    assert plan.author is not None and plan.author.username == "ada"
    for form, ending in (("osf", "md"), ("aspredicted", "txt"), ("json", "json")):
        file = page.get(f"{address}1/{form}/")
        assert f'filename="small-1-plan-1-{form}.{ending}"' in file["Content-Disposition"]
    assert page.get(f"{address}1/json/").content.decode() == plan.content
    shared = page.get("/studies/small/downloads/").content.decode()
    assert "/studies/small@1/locked-plan/1/osf/" in shared


def test_page_locks_nothing_without_the_box_or_a_reason_or_too_late(
    page: Client, study: Study
) -> None:
    address = "/studies/small/locked-plan/"
    said = text_of(page.post(address, {}, follow=True))
    assert "Tick the box: a locked plan can't be unlocked." in said
    assert not LockedPlan.objects.exists()
    page.post(address, {"confirmed": "yes"})
    assert "Give a reason" in text_of(page.post(address, {"confirmed": "yes"}, follow=True))
    consent()
    late = {"confirmed": "yes", "reason": "Late"}
    assert "has participants since" in text_of(page.post(address, late, follow=True))
    assert "Lock another plan" not in text_of(page.get(address))
    assert LockedPlan.objects.count() == 1


@pytest.mark.parametrize("rest", ["2/osf/", "1/word/", "x/osf/"])
def test_texts_that_there_are_not_are_not_found(page: Client, study: Study, rest: str) -> None:
    lock_plan(study, LockOptions(), None)
    assert page.get(f"/studies/small/locked-plan/{rest}").status_code == 404


def test_study_without_a_plan_says_so_once_it_has_begun(page: Client, study: Study) -> None:
    consent()
    said = text_of(page.get("/studies/small/locked-plan/"))
    assert "No plan was locked before the first participant on" in said


def test_opening_tells_what_changed_since_the_lock(page: Client, study: Study) -> None:
    Study.objects.update(state="draft")
    lock_plan(study, LockOptions(), None)
    assert "Locked plan:" not in text_of(page.get("/studies/small/open/"))
    set_rules(study=study, rules=FEWER_MINUTES)
    said = text_of(page.get("/studies/small/open/"))
    assert (
        "Changed since plan 1 was locked: rule “Too fast or too slow”: Shortest time: 10 → 1 "
        "minutes. Change it back, or lock another plan with a reason"
    ) in said


def test_api_has_the_plans_and_what_differs_now(page: Client, study: Study) -> None:
    assert page.get("/api/studies/small/plans/").json() == []
    plan = lock_plan(study, LockOptions(), None)
    set_rules(study=study, rules=FEWER_MINUTES)
    [row] = page.get("/api/studies/small/plans/").json()
    assert (row["version"], row["sha256"], row["author"]) == (1, plan.sha256, None)
    assert row["content"] == plan.content
    assert row["deviations"] == [
        "rule “Too fast or too slow”: Shortest time: 10 → 1 minutes (rows of the included raters)"
    ]


# ── The report ────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def analysed(study: Study, tmp_path: Path) -> Callable[[], tuple[str, dict[str, set[str]]]]:
    """The report, and of each table of results what its rows of the included raters are, after
    real raters took the study.
    """

    def analyse() -> tuple[str, dict[str, set[str]]]:
        out = tmp_path / "out"
        call_command("analyze", "small", out=out, images=False, verbosity=0)
        marked: dict[str, set[str]] = {}
        for path in out.glob("*.csv"):
            with path.open(encoding="utf-8", newline="") as file:
                rows = [row for row in csv.DictReader(file) if "plan" in row]
            for row in rows:
                whose = row.get("raters") or ("all" if path.stem.endswith("_all") else "included")
                marked.setdefault(whose, set()).add(row["plan"])
        return (out / "report.html").read_text(encoding="utf-8"), marked

    return analyse


def rated_by_four(study: Study) -> None:
    for number, name in enumerate(["ann", "ben", "cat", "dan"]):
        add_participant(
            study,
            pseudonym=name,
            minutes=20 if number else 8,
            started_at=timezone.now(),
            rate=lambda key, number=number: 1 + (len("".join(key)) + number) % 3,  # type: ignore[misc]
        )
    Study.objects.update(frozen_at=timezone.now())


@pytest.mark.slow
@pytest.mark.embedded
def test_lock_then_change_one_rule_after_consent_and_the_report_labels_it(
    study: Study, analysed: Callable[[], tuple[str, dict[str, set[str]]]]
) -> None:
    plan = lock_plan(study, LockOptions(), None)
    rated_by_four(study)
    report, marked = analysed()
    assert marked == {"included": {"as planned"}, "all": {"as planned"}}
    assert f"SHA-256 {plan.sha256}" in report
    assert "gold scores and content are as planned." in report
    assert "(exploratory)" not in report
    rules = QualityRules.model_validate({"duration_minutes": {"minimum": 5.0}})
    set_rules(study=study, rules=rules)
    report, marked = analysed()
    assert marked == {"included": {"exploratory"}, "all": {"as planned"}}
    assert (
        "Changed since: rule “Too fast or too slow”: Shortest time: 10 → 5 minutes (rows of the "
        "included raters). Rows made with a change are labelled exploratory (column plan)."
    ) in report
    assert "(exploratory)" in report and "plan exploratory" in report
    set_rules(study=study, rules=QualityRules())
    assert analysed()[1] == {"included": {"as planned"}, "all": {"as planned"}}


@pytest.mark.slow
@pytest.mark.embedded
def test_report_without_a_plan_says_that_there_was_none(
    study: Study, analysed: Callable[[], tuple[str, dict[str, set[str]]]]
) -> None:
    set_recipes(study=study, recipes=QUICK_RECIPES)
    rated_by_four(study)
    report, marked = analysed()
    assert "No plan was locked before the first participant" in report
    assert marked == {}


@pytest.mark.slow
@pytest.mark.embedded
def test_raters_excluded_by_decision_make_every_row_exploratory(
    study: Study, analysed: Callable[[], tuple[str, dict[str, set[str]]]]
) -> None:
    set_recipes(study=study, recipes=QUICK_RECIPES)
    lock_plan(study, LockOptions(), None)
    rated_by_four(study)
    call_command("exclude", "small", "dan", reason="asked us to", verbosity=0)
    report, marked = analysed()
    assert marked == {"included": {"exploratory"}, "all": {"exploratory"}}
    assert "1 rater is excluded by decision (every row)" in report
