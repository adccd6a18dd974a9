"""Theme coding: two coders, blind to each other, by page, file and API; counts and κ in tables."""

import csv
import io
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from selectolax.lexbor import LexborHTMLParser
from sklearn.metrics import cohen_kappa_score

from analysis.execution import finished_run
from analysis.models import AnalysisRun, Coding, Result
from analysis.theme_coding import code_answers, codes_named
from dashboard.shared.models import Membership
from dashboard.shared.roles import Role
from survey.models import FreeAnswer, Presentation, Study, StudyEvent
from survey.tidy import counted_sources
from tests.dashboard.reading import text_of

pytestmark = pytest.mark.django_db

PAGE, API = "/studies/small/results/themes/", "/api/studies/small/themes/"
#: What both coders say, by answer: W is Warmth, L Length.
ADA = ["W", "W", "WL", "", "L", "W", "", "L"]
BEA = ["W", "WL", "WL", "", "", "W", "W", "L"]
NAMES = {"W": "Warmth", "L": "Length"}


@pytest.fixture
def answers(study: Study) -> list[FreeAnswer]:
    """Eight answers of Ann and Ben, and one of Dot, who is excluded and whom nobody coded."""
    shown = list(
        Presentation.objects.filter(participant__pseudonym__in=["ann", "ben"]).order_by("id")[:8]
    )
    made = [
        FreeAnswer.objects.create(
            participant=one.participant, presentation=one, name="why", text=f"Because of {n}"
        )
        for n, one in enumerate(shown)
    ]
    assert len(made) == len(ADA)
    return made


def coder(name: str, role: Role = Role.ANALYST) -> tuple[User, Client]:
    user = User.objects.create_user(name, password="pw", is_staff=True)
    Membership.objects.create(slug="small", user=user, role=role)
    client = Client()
    client.force_login(user)
    return user, client


def disagreements(client: Client) -> list[int]:
    """The numbers of the answers that the page lists as coded differently."""
    document = LexborHTMLParser(client.get(PAGE).content)
    cells = document.css("[aria-labelledby=disagreements-heading] td.text-cell")
    return [int(cell.text().rpartition(" ")[2]) for cell in cells]


def stored(run: AnalysisRun, name: str) -> list[dict[str, object]]:
    content = Result.objects.get(run=run, kind=Result.Kind.TABLE, name=name).content
    return [dict(zip(content["columns"], row, strict=True)) for row in content["rows"]]


def test_two_coders_by_page_and_api_to_counts_and_kappa(
    study: Study, answers: list[FreeAnswer], page: Client
) -> None:
    ada, ada_page = coder("ada2")
    bea, bea_page = coder("bea")
    for name in NAMES.values():
        ada_page.post(f"{PAGE}codes/", {"name": name, "definition": f"About {name}"})
    codes = {code.name: code for code in study.theme_codes.all()}
    for answer, given in zip(answers, ADA, strict=True):
        shown = text_of(ada_page.get(PAGE))
        assert answer.text in shown, "one after the other"
        sent = {"answer": answer.pk, "code": [codes[NAMES[one]].pk for one in given]}
        ada_page.post(f"{PAGE}answers/", sent | ({} if given else {"nothing": "fits"}))
    # Bea sees nothing of how Ada coded an answer until she has coded it herself
    listed = bea_page.get(f"{API}codings/").json()["results"]
    assert [row["codes"] for row in listed] == [None] * 8
    first = {"decisions": [{"answer": answers[0].pk, "codes": ["warmth"]}]}
    bea_page.post(f"{API}codings/", first, content_type="application/json")
    assert disagreements(bea_page) == []  # Ada's second answer is another one, not coded here yet
    second = {"decisions": [{"answer": answers[1].pk, "codes": ["Warmth", "Length"]}]}
    bea_page.post(f"{API}codings/", second, content_type="application/json")
    assert disagreements(bea_page) == disagreements(ada_page) == [1]
    _, reader = coder("cay")
    assert disagreements(reader) == [], "who may still code sees none"
    rest = [
        {"answer": answer.pk, "codes": [NAMES[one] for one in given]}
        for answer, given in zip(answers, BEA, strict=True)
    ][2:]
    kept = bea_page.post(f"{API}codings/", {"decisions": rest}, content_type="application/json")
    assert kept.json() == {"answers": 6}
    assert disagreements(bea_page) == [1, 4, 6]
    assert disagreements(reader) == [1, 4, 6], "each answer has two coders"
    assert page.get(API).json()["coders"] == [
        {"coder": "A", "answers": 8},
        {"coder": "B", "answers": 8},
    ]

    run = finished_run(study=study, sources=counted_sources())
    agreement = {row["code"]: row for row in stored(run, "theme_agreement")}
    for letter, name in NAMES.items():
        one, other = ([letter in given for given in who] for who in (ADA, BEA))
        assert agreement[name]["kappa"] == pytest.approx(cohen_kappa_score(one, other))
        assert agreement[name]["percent"] == 100 * sum(map(bool.__eq__, one, other)) / 8
    assert agreement["all"]["percent"] == 100 * 5 / 8
    rows = stored(run, "theme_counts")
    counts = {(row["coder"], row["code"]): row for row in rows if row["condition"] == "all"}
    assert (counts["A", "Warmth"]["n"], counts["A", "Warmth"]["answers"]) == (4, 8)
    assert counts["agreed", "Length"]["n"] == 2
    low, high = counts["A", "Warmth"]["ci_low"], counts["A", "Warmth"]["ci_high"]
    assert (low, high) == pytest.approx((21.5, 78.5), abs=0.1)  # Wilson, 4 of 8
    # no names in what is stored and shared
    assert not {"ada2", "bea"} & set(str([*rows, *agreement.values()]).split("'"))
    assert "Do coders agree?" in text_of(page.get(PAGE))
    assert StudyEvent.objects.filter(action="coded", author=bea).count() == 3
    assert StudyEvent.objects.filter(action="theme added", author=ada).count() == 2


