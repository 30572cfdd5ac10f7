from django.db import migrations

NUMBER = """
CREATE FUNCTION documents_number_folders() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    reached bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('documents:tree', 0));
    WITH RECURSIVE ranked AS (
        SELECT id, parent_id, row_number() OVER (PARTITION BY parent_id ORDER BY sort_order, name, id) AS n
        FROM documents_folder
    ), tree AS (
        SELECT id, ARRAY[n] AS path, ARRAY[id] AS above FROM ranked WHERE parent_id IS NULL
        UNION ALL
        SELECT r.id, t.path || r.n, t.above || r.id FROM ranked r JOIN tree t ON r.parent_id = t.id
    ), walk AS (
        SELECT id, above, row_number() OVER (ORDER BY path) AS place FROM tree
    ), ends AS (
        SELECT inside.id, max(place) AS reach FROM walk, unnest(above) AS inside(id) GROUP BY inside.id
    ), numbered AS (
        UPDATE documents_folder f SET place = walk.place, reach = ends.reach
        FROM walk JOIN ends USING (id)
        WHERE f.id = walk.id AND (f.place, f.reach) IS DISTINCT FROM (walk.place, ends.reach)
    )
    SELECT count(*) INTO reached FROM walk;
    IF reached < (SELECT count(*) FROM documents_folder) THEN
        RAISE check_violation USING MESSAGE = 'a folder would lie inside itself';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER number_folders AFTER INSERT OR DELETE OR UPDATE OF parent_id, sort_order, name
    ON documents_folder FOR EACH STATEMENT EXECUTE FUNCTION documents_number_folders();
UPDATE documents_folder SET name = name WHERE false;
"""
UNDO = """
DROP TRIGGER number_folders ON documents_folder;
DROP FUNCTION documents_number_folders();
"""


class Migration(migrations.Migration):
    """Every folder's place in the walk of the tree stays right whoever writes, and no ring can be made."""

    dependencies = [("documents", "0004_folder_order")]
    operations = [migrations.RunSQL(NUMBER, UNDO)]
