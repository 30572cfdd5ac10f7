"""The tables of skills: what they are, how they are found, linked, written, placed and used."""

from skills.models.index import TERM_SPACE, LayerVector, ListText, Passage, PassageTerms, Term, TermDelta
from skills.models.linking import FormerName, Link
from skills.models.places import BulkAction, FolderEvent, FolderPage, Move
from skills.models.skill import RELATION_WORDS, Relation, Revision, Skill, Source
from skills.models.use import SkillUse
from skills.models.writing import Draft, Picture

__all__ = [
    "RELATION_WORDS",
    "TERM_SPACE",
    "BulkAction",
    "Draft",
    "FolderEvent",
    "FolderPage",
    "FormerName",
    "LayerVector",
    "Link",
    "ListText",
    "Move",
    "Passage",
    "PassageTerms",
    "Picture",
    "Relation",
    "Revision",
    "Skill",
    "SkillUse",
    "Source",
    "Term",
    "TermDelta",
]
