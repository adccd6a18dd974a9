"""`set_study STUDY open` and the page that opens a study: refused while a check finds problems."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from judge.gold import add_gold_set, choose_gold
from judge.models import STAND_IN, Judge
from survey.models import Invitation, Participant, Study, StudyEvent
from survey.studies import set_state
from tests.dashboard.loading import run
from tests.dashboard.reading import tables_of, text_of
from tests.survey import small_study

WAYS_IN = "ways_in: [prolific, link, invitation]\n"
HARMLESS = "quality: {duration_minutes: {minimum: 1}}\n"


@pytest.fixture(autouse=True)
def public(settings: Settings, db: None) -> None:
    settings.SITE_URL = "https://ratings.lakeside.edu"


def load(folder: Path, text: str = small_study.YAML, more: str = WAYS_IN + HARMLESS) -> Study:
    (folder / "study.yaml").write_text(text + more, encoding="utf-8")
    (folder / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
    run("load_study", folder)
    return Study.objects.order_by("version").last()  # type: ignore[return-value]  # just loaded


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """A draft that may be opened."""
    return load(tmp_path)


@pytest.fixture
def unfinished(tmp_path: Path) -> Study:
    """A draft whose texts nobody has filled in."""
    return load(tmp_path, small_study.YAML.replace("You will", "At Example University you will"))


@pytest.fixture
def with_stand_in(settings: Settings, study: Study) -> Study:
    Judge.objects.update(is_stand_in=True)
    return study


def refusal(*arguments: str) -> list[str]:
    with pytest.raises(CommandError) as refused:
        run("set_study", *arguments)
    return str(refused.value).splitlines()


def state_of(study: Study) -> str:
    study.refresh_from_db()
    return study.doing


# ── The command ───────────────────────────────────────────────────────────────────────────────────


def test_study_that_does_no_harm_is_opened_and_the_rest_is_listed(study: Study) -> None:
    opened, check, *rest = run("set_study", "small", "open").splitlines()
    assert (opened, check) == ("small@1 is now open", "Check these:")
    assert [line.split(": ")[0] for line in rest] == [
        "- Enough attention checks",
        "- No open link beside Prolific",
        "- Use of AI is ruled out in words",
    ]
    assert run("set_study", "small", "open") == "small@1 is already open\n"


def test_every_reason_is_told_at_once_and_nothing_is_changed(
    tmp_path: Path, settings: Settings
) -> None:
    settings.SITE_URL = "http://localhost:8000"
    text = small_study.YAML.replace("You will", "At Example University you will")
    study = load(tmp_path, text, f"{WAYS_IN}{HARMLESS}prolific: {{completion_code: EMPATHY1}}\n")
    Judge.objects.update(is_stand_in=True)
    said = refusal("small", "open")
    assert [line.partition("“")[0].partition(" http")[0] for line in said] == [
        "small@1 was not opened. First fix:",
        "- Placeholder: texts.information: ",
        "- Completion code: prolific.completion_code: ",
        "- Address of this site: Prolific would lead people to",
        "- Gold scores: They come from judge@1, a stand-in and not a language model, and the rule ",
        "Check these, too:",
        "- Enough attention checks: 1 in 5 minutes. From five minutes, one failed check is not "
        "enough to reject a participant: add checks under attention_checks until there are at "
        "least two.",
        "- A way back for every ending: People who do not consent get no code and must "
        "return their submission by hand: set prolific.declined_code.",
        "- A way back for every ending: People who withdraw get no code and must return their "
        "submission by hand: set prolific.withdrawn_code.",
        "- No open link beside Prolific: ways_in: ways_in has prolific and link. People from "
        "Prolific who take part by the open link get no code and can't be paid. Links that look "
        "like Prolific's and lack the ID are refused, but not all can be recognised: remove link, "
        "or load a copy with another slug for it.",
        "- Use of AI is ruled out in words: No text forbids answering with AI tools, so "
        "using them is no reason to reject. Write texts.ai_policy, or set it to true for a default "
        "text.",
        "To try it out: manage.py set_study small@1 open --rehearsal",
    ]
    assert state_of(study) == "draft"
    assert not StudyEvent.objects.filter(action="state").exists()


def test_rehearsal_is_refused_nothing(unfinished: Study, settings: Settings) -> None:
    settings.SITE_URL = "http://localhost:8000"
    assert run("set_study", "small", "open", "--rehearsal").splitlines() == [
        "small@1 is now open as a rehearsal",
        "Participants never count, and Prolific is not admitted.",
    ]
    assert state_of(unfinished) == "rehearsal"
    assert "already open as a rehearsal" in run("set_study", "small", "open", "--rehearsal")
    assert refusal("small", "open")[0] == "small@1 was not opened. First fix:"
    assert state_of(unfinished) == "rehearsal"


def test_rehearsal_is_followed_by_the_real_study(study: Study) -> None:
    run("set_study", "small", "open", "--rehearsal")
    assert run("set_study", "small", "open").startswith("small@1 is now open\n")
    assert state_of(study) == "open"


def test_stand_in_is_accepted_by_an_option_and_listed_all_the_same(with_stand_in: Study) -> None:
    said = refusal("small", "open")
    assert said[-2] == "To open it with a stand-in: manage.py set_study small@1 open --stand-in"
    opened = run("set_study", "small", "open", "--stand-in").splitlines()
    assert opened[0] == "small@1 is now open"
    assert any(line.startswith("- Gold scores: They come from judge@1") for line in opened)


@pytest.mark.parametrize(
    "more",
    [
        "quality: {order: [attention]}\n",
        f"{HARMLESS}judging: none\n",
        "quality: {order: [sigma_mae]}\njudging: none\n",
    ],
)
def test_nothing_asks_for_gold_scores_that_nothing_uses(tmp_path: Path, more: str) -> None:
    load(tmp_path, more=WAYS_IN + more)
    Judge.objects.update(is_stand_in=True)
    opened = run("set_study", "small", "open").splitlines()
    assert opened[0] == "small@1 is now open"
    assert not [line for line in opened if "Gold scores" in line]
    told = [line for line in opened if line.startswith("- Filter: quality.order: the study has no")]
    assert len(told) == ("sigma_mae" in more)


RECIPE = """
name: mine
title: What a paper prints
unit: rating
replication:
  - {item: distance, printed: "1.2", table: TABLE, column: mean}
