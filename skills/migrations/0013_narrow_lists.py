import django.contrib.postgres.indexes
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Lists are narrowed by words, tags and rare states without reading every skill."""

    dependencies = [
        ("documents", "0007_folder_key"),
        ("skills", "0012_tree_counts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name="skill",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.indexes.OpClass(
                    django.db.models.functions.text.Upper("name"), name="gin_trgm_ops"
                ),
                name="skill_name_words",
            ),
        ),
        migrations.AddIndex(
            model_name="skill",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.indexes.OpClass(
                    django.db.models.functions.text.Upper("description"), name="gin_trgm_ops"
                ),
                name="skill_description_words",
            ),
        ),
        migrations.AddIndex(
            model_name="skill",
            index=django.contrib.postgres.indexes.GinIndex(
                django.contrib.postgres.indexes.OpClass(
                    django.db.models.functions.text.Upper("abstract"), name="gin_trgm_ops"
                ),
                name="skill_abstract_words",
            ),
        ),
        migrations.AddIndex(
            model_name="skill",
            index=django.contrib.postgres.indexes.GinIndex(fields=["tags"], name="skill_tags"),
        ),
        migrations.AddIndex(
            model_name="skill",
            index=models.Index(
                condition=models.Q(("index_state__in", ["queued", "running", "failed"])),
                fields=["index_state"],
                name="skill_not_ready",
            ),
        ),
        migrations.AddIndex(
            model_name="skill",
            index=models.Index(
                condition=models.Q(("status__in", ["pending", "processing", "rejected"])),
                fields=["status"],
                name="skill_not_found",
            ),
        ),
    ]
