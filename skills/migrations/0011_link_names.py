import django.contrib.postgres.indexes
import skills.models.skill
from django.db import migrations, models

from kbsite.text import folded
from skills.links.extract import found_in

BATCH = 2_000


def fold_names(apps, schema_editor):
    Skill = apps.get_model("skills", "Skill")
    rows = []
    for skill_id, name in Skill.objects.values_list("id", "name").iterator(BATCH):
        rows.append((skill_id, folded(name)[:300]))
        if len(rows) == BATCH:
            _save_names(schema_editor, rows)
            rows = []
    _save_names(schema_editor, rows)


def _save_names(schema_editor, rows):
    if rows:
        schema_editor.execute(
            "UPDATE skills_skill s SET name_key = n.key "
            "FROM unnest(%s::uuid[], %s::text[]) n(id, key) WHERE s.id = n.id",
            [[skill_id for skill_id, _key in rows], [key for _skill_id, key in rows]],
        )


def find_links(apps, schema_editor):
    """Links in the texts that are there already; names in them are looked up by the index."""
    Skill, Link = apps.get_model("skills", "Skill"), apps.get_model("skills", "Link")
    texts = Skill.objects.filter(models.Q(content__contains="[[") | models.Q(content__contains="sk://"))
    for skill_id, content in texts.values_list("id", "content").iterator(20):
        made = [Link(source_id=skill_id, key=link.key, label=link.label) for link in found_in(content)]
        Link.objects.bulk_create(made, batch_size=500, ignore_conflicts=True)
    schema_editor.execute(RESOLVE)
    schema_editor.execute(RESOLVE_DOCUMENTS)


# As skills/links/resolve.py: same folder first, then list order.
RESOLVE = """
UPDATE skills_link link SET target_id = (
    SELECT s.id FROM skills_skill s LEFT JOIN documents_folder f ON f.id = s.folder_id
    WHERE s.deleted_at IS NULL AND (s.name_key = link.key OR s.slug = said.word OR s.id = said.id)
    ORDER BY s.name_key <> link.key, s.folder_id IS DISTINCT FROM source.folder_id,
        f.place NULLS LAST, s.priority, s.name, s.id LIMIT 1)
FROM (
    SELECT id, word, CASE WHEN word ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN word::uuid END
    FROM (SELECT id, regexp_replace(key, '^sk://(skills|knowledge)/', '') FROM skills_link) x(id, word)
) said(link_id, word, id), skills_skill source
WHERE said.link_id = link.id AND source.id = link.source_id AND link.target_id IS NULL
"""
RESOLVE_DOCUMENTS = """
UPDATE skills_link link SET document_id = d.id FROM documents_document d
WHERE link.key = 'sk://documents/' || d.id::text AND d.deleted_at IS NULL
"""


class Migration(migrations.Migration):
    """Names are found whatever their case and width; links in the texts that exist are found."""

    dependencies = [("skills", "0010_folder_pages"), ("documents", "0006_who_deleted")]

    operations = [
        migrations.AddField(
            model_name="skill",
            name="name_key",
            field=skills.models.skill.NameKeyField(db_default="", default="", editable=False, max_length=300),
        ),
        migrations.RunPython(fold_names, migrations.RunPython.noop, elidable=True),
        migrations.AddIndex(
            model_name="skill",
            index=models.Index(fields=["name_key"], name="skill_name_key", opclasses=["varchar_pattern_ops"]),
        ),
        migrations.AddIndex(
            model_name="skill",
            index=django.contrib.postgres.indexes.GinIndex(
                fields=["name_key"], name="skill_name_parts", opclasses=["gin_trgm_ops"]
            ),
        ),
        migrations.RunPython(find_links, migrations.RunPython.noop, elidable=True),
    ]
