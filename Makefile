# make serve   start everything on http://127.0.0.1:8000 (KB_PORT, KB_BIND, KB_HOME: docs/configuration.md)
# make test    every test; `make test ARGS="tests/site -x"` for some
# make check   every static check
.DEFAULT_GOAL := help
.PHONY: help serve test check style templates types imports models catalogues format lock messages clean run dev
PY := .venv/bin/python
BIN := .venv/bin
ARGS ?=
# Checks load the settings, which want a folder; yours stays out of it.
SCRATCH := .mypy_cache/home
TEMPLATES = $$(git ls-files 'templates/*.html' '*/templates/*.html')

help:
	@printf '%s\n' \
	  'make serve     start Skill-Know; Ctrl-C stops it' \
	  'make test      run the tests (ARGS="tests/site -x" for some of them)' \
	  'make check     run the static checks' \
	  'make format    put the code into the house style' \
	  'make lock      pin again what pyproject.toml asks for' \
	  'make messages  collect the texts to translate into locale/' \
	  'make clean     remove .venv and caches; your data in KB_HOME stays'

run:
	@kbsite/bootstrap.sh run

dev:
	@kbsite/bootstrap.sh dev

serve: run
	@exec $(PY) manage.py serve $(ARGS)

test: dev catalogues
	@$(PY) -m pytest $(ARGS)

check: style templates types imports models catalogues

style: dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

templates: dev
	@$(BIN)/djade --check --target-version 6.0 $(TEMPLATES)

types: dev
	@KB_HOME=$(SCRATCH) $(BIN)/mypy

imports: dev
	@KB_HOME=$(SCRATCH) $(BIN)/lint-imports --no-logo

models: dev
	@KB_HOME=$(SCRATCH) $(PY) manage.py check
	@KB_HOME=$(SCRATCH) $(PY) manage.py makemigrations --check --dry-run

catalogues: dev
	@$(PY) -m kbsite.catalogues

format: dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	-$(BIN)/djade --target-version 6.0 $(TEMPLATES)

# Every platform in one file, hashes of what the public registry holds, no address and no path.
LOCK := $(BIN)/uv pip compile --no-config --no-python-downloads --python $(PY) --universal \
  --generate-hashes --no-annotate --no-header --no-emit-index-url --quiet

lock: dev
	$(LOCK) pyproject.toml --output-file requirements.txt $(ARGS)
	$(LOCK) pyproject.toml --group dev --constraint requirements.txt --output-file requirements-dev.txt $(ARGS)

messages: dev
	$(PY) manage.py makemessages --locale zh_Hans --no-obsolete --no-location \
	  --ignore '.venv/*' --ignore 'var/*' --ignore 'tests/*' --ignore 'bench/*'

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -not -path './var/*' -exec rm -rf {} +
