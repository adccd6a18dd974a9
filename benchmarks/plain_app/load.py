"""`python -m benchmarks.plain_app.load responses.csv`: make the tables and fill in the blocks."""

import csv
import os
import sys
from pathlib import Path

import django
from django.core.management import call_command


def load(file: Path) -> None:
    from benchmarks.plain_app.models import Block, Response

    call_command("migrate", run_syncdb=True, verbosity=0)
    blocks: dict[tuple[str, str], Block] = {}
    with file.open(encoding="utf-8-sig", newline="") as lines:
        for row in csv.DictReader(lines):
            key = row["scenario"], row.get("set", "")
            if key not in blocks:
                blocks[key] = Block.objects.create(prompt=row["prompt"])
            Response.objects.create(block=blocks[key], text=row["response"])


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmarks.plain_app.settings")
django.setup()
load(Path(sys.argv[1]))
