from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('dashboard', '0001_packages'),
    ]

    operations = [
        migrations.AlterField(
            model_name='package',
            name='images',
            field=models.BooleanField(help_text='Whether figures are included as SVG and PNG'),
        ),
        migrations.AlterField(
            model_name='package',
            name='notes',
            field=models.JSONField(default=list, help_text='What to know before sharing it, in sentences'),
        ),
        migrations.AlterField(
            model_name='package',
            name='percent',
            field=models.PositiveSmallIntegerField(default=0, help_text='Progress'),
        ),
        migrations.AlterField(
            model_name='package',
            name='recipe',
            field=models.CharField(help_text="A recipe's name, or `both`", max_length=100),
        ),
    ]
