"""Design: what participants read, every page as they see it, and how versions differ."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.html import escape

from dashboard.overview.log import LINES_SHOWN
from survey.content import content_of
from survey.definition.visible import visible_texts
from survey.models import Participant, Study, StudyEvent
from survey.studies import set_state
from tests.dashboard.reading import tables_of, text_of
from tests.survey import small_study
from tests.survey.visiting import LAST_PAGE, begin, take
from tests.survey.withdrawing import whole_database

# What pages show: the database changes nothing of it.
pytestmark = pytest.mark.embedded

PAGES = "/studies/small/pages/"


def page_names(page: Client, query: str = "") -> list[str]:
    """The pages that the preview lists, by their names in the address."""
    shown = page.get(PAGES + query).content.decode()
    return re.findall(r'href="/studies/small@1/pages/([^/"?]+)/\?', shown)


@pytest.fixture
def everything(db: None) -> Study:
    """Ratings, ranks and choices, checks of both kinds, screening, two languages; a draft."""
    return small_study.load(yaml=small_study.EVERYTHING_YAML, state="draft")


# ── Previews ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "yaml", [small_study.EVERYTHING_YAML, small_study.SLIDER_YAML, small_study.CHOICES_YAML]
)
def test_every_page_of_every_kind_of_task_is_previewed_and_nothing_recorded(
    page: Client, yaml: str
) -> None:
    small_study.load(yaml=yaml, state="draft")
    names = page_names(page)
    assert names[0] == "information" and names[-1] == "closed" and "completed" in names
    before = whole_database()
    for name in names:
        answer = page.get(f"{PAGES}{name}/")
        assert answer.status_code == 200
        assert "Buttons do nothing here, and nothing is recorded" in text_of(answer)
        assert "form-action 'none'" in answer["Content-Security-Policy"]
        assert page.post(f"{PAGES}{name}/").status_code == 405
    assert whole_database() == before


def main_of(html: str) -> str:
    """What a page shows in its main part, without what is the participant's own."""
    main = html[html.index("<main") : html.index("</main>")]
    main = re.sub(r'<input type="hidden"[^>]*>|<a class="back".*?</a>', "", main)
    return re.sub(r"\s+", " ", main).replace(" </p>", "</p>")


def test_preview_is_what_a_participant_sees(page: Client) -> None:
    balanced = "order: {responses: balanced, blocks: balanced}\n"
    yaml = small_study.YAML.replace("after_blocks: [1, 3]", "after_blocks: [2, 2]") + balanced
    small_study.load(yaml=yaml)
    client = Client()
    slot = begin(client).slot
    assert slot is not None
    for number in range(1, LAST_PAGE + 1):
        seen = client.get(f"/s/small/page/{number}/").content.decode()
        previewed = page.get(f"{PAGES}{number}/?participant={slot + 1}").content.decode()
        assert main_of(previewed) == main_of(seen), number
        if number < LAST_PAGE:
            take(client, range(number, number + 1))


def test_back_and_stop_of_a_preview_lead_to_previews(page: Client) -> None:
    small_study.load(state="draft")
    block = page.get(f"{PAGES}3/").content.decode()
    back, stop = (f'href="/studies/small@1/pages/{name}/?participant=1"' for name in ("2", "stop"))
    assert f'class="back" {back}>Back</a>' in block and f"{stop}>Stop here</a>" in block
    stopping = page.get(f"{PAGES}stop/")
    assert "Do you want to stop?" in text_of(stopping)
    assert "/s/small/" not in block + stopping.content.decode()


def test_preview_speaks_every_language_of_the_study(page: Client, everything: Study) -> None:
    name = page_names(page)[3]
    chinese = page.get(f"{PAGES}{name}/?language=zh-hans")
    assert '<html lang="zh-hans">' in chinese.content.decode()
    assert '<html lang="en">' in page.get(f"{PAGES}{name}/").content.decode()


def test_blocks_that_one_participant_does_not_see_are_found_with_another(page: Client) -> None:
    small_study.load(yaml=small_study.SLIDER_YAML, state="draft")  # three of four blocks
    shown = page.get(PAGES)
    [(label, other)] = re.findall(
        r"<li>([^<:]+): see <a href=\"\?participant=(\d+)", shown.content.decode()
    )
    assert label not in tables_of(shown)[0][1:]
    assert any(label in row[1] for row in tables_of(page.get(f"{PAGES}?participant={other}"))[0])


@pytest.mark.parametrize(
    "address",
    ["999/", "nothing/", "1/?participant=0", "1/?participant=x", "1/?language=fr", "?language=x"],
)
def test_preview_of_what_is_not_there(page: Client, everything: Study, address: str) -> None:
    assert page.get(PAGES + address).status_code == 404


