"""Studies of other shapes, from files: what loading refuses, and what raters see of them."""

import csv
from collections import Counter
from io import StringIO
from itertools import product
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django.live_server_helper import LiveServer

from survey.models import Presentation, Rating, Study
from tests.survey.wide_study import (
    CHOICES,
    HALF_POINTS,
    HALF_STEPS,
    LIKERT,
    RANKING,
    SLIDER,
    THREE_NAMES,
    csv_of,
    yaml_of,
)

SETS = 'sets: {"1": [M1], "2": [M2]}'
OF_SETS = (
    "scenario,set,prompt,model,condition,response\n"
    + "".join(
        f"S1,{n},Hi,{model},{condition},Reply of {model} {condition} in {n}\n"
        for n, (model, condition) in product("12", [("Oracle", "reference")])
    )
    + "".join(
        f"S1,{n},Hi,M{n},{condition},Reply of M{n} {condition}\n"
        for n, condition in product("12", ("plain", "tuned"))
    )
)


def run(*args: object) -> str:
    out = StringIO()
    call_command(*map(str, args), stdout=out)
    return out.getvalue()


def write(folder: Path, yaml: str, responses: str) -> Path:
    (folder / "study.yaml").write_text(yaml)
    (folder / "responses.csv").write_text(responses)
    return folder


