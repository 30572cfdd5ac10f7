"""A large workspace quickly: folders and skills made by the database, with vectors that mean nothing."""

from __future__ import annotations

import random

from django.db import connection

from documents.models import Folder
from kbsite.llm.embedding import active_space

FAN_OUT = 8
TOP = 20
WORDS = ["差旅", "报销", "合同", "安全", "入职", "接口", "缓存", "部署"]
WORDS += ["travel", "contract", "security", "onboarding", "cache", "deploy", "review", "index"]

# Nine in ten are found, one in twenty is unfiled; every tenth lies in the one full folder.
SKILLS = """
INSERT INTO skills_skill (id, slug, name, description, type, category, abstract, overview, content, language,
    folder_id, placed_by_hand, priority, tags, trigger_keywords, trigger_intents, always_apply, config,
    status, is_active, version, layers_by_hand, layers_stale, active_count, helpful, harmful, index_state,
    index_reason, attempts, created_at, updated_at)
SELECT gen_random_uuid(), 'many-' || n, words[1 + n %% 16] || ' ' || words[1 + n / 7 %% 16] || ' ' || n, '',
    CASE WHEN n %% 3 = 0 THEN 'user' ELSE 'document' END, 'knowledge',
    repeat(words[1 + n %% 16] || ' ', 20) || md5(n::text), repeat(md5(n::text) || ' ', 30),
    repeat(md5(n::text) || ' ', 60), '',
    CASE WHEN n %% 20 = 0 THEN NULL WHEN n %% 10 = 1 THEN %(full)s::uuid
         ELSE folders[1 + floor(random() * array_length(folders, 1))::int] END,
    false, 10 * (n %% 20), ARRAY['tag' || n %% 50], '{}', '{}', false, '{}',
    CASE WHEN n %% 10 = 3 THEN 'pending' WHEN n %% 10 = 4 THEN 'checked' ELSE 'approved' END,
    true, 1, false, false, n %% 17, 0, 0, 'ready', '', 0, now(), now() - n * interval '1 minute'
FROM generate_series(1, %(count)s) n,
    (SELECT %(words)s::text[] AS words, array_agg(id) AS folders
     FROM documents_folder WHERE NOT is_system) given
"""
VECTORS = """
INSERT INTO skills_layervector (space_id, skill_id, level, vector)
SELECT %(space)s, id, 0, made.vector::halfvec
FROM skills_skill, LATERAL (
    SELECT array_agg(random() - 0.5 + 0 * d + 0 * length(slug)) AS vector FROM generate_series(1, %(size)s) d
) made WHERE folder_id = %(full)s
"""


def load(folder_count: int, skill_count: int) -> Folder:
    """Fill an empty database; returns the one folder that is full, with a tenth of all skills."""
    chance = random.Random(5)
    folders: list[Folder] = []
    for n in range(folder_count):
        parent = folders[(n - TOP) // FAN_OUT] if n >= TOP else None
        order = 10 * chance.randrange(FAN_OUT)
        folders.append(Folder(name=f"{chance.choice(WORDS)} {n}", parent=parent, sort_order=order))
    Folder.objects.bulk_create(folders)
    full, space = folders[TOP + 3], active_space()
    values = {"full": full.pk, "count": skill_count, "words": WORDS}
    with connection.cursor() as cursor:
        cursor.execute(SKILLS, values)
        cursor.execute(VECTORS, {"space": space.pk, "size": space.dimension, "full": full.pk})
        cursor.execute("VACUUM ANALYZE")
    return full
