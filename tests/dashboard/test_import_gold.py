"""Gold scores that travel as files: whoever made them is still named when they arrive."""

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from dashboard.judges.agreement import GUARD, TABLES
from dashboard.judges.gold_sets import GoldFileOptions, import_gold_set
from judge.models import STAND_IN, GoldScore, GoldSet
from judge.queries import gold_scores
from survey.definition.options import SentFile
from survey.files.problems import DefinitionError
from survey.models import Study
from tests.dashboard.judging import answer_calls, planned
from tests.dashboard.reading import text_of
from tests.factories import Key, add_participant, make_study

pytestmark = pytest.mark.django_db

STAND_IN_JUDGE = f"puppet@1 ({STAND_IN})"
OURS = ("participants.csv", "ratings.csv", "ratings_all.csv", "gold.csv", "codebook.csv")


def rate(key: Key) -> int:
    return len("".join(key)) % 5 + 1


def scored_study(settings: Settings, *, is_stand_in: bool) -> Study:
    """Imported raters, and a judge's three scores for each response but one, which has two."""
    study = make_study()
    add_participant(study, pseudonym="anna", rate=rate, source="import", demographics={"age": 30})
    add_participant(study, pseudonym="bert", rate=rate, source="import", minutes=5)
    settings.JUDGE_STAND_IN = is_stand_in
    judge = planned(study, name="puppet", replicates=3)
    answer_calls(judge.calls.all(), lambda response, call: (response.pk + call.replicate) % 5 + 1)
    judge.calls.earliest("pk").delete()
    return study


def export(study: Study, folder: Path) -> dict[str, bytes]:
    call_command("export", str(study), out=folder, verbosity=0)
    return {name: (folder / name).read_bytes() for name in OURS}


def analyze(study: Study, folder: Path) -> dict[str, bytes]:
    """The tables about ratings, and what their columns mean.

    Those about judges call the scores by their file from then on, and know of no calls.
    """
    call_command("analyze", str(study), out=folder, images=False, verbosity=0)
    about_judges = tuple(f"{name}.csv" for name in (*TABLES, *GUARD))
    tables = {p.name: p.read_bytes() for p in folder.glob("*.csv") if p.name not in about_judges}
    del tables["protocol.csv"]  # it is about pages, too, which stay behind
    meanings = tables["codebook.csv"].splitlines(keepends=True)
    of_ratings = [row for row in meanings if not row.decode().startswith(about_judges)]
    return tables | {"codebook.csv": b"".join(of_ratings)}


#: What an import reads; the other files of an export are not asked for.
READ = ("participants.csv", "ratings.csv", "ratings_all.csv", "gold.csv")


def copy_of(folder: Path, slug: str) -> Study:
    """A fresh study of the same content, filled from the exported files alone."""
    copy = make_study(slug=slug)
    names = {"participants": "participants", "ratings": "ratings_all", "gold": "gold"}
    files = {name: folder / f"{file}.csv" for name, file in names.items()}
    call_command("import_ratings", str(copy), verbosity=0, **files)
    return copy


@pytest.mark.slow
@pytest.mark.parametrize(
    "is_stand_in",
    [
        pytest.param(True, id="stand-in", marks=pytest.mark.embedded),
        pytest.param(False, id="judge"),
    ],
)
def test_two_round_trips_give_the_same_bytes_and_name_who_made_the_scores(
    is_stand_in: bool, tmp_path: Path, settings: Settings
) -> None:
    study = scored_study(settings, is_stand_in=is_stand_in)
    exported, analysed = export(study, tmp_path / "0"), analyze(study, tmp_path / "tables 0")
    for trip in (1, 2):
        study = copy_of(tmp_path / str(trip - 1), slug=f"copy-{trip}")
        assert gold_scores(study).is_stand_in == is_stand_in
        again = export(study, tmp_path / str(trip))
        assert {name: again[name] for name in READ} == {name: exported[name] for name in READ}
        assert analyze(study, tmp_path / f"tables {trip}") == analysed

    maker = STAND_IN_JUDGE if is_stand_in else "puppet@1"
    assert set(last_cells(exported["gold.csv"])) == {maker}
    for name, table in {**exported, **analysed}.items():
        if name in (
            "participants.csv",
            "ratings.csv",
            "ratings_all.csv",
            "raters.csv",
            "items.csv",
        ):
            named = {maker} if is_stand_in else set()
            assert {cell for cell in last_cells(table) if "puppet" in cell} == named, name


def last_cells(table: bytes) -> list[str]:
    return [row[-1] for row in csv.reader(io.StringIO(table.decode()))][1:]


