from django.contrib.postgres.operations import TrigramExtension
from django.db import migrations
from pgvector.django import VectorExtension


class Migration(migrations.Migration):
    initial = True
    dependencies = [("documents", "0001_initial"), ("llm", "0001_initial")]
    operations = [VectorExtension(), TrigramExtension()]
