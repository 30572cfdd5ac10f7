from django.db import migrations


class Migration(migrations.Migration):
    """Sparse vectors stay in the row: read out of line they cost a page each."""

    dependencies = [("skills", "0002_models")]
    operations = [
        migrations.RunSQL(
            "ALTER TABLE skills_passageterms ALTER COLUMN weights SET STORAGE MAIN",
            migrations.RunSQL.noop,
        ),
    ]