@pytest.mark.parametrize(
    ("yaml", "responses", "line", "said"),
    [
        (
            yaml_of(),
            csv_of(14),
            1,
            "systems_per_page: scenario 'S1' has 14 responses to show, and a page shows at most 8: "
            "say how many of them, for example systems_per_page: 4",
        ),
        (
            yaml_of("systems_per_page: 0"),
            csv_of(14),
            13,
            "systems_per_page: Input should be greater than or equal to 1",
        ),
        (
            yaml_of("systems_per_page: 9"),
            csv_of(14),
            13,
            "systems_per_page: Input should be less than or equal to 8",
        ),
        (
            yaml_of("systems_per_page: three"),
            csv_of(14),
            13,
            "systems_per_page: Input should be a valid integer",
        ),
        (
            yaml_of("systems_per_page: 6"),
            csv_of(5),
            13,
            "systems_per_page: scenario 'S1' has only 5 responses that one participant may see",
        ),
        (
            yaml_of("systems_per_page: 3", "between_subjects: condition"),
            csv_of(6, plain=4),
            13,
            "systems_per_page: scenario 'S1' has only 2 responses that one participant may see",
        ),
        (
            yaml_of("systems_per_page: 1", tasks=(LIKERT, RANKING)),
            csv_of(5),
            10,
            "tasks.1.kind: a page shows one response, and this task compares two or more",
        ),
        (
            yaml_of("between_subjects: system", tasks=(CHOICES,)),
            csv_of(2),
            7,
            "tasks.0.kind: a page shows one response, and this task compares two or more",
        ),
        (
            yaml_of(tasks=(RANKING,)),
            csv_of(3) + "S3,Prompt 3,M1,plain,Alone\n",
            7,
            "tasks.0.kind: a page of scenario 'S3' shows one response, and this task compares two "
            "or more: remove the scenario, or add a response",
        ),
        (
            yaml_of("between_subjects: systems"),
            csv_of(2),
            13,
            "between_subjects: Input should be 'system', 'model' or 'condition'",
        ),
        (
            yaml_of("between_subjects: condition"),
            csv_of(3),
            13,
            "between_subjects: the responses are all of one condition",
        ),
        (
            yaml_of("between_subjects: model", SETS),
            OF_SETS,
            13,
            "between_subjects: scenario 'S1' in set '1' has no response of model M2, so the "
            "participants who see that model would have no page there: remove the scenario, add "
            "the response or, where ratings from elsewhere are imported, leave out "
            "between_subjects",
        ),
        (
            yaml_of("between_subjects: system"),
            csv_of(3) + "S3,Prompt 3,M1,plain,Alone\nS3,Prompt 3,M2,plain,Also\n",
            13,
            "between_subjects: scenario 'S3' has no response of system 'M3' (plain), so the "
            "participants who see that system would have no page there: remove the scenario, add "
            "the response or, where ratings from elsewhere are imported, leave out "
            "between_subjects",
        ),
        (
            yaml_of("reference_on_every_page: true"),
            csv_of(5, reference=True),
            13,
            "reference_on_every_page: every page shows its whole block; leave this out, or set "
            "systems_per_page",
        ),
        (
            yaml_of("reference_on_every_page: true", "systems_per_page: 1"),
            csv_of(5, reference=True),
            13,
            "reference_on_every_page: with one response a page, raters would see nothing but the "
            "reference",
        ),
        (
            yaml_of("reference_on_every_page: true", "systems_per_page: 3"),
            csv_of(5),
            13,
            "reference_on_every_page: scenario 'S1' has no response of the reference",
        ),
        (
            yaml_of("reference_on_every_page: true", "systems_per_page: 3").replace(
                "reference: {model: Oracle, condition: reference}\n", ""
            ),
            csv_of(5),
            12,
            "reference_on_every_page: the study names no reference",
        ),
        (
            yaml_of("places: {maximum: 5, ratings_per_response: 3}"),
            csv_of(5),
            13,
            "places: give one of maximum, ratings_per_block and ratings_per_response: each "
            "determines the others",
        ),
        (
            yaml_of("systems_per_page: 3"),
            csv_of(51, scenarios=1),
            0,
            "scenario 'S1' has 51 responses; a block has at most 50",
        ),
        (
            yaml_of(tasks=(HALF_POINTS.replace("1.5", "1.33333"),)),
            csv_of(5),
            8,
            "tasks.0.scale.1.value: must be a number with at most 4 decimals, such as 2 or 2.5",
        ),
        (
            yaml_of(tasks=(HALF_POINTS.replace("1.5", "one"),)),
            csv_of(5),
            8,
            "tasks.0.scale.1.value: must be a number with at most 4 decimals, such as 2 or 2.5",
        ),
        (
            yaml_of(tasks=(HALF_STEPS.replace("0.5", "one"),)),
            csv_of(5),
            9,
            "tasks.0.step: must be a number with at most 4 decimals, such as 2 or 2.5",
        ),
        (
            yaml_of(tasks=(HALF_STEPS.replace("0.5", "0.3"),)),
            csv_of(5),
            9,
            "tasks.0.step: must lead from minimum to maximum in at most 2000 equal steps",
        ),
        (
            yaml_of("judging: {judges: [{scale: [{value: 1, label: a}, {value: 1.5, label: b}]}]}"),
            csv_of(5),
            13,
            "judging.judges.0.scale: a judge gives whole points only",
        ),
    ],
)
def test_a_mistake_is_one_line_that_names_file_line_and_key(
    db: None, tmp_path: Path, yaml: str, responses: str, line: int, said: str
) -> None:
    with pytest.raises(CommandError) as caught:
        run("load_study", write(tmp_path, yaml, responses))
    head, problem = str(caught.value).splitlines()
    assert head == "Nothing was loaded."
    assert problem.endswith(said)
    if line:
        assert problem.startswith(f"{tmp_path / 'study.yaml'}, line {line}, ")
    else:
        assert problem.startswith(f"{tmp_path / 'responses.csv'}, line ")
    assert not Study.objects.exists()


