"""The JSON API, assembled: each app brings its router."""

from ninja import NinjaAPI

api = NinjaAPI(title="Skill-Know", version="1", docs_url="/docs", openapi_url="/openapi.json")
