from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('survey', '0008_held_pool'),
    ]

    operations = [
        migrations.CreateModel(
            name='SigningKeys',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.CharField(max_length=200, unique=True)),
                ('keys', models.JSONField(default=dict, help_text='As they were given (JWKS)')),
                ('read_at', models.DateTimeField(null=True)),
                ('asked_at', models.DateTimeField(help_text='Also if there was no answer', null=True)),
            ],
            options={
                'verbose_name_plural': 'signing keys',
            },
        ),
    ]