SHAPES = {
    "3 of 14": (yaml_of("systems_per_page: 3"), csv_of(14, scenarios=5), 3),
    "one at a time": (
        yaml_of("systems_per_page: 1", "order: {responses: balanced}", tasks=(SLIDER,)),
        csv_of(5, scenarios=3),
        1,
    ),
    "one system alone": (yaml_of(tasks=(SLIDER,)), csv_of(1, scenarios=6), 1),
    "two systems between": (yaml_of("between_subjects: system"), csv_of(2, scenarios=4), 1),
    "conditions between, some of each, with the reference": (
        yaml_of(
            *("between_subjects: condition", "systems_per_page: 3"),
            *("reference_on_every_page: true", "order: {responses: balanced, blocks: balanced}"),
            tasks=(LIKERT, RANKING, CHOICES),
        ),
        csv_of(8, plain=4, reference=True),
        3,
    ),
    "half points": (yaml_of("systems_per_page: 2", tasks=(HALF_POINTS,)), csv_of(5), 2),
    "half steps": (yaml_of(tasks=(HALF_STEPS,)), csv_of(3), 3),
    "names of dimensions": (yaml_of(tasks=(THREE_NAMES,)), csv_of(3), 3),
    "tenths": (yaml_of(tasks=(HALF_STEPS.replace("0.5", "0.1"),)), csv_of(3), 3),
    "eight a page": (yaml_of("systems_per_page: 8", tasks=(LIKERT, CHOICES)), csv_of(9), 8),
}


#: What has most in it. One database stores any of the others as another does.
RICHEST = "conditions between, some of each, with the reference"
OTHERS = pytest.mark.embedded
ONE_AND_OTHERS = [pytest.param(name, marks=() if name == RICHEST else OTHERS) for name in SHAPES]


#: Shapes with ratings that are no whole numbers.
DECIMALS = ("half points", "half steps", "tenths")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("shape_name", ONE_AND_OTHERS)
def test_a_study_goes_from_files_to_files_again(
    live_server: LiveServer, tmp_path: Path, shape_name: str
) -> None:
    """Loaded, taken by simulated raters, exported; the export imports into the same study."""
    yaml, responses, shown = SHAPES[shape_name]
    folder = tmp_path / "study"
    folder.mkdir()
    said = run("load_study", write(folder, yaml, responses))
    (tmp_path / "careful.yaml").write_text("behaviours: {}\n")
    simulate = ("simulate", "wide", "--participants", 6, "--seed", 2, "--server", live_server.url)
    assert "6 completed" in run(*simulate, "--profile", tmp_path / "careful.yaml")
    blocks = responses.count("\n") - 1  # rows, an upper limit for what was shown of each
    orders = list(Presentation.objects.values_list("response_order", flat=True))
    assert {len(set(order or ())) for order in orders} == {shown}
    assert len(orders) <= 6 * blocks
    for presentation in Presentation.objects.all():
        rated = Rating.objects.filter(presentation=presentation, task__in=("likert", "slider"))
        assert {rating.response_id for rating in rated} == set(presentation.response_order or ())
    counts = Counter(response for order in orders for response in order or ())
    by_scenario: dict[int, list[int]] = {}
    study = Study.objects.get()
    for block in study.blocks.all():
        alternating = block.responses.exclude(system__condition="reference")
        by_scenario[block.pk] = [counts[pk] for pk in alternating.values_list("pk", flat=True)]
    if "between" not in yaml:  # there, within each group
        assert all(max(own) - min(own) <= 1 for own in by_scenario.values())
    export = tmp_path / "export"
    run("export", "wide", "--out", export, "--include", "simulated")
    rows = read(export / "ratings_all.csv")
    written = {row["rating"] for row in rows}
    assert any("." in rating for rating in written) == (shape_name in DECIMALS)
    assert not any(rating.endswith(".0") for rating in written)
    places = Counter(row["response_position"] for row in rows)
    assert set(places) == {str(place) for place in range(1, shown + 1)}
    Study.objects.get().participants.all().delete()
    files = ["--participants", export / "participants.csv", "--ratings"]
    files += [export / "ratings_all.csv"]
    if "ranking" in yaml or "best_worst" in yaml:
        files += ["--ranks", export / "ranks.csv"]
    run("import_ratings", "wide", *files)
    again = tmp_path / "again"
    run("export", "wide", "--out", again, "--include", "simulated")
    for name in ("ratings_all.csv", "ranks.csv"):
        if (export / name).exists():
            assert (again / name).read_text() == (export / name).read_text()
    imported = Presentation.objects.values_list("response_order", flat=True)
    assert Counter(map(str, imported)) == Counter(map(str, orders))
    assert said


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
