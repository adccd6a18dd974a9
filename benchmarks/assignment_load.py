"""Many people who start at once, some of whom leave: do targets hold, is a place ever oversold?

Simulated raters, who have their own pool of places under the same rules, take a small balanced
study over HTTP. Who leaves midway does so three hours ago by their own clock, so
that the others find them silent and take over their places. README.md beside this file says more.
"""

import argparse
import csv
import io
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from statistics import quantiles
from subprocess import CalledProcessError
from typing import Any

import psycopg
import requests
from django.conf import settings

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # this file is run by its name

from benchmarks.load.servers import Bench, rows
from benchmarks.load.site import Site, Wrong
from benchmarks.load.walker import Walker
from benchmarks.running.tables import reported
from config.processes import ProcessError

SCENARIOS, SETS = 2, ("1", "2")
RESPONSES = 5
BLOCKS_EACH = 2
#: Slots after which order and choice of blocks (4) and orders of responses (20) are complete.
SQUARES = 20
RESEARCHER = {"username": "bench", "password": "bench"}

STUDY = """\
slug: load
title: A study under load
estimated_minutes: 5
texts: {information: Read., instructions: Rate., thanks: Thanks.}
consent: {statement: I agree.}
tasks:
  - kind: likert
    scale: [{value: 1, label: low}, {value: 2, label: middle}, {value: 3, label: high}]
    dimensions: [{name: quality, question: How good is it?}]
conditions: [a, b, c, d, e]
sets: {"1": [M1], "2": [M2]}
order: {responses: balanced, blocks: balanced}
"""

Cell = tuple[str, str, str]