# ── Texts ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_texts_hold_all_that_participants_read(
    page: Client, everything: Study, language: str
) -> None:
    shown = text_of(page.get(f"/studies/small/texts/?language={language}"))
    definition = content_of(everything).in_language(language)
    texts = [text for path, text in visible_texts(definition) if path[0] != "title"]
    texts += list(everything.scenarios.values_list("prompt", flat=True))
    missing = [
        line
        for text in texts
        for line in text.replace("*", "").splitlines()
        if " ".join(line.strip("# ").split()) not in shown
    ]
    assert missing == []


def test_texts_say_when_and_by_whom_they_were_loaded(page: Client, everything: Study) -> None:
    loaded = f"small@1, loaded at {everything.loaded_at:%Y-%m-%d %H:%M} UTC"
    assert f"{loaded} on the command line" in text_of(page.get("/studies/small/texts/"))
    StudyEvent.objects.update(author=User.objects.create_user("grace"))
    assert f"{loaded} by grace" in text_of(page.get("/studies/small/texts/"))


# ── Versions ──────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def two_versions(db: None) -> Study:
    """The second of two versions: another text, another question, another response."""
    first = small_study.load()
    Participant.objects.create(study=first, source="link")
    return small_study.load(
        yaml=small_study.YAML.replace("Rate each reply on its own.", "Rate each reply.").replace(
            "  - {name: state,", "  - {name: income, kind: integer, question: How much?, "
            "minimum: 0, maximum: 9}\n  - {name: state,"
        ),
        csv=small_study.CSV.replace("Time heals.", "<b>Time</b> heals."),
    )  # fmt: skip


def test_versions_tell_what_changed_in_words_and_line_by_line(
    page: Client, two_versions: Study
) -> None:
    answer = page.get("/studies/small/versions/")
    shown = text_of(answer)
    assert "What changed from small@1 to small@2" in shown
    assert "Texts 1 changed" in shown
    assert (
        "Removed: instructions: Rate each reply on its own. Added: instructions: Rate each" in shown
    )
    assert "Demographics 5 added" in shown
    assert "Prompts and responses 1 changed" in shown
    assert escape("<b>Time</b> heals.") in answer.content.decode()
    assert [row[0] for row in tables_of(answer)[0][1:]] == ["small@2 (this one)", "small@1"]


def test_versions_head_every_key_by_its_name(page: Client, db: None) -> None:
    Participant.objects.create(study=small_study.load(), source="link")
    closing = "closing: [{kind: text, name: why, question: Why?}]\n"
    more = f"wording: {{heading: She writes}}\nrecord_writing: true\n{closing}"
    small_study.load(yaml=small_study.YAML.replace("minutes: 5", "minutes: 6") + more)
    changed = text_of(page.get("/studies/small/versions/")).partition("What changed")[2]
    for part in ("Minutes 1 changed", "Wording 1 added", "Recording of writing 1 added"):
        assert part in changed
    assert "Other" not in changed


def test_first_version_can_be_compared_with_a_later_one(page: Client, two_versions: Study) -> None:
    assert "This is the first version." in text_of(page.get("/studies/small@1/versions/"))
    shown = text_of(page.get("/studies/small@1/versions/?version=2"))
    assert "What changed from small@2 to small@1" in shown


@pytest.mark.parametrize("version", ["1", "3", "x", "0"])
def test_versions_that_are_not_there_are_not_compared(page: Client, db: None, version: str) -> None:
    small_study.load()
    assert page.get(f"/studies/small/versions/?version={version}").status_code == 404


def test_versions_list_the_newest_changes_and_go_on_to_earlier_ones(page: Client) -> None:
    study = small_study.load(state="draft")
    for number in range(LINES_SHOWN):
        detail = {"participants": number + 1}
        StudyEvent.objects.create(study=study, action="excluded", detail=detail)
    first = page.get("/studies/small/versions/")
    assert len(tables_of(first)[1][1:]) == LINES_SHOWN
    assert "Earlier changes" in text_of(first)
    before = first.context["log"].earlier
    earlier = page.get(f"/studies/small/versions/?before={before}")
    assert [row[3] for row in tables_of(earlier)[1][1:]] == ["Texts, tasks and responses loaded"]
    assert "Earlier changes" not in text_of(earlier)


def test_versions_list_who_did_what_and_when(page: Client, researcher: User) -> None:
    study = small_study.load(state="draft")
    set_state(study=study, state="open", author=researcher)
    change = {"from": {"places": {"maximum": 10}}, "to": {"places": {"maximum": 20}}}
    StudyEvent.objects.create(study=study, action="settings", detail=change)
    StudyEvent.objects.create(study=study, action="excluded", detail={"participants": 2})
    rows = tables_of(page.get("/studies/small/versions/"))[1][1:]
    assert [row[2:] for row in rows] == [
        ["command line", "Excluded: 2 participants"],
        ["command line", "Settings changed: places.maximum: 10 → 20"],
        ["ada", "Draft → open"],
        ["command line", "Texts, tasks and responses loaded"],
    ]
