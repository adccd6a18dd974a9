"""Existing researchers keep what they have: each owns all studies, and the token goes on for a while.

Accounts that are made later start without a role. Tokens were stored as they are; now only their
hashes are, and the earlier table goes.
"""

import hashlib
from datetime import timedelta

from django.db import migrations
from django.utils import timezone

EARLIER = 'authtoken_token'
#: As long as a new token.
VALID = timedelta(days=90)


def give_roles(apps, schema_editor):
    User = apps.get_model('auth', 'User')
    Study = apps.get_model('survey', 'Study')
    Membership = apps.get_model('dashboard', 'Membership')
    researchers = User.objects.filter(is_active=True, is_staff=True, is_superuser=False)
    slugs = Study.objects.order_by('slug').values_list('slug', flat=True).distinct()
    Membership.objects.bulk_create(
        Membership(slug=slug, user=user, role='owner') for user in researchers for slug in slugs
    )


def move_tokens(apps, schema_editor):
    ApiToken = apps.get_model('dashboard', 'ApiToken')
    connection = schema_editor.connection
    with connection.cursor() as cursor:
        if EARLIER not in connection.introspection.table_names(cursor):
            return
        cursor.execute(f'SELECT "key", user_id FROM {EARLIER}')
        rows = cursor.fetchall()
    now = timezone.now()
    for key, user_id in rows:
        ApiToken.objects.create(
            user_id=user_id,
            name='Token from before the update',
            scope='change',
            digest=hashlib.sha256(key.encode()).hexdigest(),
            created_at=now,
            expires_at=now + VALID,
        )
    schema_editor.execute(f'DROP TABLE {EARLIER}')


class Migration(migrations.Migration):

    dependencies = [
        ('dashboard', '0011_roles'),
        ('survey', '0008_held_pool'),
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.RunPython(give_roles, migrations.RunPython.noop),
        migrations.RunPython(move_tokens, migrations.RunPython.noop),
    ]
