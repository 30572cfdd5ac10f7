from django.db import migrations, models
from django.db.models.functions import Cast, Right


class Migration(migrations.Migration):
    """A folder is found by the short name that the cookie of open branches has for it."""

    dependencies = [("documents", "0006_who_deleted")]

    operations = [
        migrations.AddIndex(
            model_name="folder",
            index=models.Index(Right(Cast("id", models.TextField()), 12), name="folder_key"),
        ),
    ]
