"""Files: names kept inside their folder, contents hashed once and replaced in one step."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path, PurePosixPath, PureWindowsPath

from seabed_datasets.errors import SeabedError


def inside(
    folder: str | Path,
    name: str,
    what: str = "path",
    error: Callable[[str], SeabedError] = SeabedError,
    *,
    links: bool = False,
) -> Path:
    """Join a folder and a name that somebody else wrote, and refuse what leaves the folder.

    Every path out of a card, a manifest, a result file, an archive or a model name goes through here before
    anything is read or written. The rules are those of all systems at once, so that a card is refused alike
    everywhere.

    Args:
        folder: the folder, or the archive, that the name is relative to; it need not exist.
        name: relative, parts joined by "/".
        what: what the name is, for the message.
        error: what to raise.
        links: whether a link may lead out of the folder: only where the user made the links, or where there is
            nothing to follow (a member of an archive).

    Returns:
        folder / name, links not followed.

    Raises:
        SeabedError: the name is empty, absolute, begins with a drive, holds "..", "." alone or a NUL, or a
            link on the way leads out of the folder. (Files in the Hub's cache are links into the cache folder
            of the same repository: those are inside.)

    >>> inside("raw", "emot/train.csv").as_posix()
    'raw/emot/train.csv'
    """
    reason = _leaves(name)
    if reason:
        raise error(f"{what} {name!r} {reason}: only a path inside {folder} is allowed")
    base, path = Path(folder), Path(folder, name)
    if links:
        return path
    try:
        home, real = base.resolve(), path.resolve()
    except (OSError, RuntimeError) as failure:  # links in a circle, a name longer than the system allows
        raise error(f"{what} {name!r} in {folder} cannot be followed: {failure}") from None
    if base.parent.name == "snapshots" and (base.parent.parent / "blobs").is_dir():
        home = home.parents[1]
    if home not in real.parents:
        raise error(
            f"{what} {name!r} in {folder} is a link to {real}, outside that folder: put the file itself there"
        )
    return path


def _leaves(name: object) -> str:
    """Why a name may not be joined to a folder; "" when it may."""
    if not isinstance(name, str):
        return f"is no text but {type(name).__name__}"
    if not name.strip() or not PurePosixPath(name).parts:
        return "is empty"
    if "\0" in name:
        return "holds a NUL"
    posix, windows = PurePosixPath(name), PureWindowsPath(name)
    if posix.is_absolute() or windows.root or windows.drive:
        return "is absolute"
    if ".." in posix.parts or ".." in windows.parts:
        return "leads out of its folder"
    return ""


def file_sha256(path: Path) -> str:
    """The sha256 of a file, read once as long as the file does not change.

    Args:
        path: the file.

    Returns:
        64 hex digits.
    """
    return _hash(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4096)
def _hash(path: Path, changed: int) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def replace_text(path: Path, text: str, scratch: Path | None = None) -> None:
    """Write a file under a temporary name, then rename it: a reader sees the old text or the new one.

    Args:
        path: the file; its folder is made.
        text: what it shall hold, written as UTF-8 with LF line ends.
        scratch: a folder on the same file system for the temporary file, by default the file's own.

    Raises:
        SeabedError: it cannot be written; what was there stays, and no temporary file is left.
    """
    with replacing(path, scratch) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def replacing(path: Path, scratch: Path | None = None) -> Iterator[Path]:
    """Replace a file in one step, by whatever is written under the temporary name given.

    Args:
        path: the file; its folder is made.
        scratch: a folder on the same file system for the temporary file, by default the file's own.

    Yields:
        The temporary name. After an error it is removed, and `path` stays as it was.

    Raises:
        SeabedError: the place cannot be written: read-only, full, or a folder is there.
    """
    temporary = (scratch / path.name if scratch else path).with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "a folder is there, name a file")
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        reason = error.strerror or str(error)
        if isinstance(error, FileExistsError | NotADirectoryError):
            reason = f"{next(p for p in path.parents if p.exists())} is no folder"
        raise SeabedError(f"cannot write {path}: {reason}") from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def check_place(path: Path) -> None:
    """Refuse a place where no file can be written, before the work whose outcome goes there.

    Args:
        path: the file to be.

    Raises:
        SeabedError: it is a folder, or lies in what is no folder or may not be written.
    """
    folder = next((p for p in path.absolute().parents if p.exists()), None)
    if path.is_dir():
        raise SeabedError(f"cannot write {path}: a folder is there, name a file")
    if folder is None or not folder.is_dir():
        raise SeabedError(f"cannot write {path}: {folder} is no folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise SeabedError(f"cannot write {path}: {folder} is read-only")
