import django.contrib.postgres.indexes
import django.db.models.deletion
from django.db import migrations, models

KEEP = """
CREATE FUNCTION skills_keep_list_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO skills_listtext (skill_id, text) VALUES (NEW.id, upper(concat_ws(
        E'\\n', NEW.name, NEW.description, NEW.abstract, array_to_string(NEW.tags, E'\\n'))))
    ON CONFLICT (skill_id) DO UPDATE SET text = EXCLUDED.text WHERE skills_listtext.text <> EXCLUDED.text;
    RETURN NULL;
END $$;
CREATE TRIGGER skills_keep_list_text AFTER INSERT OR UPDATE OF name, description, abstract, tags
    ON skills_skill FOR EACH ROW EXECUTE FUNCTION skills_keep_list_text();
INSERT INTO skills_listtext (skill_id, text)
SELECT id, upper(concat_ws(E'\\n', name, description, abstract, array_to_string(tags, E'\\n')))
FROM skills_skill;
"""
LEAVE = "DROP TRIGGER skills_keep_list_text ON skills_skill; DROP FUNCTION skills_keep_list_text;"


class Migration(migrations.Migration):
    """Words in lists are looked for beside the skills, so that moving and using those stays cheap."""

    dependencies = [("skills", "0013_narrow_lists")]

    operations = [
        migrations.RemoveIndex(model_name="skill", name="skill_name_words"),
        migrations.RemoveIndex(model_name="skill", name="skill_description_words"),
        migrations.RemoveIndex(model_name="skill", name="skill_abstract_words"),
        migrations.CreateModel(
            name="ListText",
            fields=[
                (
                    "skill",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="list_text",
                        serialize=False,
                        to="skills.skill",
                    ),
                ),
                ("text", models.TextField()),
            ],
            options={"verbose_name": "text for lists", "verbose_name_plural": "texts for lists"},
        ),
        migrations.RunSQL(KEEP, LEAVE),
        migrations.AddIndex(
            model_name="listtext",
            index=django.contrib.postgres.indexes.GinIndex(
                fields=["text"], name="list_text_words", opclasses=["gin_trgm_ops"]
            ),
        ),
    ]
