from django.db import migrations, models


class Migration(migrations.Migration):
    """Passages that did not change keep their id and vectors; layers can be due."""

    dependencies = [("skills", "0003_storage")]
    operations = [
        migrations.AddField("skill", "layers_stale", models.BooleanField(default=False)),
        migrations.AddField("passage", "prefix", models.TextField(blank=True, default=""), preserve_default=False),
        migrations.AddField(
            "passage", "digest", models.CharField(blank=True, default="", max_length=32), preserve_default=False
        ),
    ]