"""


@pytest.mark.parametrize(("table", "uses"), [("gold_distance", True), ("rankings", False)])
def test_recipe_that_quotes_numbers_of_gold_scores_uses_them(
    tmp_path: Path, table: str, uses: bool
) -> None:
    (tmp_path / "recipes").mkdir()
    (tmp_path / "recipes" / "mine.yaml").write_text(RECIPE.replace("TABLE", table))
    load(tmp_path, more=f"{WAYS_IN}quality: {{order: [attention]}}\n")
    Judge.objects.update(is_stand_in=True)
    if not uses:
        assert run("set_study", "small", "open").startswith("small@1 is now open\n")
        return
    (said,) = [line for line in refusal("small", "open") if line.startswith("- Gold scores")]
    assert "and recipe mine compares them with printed numbers. Set" in said


def test_stand_in_in_the_prompt_of_a_judge_is_asked_about(tmp_path: Path) -> None:
    example = "{name: taught, examples: {source: file experts}}"
    study = load(
        tmp_path,
        more=f"{WAYS_IN}quality: {{order: []}}\njudging: {{judges: [{example}]}}\n",
    )
    choose_gold(study, gold_set=add_gold_set(study, name="experts", made_by=STAND_IN, scores=[]))
    (said,) = [line for line in refusal("small", "open") if line.startswith("- Gold scores")]
    assert "and judge taught@1" in said and "has them in its prompt" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["paused", "--rehearsal"], "A rehearsal goes with open, not with paused."),
        (["closed", "--rehearsal"], "A rehearsal goes with open, not with closed."),
        (["draft", "--stand-in"], "A stand-in goes with open, not with draft."),
        (["open", "--rehearsal", "--stand-in"], "always accepts a stand-in: leave it out."),
    ],
)
def test_options_that_do_not_go_together_change_nothing(
    study: Study, arguments: list[str], message: str
) -> None:
    (said,) = refusal("small", *arguments)
    assert message in said
    assert state_of(study) == "draft"


def test_study_that_people_have_begun_is_opened_again_whatever_they_have_read(
    unfinished: Study,
) -> None:
    set_state(study=unfinished, state="open")
    Client().get("/s/small/")
    Study.objects.update(frozen_at=unfinished.loaded_at, state="paused")
    opened = run("set_study", "small", "open")
    assert "- Placeholder: texts.information: “Example University”" in opened


def test_loading_says_what_refuses_an_opening_of_a_draft_alone(
    unfinished: Study, tmp_path: Path
) -> None:
    not_ready, rehearse = "Not ready to open: ", "open --rehearsal"
    said = run("load_study", tmp_path)
    assert (not_ready in said, rehearse in said) == (True, True)
    Study.objects.update(frozen_at=unfinished.loaded_at)  # as by an import of ratings
    said = run("load_study", tmp_path)
    assert (not_ready in said, rehearse in said) == (False, False)
    assert "Notice: " in said and "Placeholder: “Example University”" in said
    Study.objects.update(frozen_at=None, state="open")
    assert not_ready not in run("load_study", tmp_path)


def test_rehearsal_of_what_people_have_begun_is_not_suggested(with_stand_in: Study) -> None:
    assert any("open --rehearsal" in line for line in refusal("small", "open"))
    Study.objects.update(frozen_at=with_stand_in.loaded_at)
    assert not any("open --rehearsal" in line for line in refusal("small", "open"))


def test_invitations_that_were_rehearsed_with_are_told_at_opening(study: Study) -> None:
    run("set_study", "small", "open", "--rehearsal")
    token = Invitation.objects.create(study=study).token
    Client().get(f"/s/small/?invite={token}")
    assert "- Invitations: 1 was used in the rehearsal" in run("set_study", "small", "open")


def test_imported_scores_of_a_stand_in_are_refused_too(study: Study) -> None:
    gold_set = add_gold_set(study, name="file", made_by=f"judge@1 ({STAND_IN})", scores=[])
    choose_gold(study, gold_set=gold_set, why="it is there")
    (said,) = [line for line in refusal("small", "open") if line.startswith("- Gold scores")]
    assert said.startswith("- Gold scores: They come from file")


def test_rule_that_does_not_fit_the_scale_is_told(tmp_path: Path) -> None:
    load(tmp_path, more=f"{WAYS_IN}quality: {{sigma_mae: {{sigma_below: 1.6, mae_above: 2}}}}\n")
    said = run("set_study", "small", "open")
    assert "quality.sigma_mae.sigma_below: on a scale from 1 to 3 no standard deviation is" in said
    assert "quality.sigma_mae.mae_above: on a scale from 1 to 3 no rater is more than 2" in said


# ── The page ──────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def page(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("ada"))
    return client


def press(page: Client, **sent: str) -> str:
    """Send what a button of the page sends; the text of where it leads."""
    sent = {"state": "open", "confirmed": "yes"} | sent
    return text_of(page.post("/studies/small/state/", sent, follow=True))


def test_page_that_opens_a_study_first_lists_every_problem(page: Client, unfinished: Study) -> None:
    answer = page.post("/studies/small/state/", {"state": "open"}, follow=True)
    shown = text_of(answer)
    assert "The study can't be opened yet. First fix this problem." in shown
    assert "Placeholder: texts.information: “Example University”" in shown
    assert "Check these 3 points, too." in shown
    assert "Open the study</button>" not in answer.content.decode()
    assert state_of(unfinished) == "draft"


def test_study_is_opened_from_its_page(page: Client, study: Study) -> None:
    shown = text_of(page.get("/studies/small/open/"))
    assert "No problems found that prevent opening." in shown
    assert "small@1 is now open." in press(page)
    assert state_of(study) == "open"
    assert StudyEvent.objects.latest("pk").author is not None
    assert page.get("/studies/small/open/").status_code == 302  # nothing left to open


def test_page_opens_nothing_that_would_do_harm(page: Client, unfinished: Study) -> None:
    shown = press(page)
    assert "small@1 was not opened: see below." in shown
    assert "Placeholder: texts.information" in shown
    assert state_of(unfinished) == "draft"


def test_rehearsal_is_opened_from_the_page_and_labelled_on_every_one(
    page: Client, unfinished: Study
) -> None:
    shown = press(page, rehearsal="yes")
    assert "small@1 is now open as a rehearsal." in shown
    assert "A rehearsal: " in shown
    assert state_of(unfinished) == "rehearsal"
    for address in ("", "raters/", "results/", "policy/", "open/"):
        head = page.get(f"/studies/small/{address}").content.decode().split("<nav class")[0]
        assert ">rehearsal</span>" in head
    assert tables_of(page.get("/"))[0][1][1] == "rehearsal"
    assert page.get("/api/studies/").json()["results"][0]["is_rehearsal"] is True


def test_rehearsal_has_the_button_that_opens_the_study(page: Client, study: Study) -> None:
    press(page, rehearsal="yes")
    html = page.get("/studies/small/").content.decode()
    assert '<button class="button" name="state" value="open">' in html
    assert "Open as a rehearsal" not in page.get("/studies/small/open/").content.decode()
    assert "small@1 is now open." in press(page)


def test_stand_in_takes_a_box_to_be_ticked(page: Client, with_stand_in: Study) -> None:
    assert 'name="stand_in"' in page.get("/studies/small/open/").content.decode()
    assert "was not opened" in press(page)
    assert "small@1 is now open." in press(page, stand_in="yes")


def test_rehearsal_of_another_state_is_refused_with_its_reason(page: Client, study: Study) -> None:
    assert "A rehearsal goes with open, not with paused." in press(
        page, state="paused", rehearsal="yes"
    )
    assert state_of(study) == "draft"


def test_opening_page_is_not_for_strangers(client: Client, study: Study) -> None:
    assert client.get("/studies/small/open/").headers["Location"].startswith("/login/")


# ── What else says that it is a rehearsal ─────────────────────────────────────────────────────────


def test_invitations_written_in_a_rehearsal_come_with_a_warning(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    set_state(study=study, state="open", rehearsal=True)
    call_command("invite", "small")
    assert "stay test people" in capsys.readouterr().err
    assert not Participant.objects.exists()