def test_pages_name_the_stand_in_whose_scores_were_imported(page: Client, tmp_path: Path) -> None:
    import_gold(make_study(), tmp_path, f'"{STAND_IN_JUDGE}"', f'"{STAND_IN_JUDGE}"')
    made_by = re.escape(f"({STAND_IN_JUDGE})")
    for name in ("gold", "raters", "results", "figures", "downloads"):
        shown = text_of(page.get(f"/studies/small/{name}/"))
        assert re.search(rf"A stand-in made up the (imported )?gold scores {made_by}", shown), name
    assert f"file imported , made by {STAND_IN_JUDGE}" in text_of(page.get("/studies/small/gold/"))


@pytest.mark.embedded
def test_report_names_the_maker_of_imported_scores_and_that_they_are_imported(
    tmp_path: Path,
) -> None:
    study = make_study()
    import_gold(study, tmp_path, "puppet", "puppet")
    call_command("analyze", str(study), out=tmp_path / "out", images=False, verbosity=0)
    report = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "Gold scores: puppet, imported." in report


# ── What gold.csv may say ────────────────────────────────────────────────────────────────────


def import_gold(study: Study, folder: Path, *makers: str) -> None:
    """Import a rater and gold scores; `makers` are the cells of gold_by, if there are any."""
    header, rows = "scenario,set,model,condition,gold", ["S1,1,Ant,plain,2", "S1,1,Ant,tuned,4"]
    if makers:
        header += ",gold_by"
        rows = [f"{row},{maker}" for row, maker in zip(rows, makers, strict=True)]
    texts: Mapping[str, list[str]] = {
        "participants": ["participant,status", "anna,completed"],
        "ratings": ["participant,scenario,set,model,condition,rating", "anna,S1,1,Ant,plain,2"],
        "gold": [header, *rows],
    }
    files = {name: folder / f"{name}.csv" for name in texts}
    for name, lines in texts.items():
        files[name].write_text("\n".join([*lines, ""]), encoding="utf-8")
    call_command("import_ratings", str(study), verbosity=0, **files)


@pytest.mark.parametrize("makers", [(), ("", "")], ids=["no column", "empty"])
def test_scores_of_nobody_in_particular_are_called_imported(
    makers: tuple[str, ...], tmp_path: Path
) -> None:
    study = make_study()
    import_gold(study, tmp_path, *makers)
    gold = gold_scores(study)
    assert (gold.made_by, gold.is_imported, gold.source) == ("", True, "imported")


@pytest.mark.parametrize(
    ("makers", "reason"),
    [
        (("ada", "bob"), "'bob' where the first row has 'ada'; a study has one source"),
        (("ada", ""), "'' where the first row has 'ada'; a study has one source"),
        (("x" * 201, "x" * 201), "is longer than 200 characters"),
    ],
)
def test_maker_that_is_not_one_and_the_same_is_refused(
    makers: tuple[str, ...], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(CommandError, match=f"column 'gold_by': {reason}"):
        import_gold(make_study(), tmp_path, *makers)
    assert not GoldScore.objects.exists()


def import_single(study: Study, gold: str, *single: str) -> tuple[GoldSet, list[str]]:
    header = ["scenario,set,model,condition,gold", *(f"call_{n}" for n, _ in enumerate(single, 1))]
    data = f"{','.join(header)}\nS1,1,Ant,plain,{','.join([gold, *single])}\n".encode()
    return import_gold_set(
        study, GoldFileOptions(name="theirs", file=SentFile("gold.csv", data)), None
    )


@pytest.mark.parametrize("gold", ["3.6666666666666665", "3.67", "3.7", "4"])
def test_gold_score_is_the_mean_of_its_single_scores_as_far_as_its_decimals_go(
    gold: str,
) -> None:
    added, _ = import_single(make_study(), gold, "3", "", "4", "4", "")
    assert added.scores.get().calls == [3, None, 4, 4]


@pytest.mark.parametrize(
    ("gold", "single", "reason"),
    [
        ("3.6", ("3", "4", "4"), "'gold': 3.6 is not the mean of its single scores, 3.66667"),
        ("5", ("3", "4", "4"), "'gold': 5 is not the mean of its single scores, 3.66667"),
        ("3.5", ("3", "40"), "'call_2': 40 is not between 1 and 5"),
        ("3.5", ("0", "4"), "'call_1': 0 is not between 1 and 5"),
    ],
)
def test_single_scores_that_a_gold_score_can_not_rest_on_are_refused(
    gold: str, single: tuple[str, ...], reason: str
) -> None:
    study = make_study()
    with pytest.raises(DefinitionError, match=f"line 2: column {reason}"):
        import_single(study, gold, *single)
    assert not study.gold_sets.exists()