def test_one_coder_alone_has_counts_and_no_kappa(study: Study, answers: list[FreeAnswer]) -> None:
    user, _ = coder("solo")
    call_command("themes", "add", "small", name="Warmth", verbosity=0)
    code_answers(study=study, coder=user, decisions={answers[0].pk: codes_named(study, ["Warmth"])})
    before = finished_run(study=study, sources=counted_sources())
    assert stored(before, "theme_counts")
    assert "two coders" in before.manifest["absent"]["theme_agreement"]
    code_answers(study=study, coder=user, decisions={answers[0].pk: []})
    changed = finished_run(study=study, sources=counted_sources())
    assert changed.pk != before.pk, "another decision is another analysis"
    assert stored(changed, "theme_counts")[0]["n"] == 0


def test_a_file_goes_out_and_comes_back_and_wrong_ones_change_nothing(
    study: Study, answers: list[FreeAnswer], tmp_path: Path
) -> None:
    user, client = coder("ada2")
    for name in NAMES.values():
        call_command("themes", "add", "small", name=name, verbosity=0)
    out = tmp_path / "ada.csv"
    call_command("themes", "export", "small", coder="ada2", out=out, verbosity=0)
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [row["text"] for row in rows] == [answer.text for answer in answers]
    assert {row["codes"] for row in rows} == {""}

    def write(*codes: str) -> Path:
        with out.open("w", newline="") as file:
            writer = csv.DictWriter(file, {**rows[0], "coder2": ""})
            writer.writeheader()
            writer.writerows(
                row | {"codes": given} for row, given in zip(rows, codes, strict=False)
            )
        return out

    for wrong, said in (
        ("Coldness", "line 2: column 'codes': 'Coldness' is no code"),
        ("Warmth; warmth", "'Warmth' is given twice"),
    ):
        with pytest.raises(CommandError, match=said):
            call_command("themes", "import", "small", coder="ada2", codes=write(wrong, "Length"))
        with out.open("rb") as file:
            refused = client.post(f"{PAGE}import/", {"file": file}, follow=True)
        assert "Nothing was changed" in text_of(refused)
    with pytest.raises(CommandError, match="'nobody' is no account"):
        call_command("themes", "import", "small", coder="nobody", codes=out)
    assert not Coding.objects.exists()
    coded, noted = write("Warmth; Length", "none", ""), io.StringIO()
    call_command("themes", "import", "small", coder="ada2", codes=coded, stderr=noted)
    assert noted.getvalue() == f"Note: {out}, line 1: column 'coder2' is ignored\n"
    assert Coding.objects.filter(coder=user).count() == 2
    again = b"".join(client.get(f"{PAGE}codings.csv").streaming_content).decode("utf-8-sig")  # type: ignore[attr-defined]
    kept = [row["codes"] for row in csv.DictReader(io.StringIO(again))]
    assert kept == ["Warmth; Length", "none", *[""] * 6]


def test_code_book_refuses_and_renames_in_one_line(
    study: Study, answers: list[FreeAnswer], page: Client
) -> None:
    added = page.post(API, {"name": "Warmth"}, content_type="application/json")
    assert added.status_code == 201
    for name, said in (
        ("warmth", "already has a code"),
        ("none", "can't be called"),
        ("a;b", "can't be called"),
    ):
        assert said in text_of(page.post(f"{PAGE}codes/", {"name": name}, follow=True))
        assert page.post(API, {"name": name}, content_type="application/json").status_code == 400
        with pytest.raises(CommandError, match=said):
            call_command("themes", "add", "small", name=name)
    code = added.json()["id"]
    page.post(f"{PAGE}codes/{code}/", {"name": "Kindness", "definition": "Kind words"})
    assert page.get(API).json()["codes"] == [
        {"id": code, "name": "Kindness", "definition": "Kind words"}
    ]
    renamed = page.put(f"{API}codes/{code}/", {"name": "Warmth"}, content_type="application/json")
    assert renamed.json()["name"] == "Warmth"
    nothing = page.post(f"{PAGE}answers/", {"answer": answers[0].pk}, follow=True)
    assert "Choose a code" in text_of(nothing)
    unknown = page.post(f"{PAGE}answers/", {"answer": answers[0].pk, "code": "0"}, follow=True)
    assert "does not have" in text_of(unknown)
    assert page.post(f"{PAGE}answers/", {"answer": "x"}).status_code == 404
    sent = {"decisions": [{"answer": 10**9, "codes": []}]}
    refused = page.post(f"{API}codings/", sent, content_type="application/json")
    assert (refused.status_code, Coding.objects.count()) == (400, 0)


def test_viewers_see_the_code_book_and_no_answers(
    study: Study, answers: list[FreeAnswer], page: Client
) -> None:
    _, viewer = coder("vi", Role.VIEWER)
    page.post(f"{PAGE}codes/", {"name": "Warmth"})
    shown = text_of(viewer.get(PAGE))
    assert "Warmth" in shown
    assert "Because of" not in shown
    assert viewer.get(f"{API}codings/").status_code == 403
