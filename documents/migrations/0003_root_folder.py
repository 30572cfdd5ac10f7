"""The system folder 根目录 stands beside the others from the start."""

from django.db import migrations


def make_root(apps, schema_editor):
    Folder = apps.get_model("documents", "Folder")
    if not Folder.objects.filter(is_system=True).exists():
        Folder.objects.create(name="根目录", is_system=True, sort_order=0)


class Migration(migrations.Migration):
    dependencies = [("documents", "0002_runs_and_batches")]

    operations = [migrations.RunPython(make_root, migrations.RunPython.noop)]