def write_study(folder: Path, places: int) -> None:
    """A study folder of SCENARIOS × SETS blocks that takes `places` people."""
    folder.mkdir()
    last = f"""\
blocks_per_participant: {BLOCKS_EACH}
places: {{maximum: {places}}}
prolific: {{completion_code: DONE1, full_code: FULL1}}
"""
    (folder / "study.yaml").write_text(STUDY + last, encoding="utf-8")
    with (folder / "responses.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["scenario", "set", "prompt", "model", "condition", "response"])
        for scenario in range(1, SCENARIOS + 1):
            for name in SETS:
                for condition in "abcde":
                    text = f"Reply {condition} to {scenario} in {name}."
                    prompt = f"Prompt {scenario}"
                    writer.writerow([f"S{scenario}", name, prompt, f"M{name}", condition, text])


def start_server(bench: Bench) -> tuple[Site, str]:
    """The product with the study as a draft and a researcher; the site and its database."""
    environment = bench.environment("load")
    environment["SIMULATION_KEY"] = settings.SIMULATION_KEY
    logins = {f"DJANGO_SUPERUSER_{key.upper()}": value for key, value in RESEARCHER.items()}
    for command in (
        ["migrate"],
        ["collectstatic", "--no-input"],
        ["load_study", str(bench.study)],
        ["createsuperuser", "--no-input", "--email", "bench@example.org"],
    ):
        bench.run("manage.py", *command, environment=environment | logins)
    server, port = bench.serve("config.wsgi", environment)
    url = environment["DATABASE_URL"]
    return Site("Fivefold", server, port, "/s/load/", {"DONE1"}, BLOCKS_EACH, RESPONSES), url


def crowd(site: Site, people: int, leaving: float, seed: int) -> list[Walker]:
    """Everybody in the order of their arrival."""
    draw = random.Random(seed)
    now = datetime.now(UTC)
    early = now - timedelta(hours=3)
    leavers = set(draw.sample(range(people), round(people * leaving)))
    return [
        Walker(
            site,
            f"person-{number}",
            at=early if number in leavers else now,
            leaves_after=draw.randrange(BLOCKS_EACH) if number in leavers else None,
        )
        for number in range(people)
    ]


# ── Checks ───────────────────────────────────────────────────────────────────────────────────


def direct_count(url: str) -> dict[str, Counter[Cell]]:
    """What those who hold a place were shown, counted row by row, past Django."""
    names = {
        (block, response): (scenario, set_name, f"{model} ({condition})")
        for block, response, scenario, set_name, model, condition in rows(
            url,
            """SELECT m.block_id, m.response_id, s.name, b.set_name, y.model, y.condition
            FROM survey_blockresponse m JOIN survey_block b ON b.id = m.block_id
            JOIN survey_scenario s ON s.id = b.scenario_id
            JOIN survey_response r ON r.id = m.response_id
            JOIN survey_system y ON y.id = r.system_id""",
        )
    }
    counts: dict[str, Counter[Cell]] = {}
    for block, order, position in rows(
        url,
        """SELECT p.block_id, p.response_order, p.position FROM survey_presentation p
        JOIN survey_slot h ON h.participant_id = p.participant_id""",
    ):
        shown = [names[block, response] for response in _list(order)]
        responses = [" · ".join(name) for name in shown]
        label = " · ".join(shown[0][:2])
        cells: list[tuple[str, str, str]] = [("block_slot", label, str(position))]
        for place, (_, _, system) in enumerate(shown, start=1):
            cells += [
                ("system_position", system, str(place)),
                ("system_slot", system, str(position)),
                ("response_position", responses[place - 1], str(place)),
            ]
        cells += [("response_follows", one, other) for one, other in pairwise(responses)]
        cells += [("system_follows", one[2], other[2]) for one, other in pairwise(shown)]
        for table, row, column in cells:
            counts.setdefault(table, Counter())[table, row, column] += 1
    return counts


def _list(order: Any) -> list[int]:
    loaded: list[int] = json.loads(order) if isinstance(order, str) else order
    return loaded


def certificate(site: Site) -> Iterator[dict[str, str]]:
    """The certificate that a researcher downloads, those of its rows about holders of places."""
    with requests.Session() as session:
        address = f"http://127.0.0.1:{site.port}"
        session.get(f"{address}/login/", timeout=60)
        form = RESEARCHER | {"csrfmiddlewaretoken": session.cookies["csrftoken"]}
        session.post(f"{address}/login/", data=form, timeout=60)
        began = time.perf_counter()
        reply = session.get(f"{address}/studies/load/order/certificate.csv", timeout=600)
        reply.raise_for_status()
        print(f"  certificate in {time.perf_counter() - began:.2f} s")
    for row in csv.DictReader(io.StringIO(reply.content.decode("utf-8-sig"))):
        if (row["pool"], row["people"]) == ("simulated", "places"):
            yield row


def check(site: Site, url: str, walkers: list[Walker], places: int) -> None:
    """Everything that must hold afterwards. Raises Wrong."""
    ended = Counter(walker.code or "left" for walker in walkers)
    stayed = sum(walker.leaves_after is None for walker in walkers)
    _must("completed", ended["DONE1"], min(places, stayed))
    held = rows(
        url,
        """SELECT count(*), count(DISTINCT h.number), max(h.number) FROM survey_slot h
        JOIN survey_participant p ON p.id = h.participant_id WHERE p.status = 'completed'""",
    )[0]
    _must("places held by completed people, slots, last slot + 1", (*held[:2], held[2] + 1),
          (ended["DONE1"],) * 3)  # fmt: skip
    _must("places ever opened", rows(url, "SELECT count(*) FROM survey_slot")[0][0], places)
    direct = direct_count(url)
    for table in ("response_position", "response_follows", "block_slot"):
        counts = direct[table].values()
        print(f"  {table}: {len(counts)} cells of {min(counts)} to {max(counts)}")
        if max(counts) - min(counts) > (places % SQUARES > 0):
            raise Wrong(f"{table} differs by more than it may")
    certified = Counter(
        {(row["table"], row["row"], row["column"]): int(row["count"]) for row in certificate(site)}
    )
    _must("cells that differ from the certificate", len(_differing(direct, certified)), 0)


def _differing(direct: dict[str, Counter[Cell]], certified: Counter[Cell]) -> list[Cell]:
    counted: Counter[Cell] = Counter()
    for table in direct.values():
        counted.update(table)
    return [cell for cell in counted | certified if counted[cell] != certified[cell]]


def _must(what: str, found: object, wanted: object) -> None:
    print(f"  {what}: {found}")
    if found != wanted:
        raise Wrong(f"{what}: {found} instead of {wanted}")


COLUMNS = (
    "people", "starts", "requests", "time", "starts/s (busiest 10 s)", "p95 of a start",
    "p95 of a request",
)  # fmt: skip


def report(walkers: list[Walker], seconds: float, places: int, database: str) -> None:
    """How quick it was."""
    began = sorted(walker.began_at for walker in walkers if walker.began_at is not None)
    asked = quantiles([1000 * second for walker in walkers for second in walker.asked], n=100)
    consents = [1000 * walker.consenting for walker in walkers if walker.consenting]
    waited = quantiles(consents, n=100)
    requests_made = sum(len(walker.asked) for walker in walkers)
    fastest = max(sum(one <= other < one + 10 for other in began) for one in began) / 10
    with reported(f"{database}, {places:,} places", *COLUMNS) as add:
        add(
            f"{len(walkers):,}",
            f"{len(began):,}",
            f"{requests_made:,}",
            f"{seconds:.0f} s",
            f"{len(began) / seconds:.0f} ({fastest:.0f})",
            f"{waited[94]:.0f} ms",
            f"{asked[94]:.0f} ms",
        )
    print(f"  endings: {dict(Counter(walker.code or 'left' for walker in walkers))}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres", help="URL of a server where a database may be made")
    parser.add_argument("--people", type=int, default=2000)
    parser.add_argument("--at-once", type=int, default=200)
    parser.add_argument("--leaving", type=float, default=0.2, help="share who leave midway")
    parser.add_argument("--places", type=int, default=1500, help="a multiple of 20 fills squares")
    parser.add_argument("--workers", type=int, default=4, help="web processes")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    settings.configure(SIMULATION_KEY=os.urandom(16).hex())
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fivefold-bench-")))
        write_study(folder / "study", options.places)
        bench = Bench(stack, folder, folder / "study", options.postgres, options.workers)
        site, url = start_server(bench)
        walkers = crowd(site, options.people, options.leaving, options.seed)
        database = "PostgreSQL" if options.postgres else "SQLite"
        print(
            f"{options.people} people, {options.at_once} at once, {options.places} places, "
            f"{database} …",
            flush=True,
        )
        began = time.perf_counter()
        with ThreadPoolExecutor(options.at_once) as pool:
            list(pool.map(Walker.walk, walkers))
        report(walkers, time.perf_counter() - began, options.places, database)
        check(site, url, walkers, options.places)
    print("Targets hold, no place was oversold, and the certificate is a direct count.")


if __name__ == "__main__":
    try:
        main()
    except (Wrong, ProcessError, CalledProcessError, psycopg.OperationalError) as error:
        sys.exit(f"Failed: {error}")
