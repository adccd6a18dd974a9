"""Corpora that are there get their owners, and nobody loses what they worked with.

The owner is who had a corpus imported on a page or by the API. Whoever since had it filtered,
written as chats or drawn from, or had texts or files of its samples made, stays an editor of it.
Corpora that a command imported belong to superusers alone, until a command gives a role:
`manage.py role CORPUS USER owner --corpus`.
"""

from django.conf import settings
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

#: Lines of the log that name a corpus or a sample, by the worker's jobs of these kinds.
OF_CORPUS = ("corpus filter", "corpus chats")
OF_SAMPLE = ("corpus sample", "corpus responses", "corpus study", "texts requested")


def give_roles(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Owners and editors, by jobs and by the log."""
    memberships = apps.get_model("dashboard", "CorpusMembership").objects
    jobs = apps.get_model("dashboard", "CorpusJob").objects
    events = apps.get_model("survey", "StudyEvent").objects
    for corpus in apps.get_model("corpus", "Corpus").objects.all():
        imports = jobs.filter(kind="import", name=corpus.name, state="done")
        made = imports.filter(author__isnull=False, created_at__lte=corpus.created_at)
        if owner := made.values_list("author", flat=True).first():
            memberships.create(corpus=corpus, user_id=owner, role="owner")
        samples = corpus.samples.values_list("name", flat=True)
        # The log has lines of earlier corpora and samples of the same name, too.
        lines = events.filter(at__gte=corpus.created_at, author__isnull=False)
        editors = {
            *lines.filter(action__in=OF_CORPUS, detail__name=corpus.name)
            .values_list("author", flat=True)
            .order_by(),
            *lines.filter(action__in=OF_SAMPLE, detail__name__in=list(samples))
            .values_list("author", flat=True)
            .order_by(),
        }
        for user in sorted(editors - {owner}):
            memberships.create(corpus=corpus, user_id=user, role="editor")


def remove_jobs_of_deleted(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Jobs of corpora and samples that a command has deleted: the next ones of these names may have
    other owners. The sweep removes their files.
    """
    jobs = apps.get_model("dashboard", "CorpusJob").objects.filter(state__in=["done", "failed"])
    for subject, table, makes in (("corpus", "Corpus", "import"), ("sample", "Sample", "sample")):
        things = apps.get_model("corpus", table).objects
        of_kind = jobs.filter(subject=subject)
        of_kind.exclude(kind=makes, state="failed").exclude(name__in=things.values("name")).delete()
        for thing in things.all():
            earlier = of_kind.filter(name=thing.name, created_at__lt=thing.created_at)
            earlier.exclude(kind=makes).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("dashboard", "0016_corpus_memberships"),
        ("corpus", "0002_generation_in_order"),
        ("survey", "0013_imported_answers"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(give_roles, migrations.RunPython.noop),
        migrations.RunPython(remove_jobs_of_deleted, migrations.RunPython.noop),
    ]
