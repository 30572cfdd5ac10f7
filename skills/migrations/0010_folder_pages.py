import django.contrib.postgres.fields
import django.contrib.postgres.indexes
from django.db import migrations, models


class Migration(migrations.Migration):
    """A folder's page knows what it rests on, its facts who says them; events know which skills they name."""

    dependencies = [("skills", "0009_bulk_actions")]

    operations = [
        migrations.RemoveField(model_name="folderpage", name="key_facts"),
        migrations.AddField(
            model_name="folderpage",
            name="key_facts",
            field=models.JSONField(blank=True, default=list, verbose_name="key facts"),
        ),
        migrations.AddField(
            model_name="folderpage",
            name="from_skills",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.UUIDField(), blank=True, default=list, editable=False, size=None
            ),
        ),
        migrations.AddField(
            model_name="folderpage",
            name="from_folders",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.UUIDField(), blank=True, default=list, editable=False, size=None
            ),
        ),
        migrations.AddField(
            model_name="folderpage", name="out_of", field=models.PositiveIntegerField(default=0)
        ),
        migrations.AddField(
            model_name="folderevent",
            name="skills",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.UUIDField(), default=list, size=None
            ),
        ),
        migrations.AddIndex(
            model_name="folderpage",
            index=django.contrib.postgres.indexes.GinIndex(fields=["from_skills"], name="folder_page_skills"),
        ),
        migrations.AddIndex(
            model_name="folderpage",
            index=django.contrib.postgres.indexes.GinIndex(
                fields=["from_folders"], name="folder_page_folders"
            ),
        ),
    ]
