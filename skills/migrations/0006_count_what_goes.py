from django.db import migrations

COUNT = """
CREATE FUNCTION skills_count_what_goes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO skills_termdelta (sign, hashes) SELECT -1, keys FROM gone;
    RETURN NULL;
END $$;
CREATE TRIGGER count_what_goes AFTER DELETE ON skills_passageterms
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION skills_count_what_goes();
"""
UNDO = """
DROP TRIGGER count_what_goes ON skills_passageterms;
DROP FUNCTION skills_count_what_goes();
"""


class Migration(migrations.Migration):
    """Document frequencies stay exact however a passage's words are deleted, cascades included."""

    dependencies = [("skills", "0005_trashed_with")]
    operations = [migrations.RunSQL(COUNT, UNDO)]
