from django.db import migrations, models


class Migration(migrations.Migration):
    """A document that comes back brings its skills, not those that were deleted before it."""

    dependencies = [("skills", "0004_keep_passages")]
    operations = [
        migrations.AddField("skill", "trashed_with", models.UUIDField(blank=True, editable=False, null=True)),
    ]
