"""Addresses under ``/skills/``. A slug may hold any letters."""

from django.urls import path

from skills import edit_views, list_views, views
from skills.bin import views as bin_views
from skills.bulk import views as bulk_views
from skills.folder_pages import views as folder_views
from skills.graph import views as graph_views
from skills.history import views as history_views
from skills.in_place import views as in_place_views
from skills.links import views as link_views
from skills.pictures import views as picture_views
from skills.relations import views as relation_views
from skills.writing import views as writing_views

app_name = "skills"

urlpatterns = [
    path("graph/", graph_views.graph, name="graph"),
    path("graph/card/<str:slug>/", graph_views.card, name="graph_card"),
    path("trash/", bin_views.trash, name="trash"),
    path("trash/restore/", bin_views.restore, name="trash_restore"),
    path("trash/delete/", bin_views.delete, name="trash_delete"),
    path("folders/<uuid:folder_id>/page/", folder_views.folder, name="folder"),
    path("folders/<uuid:folder_id>/page.md", folder_views.markdown, name="folder_markdown"),
    path("folders/<uuid:folder_id>/page/log/", folder_views.log, name="folder_log"),
    path("folders/<uuid:folder_id>/page/state/", folder_views.state, name="folder_state"),
    path("folders/<uuid:folder_id>/page/refresh/", folder_views.refresh, name="folder_refresh"),
    path("links/", link_views.broken, name="broken"),
    path("sk/<str:kind>/<path:reference>/", link_views.address, name="address"),
    path("skills/", list_views.skill_list, name="list"),
    path("skills/bulk/act/", bulk_views.act, name="act"),
    path("skills/bulk/folder/", bulk_views.choose, name="choose"),
    path("skills/bulk/folders/", bulk_views.folder_choices, name="folder_choices"),
    path("skills/bulk/export/", bulk_views.export_selection, name="export"),
    path("skills/undo/<uuid:undo_id>/", bulk_views.undo, name="undo"),
    path("skills/new/", writing_views.new, name="new"),
    path("skills/new/preview/", writing_views.preview_text, name="preview"),
    path("skills/new/names/", writing_views.complete, name="names"),
    path("skills/new/drafts/", writing_views.draft_list, name="drafts"),
    path("skills/new/draft/<uuid:skill_id>/", writing_views.keep_draft, name="draft"),
    path("skills/new/draft/<uuid:skill_id>/discard/", writing_views.discard_draft, name="draft_discard"),
    path("pictures/", picture_views.add, name="pictures"),
    path("pictures/<uuid:picture_id>/", picture_views.picture, name="picture"),
    path("skills/<str:slug>/", views.skill, name="skill"),
    path("skills/<str:slug>/content/", views.content, name="content"),
    path("skills/<str:slug>/state/", views.state, name="state"),
    path("skills/<str:slug>/passages/", views.passages, name="passages"),
    path("skills/<str:slug>/field/<str:field>/", in_place_views.field, name="field"),
    path("skills/<str:slug>/linked-from/", link_views.back, name="linked_from"),
    path("skills/<str:slug>/relations/", relation_views.add, name="relate"),
    path("skills/<str:slug>/relations/again/", relation_views.again, name="relate_again"),
    path("skills/<str:slug>/relations/remove/", relation_views.remove, name="unrelate"),
    path("skills/<str:slug>/relations/names/", relation_views.choices, name="relation_names"),
    path("skills/<str:slug>/history/", history_views.history, name="history"),
    path("skills/<str:slug>/history/<int:number>/", history_views.one_revision, name="revision"),
    path("skills/<str:slug>/edit/", writing_views.edit_skill, name="edit"),
    path("skills/<str:slug>/append/", writing_views.append, name="append"),
    path("skills/<str:slug>/move/", bulk_views.move, name="move"),
    path("skills/<str:slug>/layers/", edit_views.rewrite_layers, name="layers"),
    path("skills/<str:slug>/retry/", edit_views.retry, name="retry"),
    path("skills/<str:slug>/restore/<int:number>/", history_views.restore, name="restore"),
    path("skills/<str:slug>/delete/", edit_views.delete, name="delete"),
    path("skills/undelete/<uuid:skill_id>/", edit_views.undelete, name="undelete"),
]
