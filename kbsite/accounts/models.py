"""People, their roles, their keys, and what was done."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from kbsite.ids import new_id

# What curators find on the admin site: knowledge, not people, models or keys.
CURATED_APPS = frozenset({"documents", "skills", "search", "chat", "prompts"})


class Role(models.TextChoices):
    """What a person may do; each role includes the ones before it."""

    READER = "reader", _("Reader")
    EDITOR = "editor", _("Editor")
    CURATOR = "curator", _("Curator")
    ADMIN = "admin", pgettext_lazy("role", "Admin")

    @property
    def rank(self) -> int:
        """0 for reader up to 3 for admin."""
        return list(Role).index(self)


class UserManager(BaseUserManager["User"]):
    """Makes people by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """A new person; ``email`` is stored in lower case. Raises IntegrityError when taken."""
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        """A new admin (what ``manage.py createsuperuser`` calls)."""
        return self.create_user(email, password, role=Role.ADMIN, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> User:
        """The person with that e-mail address, in whatever case it is typed."""
        return self.get(email=(username or "").strip().lower())


class User(AbstractBaseUser, PermissionsMixin):
    """A person of the team. ``id`` is a UUIDv7."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    email = models.EmailField(_("e-mail address"), unique=True)
    name = models.CharField(pgettext_lazy("person", "name"), max_length=100, blank=True)
    role = models.CharField(_("role"), max_length=10, choices=Role, default=Role.READER)
    language = models.CharField(_("language"), max_length=10, blank=True)
    theme = models.CharField(_("theme"), max_length=5, blank=True)
    is_active = models.BooleanField(_("active"), default=True)
    date_joined = models.DateTimeField(default=timezone.now)

    # Set on the instance by a narrower key: only this folder and what is under it, or no writing.
    narrowed_to: uuid.UUID | None = None
    read_only: bool = False

    objects = UserManager()

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        verbose_name = _("person")
        verbose_name_plural = _("people")
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_any_case")]

    def __str__(self) -> str:
        return self.name or self.email

    def _at_least(self, role: Role) -> bool:
        return self.is_active and Role(self.role).rank >= role.rank

    @property
    def can_edit(self) -> bool:
        """May add, edit, move and delete."""
        return self._at_least(Role.EDITOR) and not self.read_only

    @property
    def can_curate(self) -> bool:
        """May also review, change prompts and use the admin site."""
        return self._at_least(Role.CURATOR) and not self.read_only

    @property
    def can_administer(self) -> bool:
        """May also manage people, models, settings and other people's keys."""
        return self._at_least(Role.ADMIN) and not self.read_only

    @property
    def is_staff(self) -> bool:
        """Whether the Django admin site opens for this person."""
        return self.can_curate

    def has_perm(self, perm: str, obj: object = None) -> bool:
        """Admins may do all on the admin site; curators what concerns knowledge."""
        if self.can_administer:
            return True
        return self.can_curate and perm.partition(".")[0] in CURATED_APPS

    def has_module_perms(self, app_label: str) -> bool:
        """Which apps the admin site lists for this person."""
        return self.can_administer or (self.can_curate and app_label in CURATED_APPS)

    @property
    def initial(self) -> str:
        """The letter shown for the person."""
        return (str(self).strip() or "?")[0].upper()


class ApiKey(models.Model):
    """A person's key for programs: shown once, hashed at rest, revocable."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_keys")
    name = models.CharField(_("name"), max_length=100)
    prefix = models.CharField(max_length=16)
    digest = models.CharField(max_length=64, unique=True)
    read_only = models.BooleanField(_("read only"), default=False)
    folder_id = models.UUIDField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class AuditEntry(models.Model):
    """One thing somebody did that others may want to know about."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    at = models.DateTimeField(default=timezone.now, db_index=True)
    actor = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    action = models.CharField(max_length=60)
    target = models.CharField(max_length=300, blank=True)
    detail = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit trail")
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"{self.action} {self.target}"
