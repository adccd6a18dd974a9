"""A bonus keeps what was paid outside, in place of all that was paid before it.

What was paid before counted the bonuses of other orders that were known to be paid, so a bonus of
another order that was paid a moment later could be taken for this one.
"""

from django.db import migrations, models


def count_outside(apps, schema_editor):
    """What was paid before, without what other decisions account for."""
    Decision = apps.get_model('dashboard', 'SubmissionDecision')
    bonuses = Decision.objects.filter(kind='bonus', order__by_hand=False)
    paid = {}
    for one in bonuses.filter(state='done').exclude(done_at=None):
        paid.setdefault((one.submission_id, one.cents), []).append(one)
    counted = list(bonuses.exclude(paid_before=None))
    for one in counted:
        before = [
            each
            for each in paid.get((one.submission_id, one.cents), ())
            if each.pk != one.pk and one.asked_at is not None and each.done_at <= one.asked_at
        ]
        one.paid_outside = max(0, one.paid_before - len(before))
    Decision.objects.bulk_update(counted, ['paid_outside'], batch_size=200)


class Migration(migrations.Migration):

    dependencies = [
        ('dashboard', '0020_package_stages'),
    ]

    operations = [
        migrations.AddField(
            model_name='submissiondecision',
            name='paid_outside',
            field=models.SmallIntegerField(help_text='Bonuses of this amount on Prolific that no decision here accounts for, counted when this one was asked for; below 0 if one that is done was not listed', null=True),
        ),
        migrations.RunPython(count_outside, migrations.RunPython.noop),
        migrations.RemoveField(
            model_name='submissiondecision',
            name='paid_before',
        ),
    ]
