import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import kbsite.ids


class Migration(migrations.Migration):
    """What was done to many skills at once can be undone."""

    dependencies = [
        ("skills", "0008_who_deleted"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="move",
            name="documents",
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name="move",
            name="followed",
            field=django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list),
        ),
        migrations.AlterField(
            model_name="move",
            name="at",
            field=models.DateTimeField(db_index=True, default=django.utils.timezone.now),
        ),
        migrations.CreateModel(
            name="BulkAction",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=kbsite.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("what", models.CharField(max_length=10)),
                ("given", models.JSONField(default=dict)),
                ("before", models.JSONField(default=dict)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "bulk action",
                "verbose_name_plural": "bulk actions",
                "ordering": ["-at"],
            },
        ),
    ]
