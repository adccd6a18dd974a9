"""Large studies are counted ahead again, with the slots of the people; what was kept of all cases
under an earlier name goes.
"""

from typing import Any

from django.db import migrations
from django.db.models import Q


def forget(apps: Any, schema_editor: Any) -> None:
    """A worker counts again, and the page *Payments* keeps its cases again."""
    earlier = Q(subject="counted ahead") | Q(subject="cases") | Q(subject="cases, times")
    apps.get_model("dashboard", "ChunkCounts").objects.filter(earlier).delete()


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0026_revisions_of_submissions")]

    operations = [migrations.RunPython(forget, migrations.RunPython.noop)]
