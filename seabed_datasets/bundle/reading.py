"""Reading a bundle back: `load(config)`, and one snapshot of a Hub repository."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from seabed_datasets import catalogue
from seabed_datasets.errors import SeabedError
from seabed_datasets.files import file_sha256

if TYPE_CHECKING:
    from datasets import DatasetDict
    from pyarrow.parquet import ParquetFile

    from seabed_datasets.schemas import Row

HUB_BUNDLE = "seabed/SEA-BED"


def load(
    config: str,
    data: str | Path = HUB_BUNDLE,
    *,
    revision: str | None = None,
    offline: bool = False,
) -> DatasetDict:
    """Load one config from the Hub or from a bundle folder.

    From the Hub only the config's own files are fetched, into the cache that `seabed run` uses; what was
    fetched once loads without a network, at exactly the revision asked for.

    Args:
        config: its name; a wrong one is answered with the closest, without asking the Hub.
        data: a bundle folder or a Hub repository.
        revision: a commit, branch or tag of the repository.
        offline: use what was fetched before; HF_HUB_OFFLINE=1 does the same.

    Returns:
        A DatasetDict with the splits of the config's task.

    Raises:
        UnknownName: no such config.
        SeabedError: the folder or repository does not hold it, cannot be reached, or its files are damaged.
    """
    from glob import escape

    from datasets import load_dataset

    from seabed_datasets.bundle.manifest import MANIFEST, data_file, read_manifest

    catalogue.config(config)
    folder = Path(data)
    if not folder.is_dir():
        folder = snapshot(str(data), [MANIFEST, f"data/{config}/*"], revision, offline)
    elif revision is not None:
        raise SeabedError(f"{data} is a folder, so it has no revision {revision!r}")
    manifest = read_manifest(folder)
    if config not in manifest:
        out = data if Path(data).is_dir() else "bundle"
        raise SeabedError(f"{data} holds no {config}; `seabed build {config} --out {out}` makes it")
    again = f"`seabed build {config} --out {data}`" if Path(data).is_dir() else "load again with a network"
    files = {}
    for split, known in manifest[config]["splits"].items():
        path = data_file(folder, config, split)
        if not path.is_file():
            raise SeabedError(f"{config}: {path} is missing; {again}")
        if file_sha256(path.resolve()) != known["sha256"]:
            raise SeabedError(f"{config}: {path} is not the file that {MANIFEST} describes; {again}")
        # `datasets` reads a path as a pattern: [v2] in a folder's name would match "v" or "2".
        files[split] = escape(str(path))
    return load_dataset("parquet", data_files=files)


def parquet_file(path: Path) -> ParquetFile:
    """Open a Parquet file of a bundle.

    Args:
        path: the file.

    Returns:
        The open file.

    Raises:
        SeabedError: it is missing, cut or damaged; with what to do.
    """
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        return ParquetFile(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise _damaged(path, error) from None


def stored_rows(file: ParquetFile, path: Path) -> Iterator[Row]:
    """The rows of an open Parquet file of a bundle, a batch at a time.

    Args:
        file: what `parquet_file` opened.
        path: where it lies, for the message.

    Returns:
        The rows.

    Raises:
        SeabedError: the file turns out to be damaged.
    """
    import pyarrow

    try:
        for batch in file.iter_batches(batch_size=1024):
            yield from batch.to_pylist()
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _damaged(path, error) from None


def _damaged(path: Path, error: Exception) -> SeabedError:
    return SeabedError(
        f"{path} is missing or damaged ({error}): `seabed build {path.parent.name} --out {path.parents[2]}` "
        "makes it again"
    )


def snapshot(repo: str, patterns: Iterable[str], revision: str | None = None, offline: bool = False) -> Path:
    """Files of a dataset repository, all from one commit.

    Args:
        repo: its name on the Hub.
        patterns: which files.
        revision: commit, branch or tag; None is main.
        offline: use what was fetched before.

    Returns:
        The local folder; its name is the commit.

    Raises:
        SeabedError: they cannot be fetched.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError, RepositoryNotFoundError, RevisionNotFoundError

    at = f" at {revision}" if revision else ""
    try:
        folder = snapshot_download(
            repo,
            repo_type="dataset",
            revision=revision,
            allow_patterns=list(patterns),
            local_files_only=offline,
        )
    except RepositoryNotFoundError:
        raise SeabedError(
            f"{repo} is no dataset on the Hub, nor a folder here; `seabed build CONFIG --out {repo}` makes one"
        ) from None
    except RevisionNotFoundError:
        raise SeabedError(f"{repo} has no revision {revision!r}: give a commit, branch or tag") from None
    except LocalEntryNotFoundError:
        raise SeabedError(
            f"{repo}{at} was not fetched before and the Hub cannot be reached: run once with a network"
        ) from None
    except Exception as error:
        raise SeabedError(f"cannot get {repo}{at} from the Hub: {error}; run again to continue") from None
    return Path(folder)
