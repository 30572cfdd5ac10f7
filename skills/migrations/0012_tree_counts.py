from django.db import migrations, models

NOT_SYSTEM = ~models.Q(type="system")


class Migration(migrations.Migration):
    """How many skills are in each folder is read from an index, for editors and for readers."""

    dependencies = [("documents", "0007_folder_key"), ("skills", "0011_link_names")]

    operations = [
        migrations.AddIndex(
            model_name="skill",
            index=models.Index(
                condition=models.Q(deleted_at=None) & NOT_SYSTEM, fields=["folder"], name="skill_counted"
            ),
        ),
        migrations.AddIndex(
            model_name="skill",
            index=models.Index(
                condition=models.Q(status__in=["approved", "checked"], is_active=True, deleted_at=None)
                & NOT_SYSTEM,
                fields=["folder"],
                name="skill_counted_findable",
            ),
        ),
    ]
