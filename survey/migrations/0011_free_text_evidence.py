"""How each free answer was written: counts and times, empty of answers stored before."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('survey', '0010_training'),
    ]

    operations = [
        migrations.AddField(
            model_name='freeanswer',
            name='autofilled_characters',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='freeanswer',
            name='autofills',
            field=models.PositiveIntegerField(help_text='Times that the browser or an extension filled in text', null=True),
        ),
        migrations.AddField(
            model_name='freeanswer',
            name='away_seconds',
            field=models.FloatField(help_text='Seconds away after these losses', null=True),
        ),
        migrations.AddField(
            model_name='freeanswer',
            name='deletions',
            field=models.PositiveIntegerField(help_text='Steps that deleted something', null=True),
        ),
        migrations.AddField(
            model_name='freeanswer',
            name='dropped_characters',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='freeanswer',
            name='drops',
            field=models.PositiveIntegerField(help_text='Drops from outside the page', null=True),
        ),
        migrations.AddField(
            model_name='freeanswer',
            name='focus_losses',
            field=models.PositiveIntegerField(help_text='Times the page was left while the question was on screen', null=True),
        ),
        migrations.AddField(
            model_name='freeanswer',
            name='focus_seconds',
            field=models.FloatField(help_text='Seconds with the cursor in the field', null=True),
        ),
        migrations.AddField(
            model_name='freeanswer',
            name='keystrokes',
            field=models.PositiveIntegerField(help_text='Keys pressed in the field', null=True),
        ),
        migrations.AddField(
            model_name='freeanswer',
            name='largest_insertion',
            field=models.PositiveIntegerField(help_text='Most characters that appeared in one step, own pastes aside', null=True),
        ),
        migrations.AddField(
            model_name='freeanswer',
            name='own_pastes',
            field=models.PositiveIntegerField(help_text='Pastes and drops of text copied or dragged on the same page', null=True),
        ),
        migrations.AddField(
            model_name='freeanswer',
            name='pasted_characters',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='freeanswer',
            name='pastes',
            field=models.PositiveIntegerField(help_text='Pastes from outside the page', null=True),
        ),
        migrations.AddField(
            model_name='freeanswer',
            name='returned_characters',
            field=models.PositiveIntegerField(help_text='Characters pasted or dropped as the first thing after a return', null=True),
        ),
        migrations.AddField(
            model_name='freeanswer',
            name='typed_characters',
            field=models.PositiveIntegerField(help_text='Characters typed, dictated or corrected', null=True),
        ),
        migrations.AddField(
            model_name='freeanswer',
            name='typing_seconds',
            field=models.FloatField(help_text='Seconds between typed characters, at most 10 for each pause', null=True),
        ),
    ]
