"""Vectors for a study: the model and prompts of a run, the vectors a run has kept, rows that are parallel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tqdm import tqdm

from seabed_datasets import catalogue
from seabed_datasets.catalogue import Config
from seabed_datasets.errors import SeabedError
from seabed_evaluate.encoders.batching import Vectors
from seabed_evaluate.encoders.loading import Encoder, load_encoder
from seabed_evaluate.encoders.options import ModelOptions
from seabed_evaluate.encoders.vector_cache import EmbeddingCache, open_cache
from seabed_evaluate.runner.bundles import Bundle, fetch_configs, open_bundle, read_splits
from seabed_evaluate.runner.options import RunOptions
from seabed_evaluate.runner.protocols import Protocol, protocol
from seabed_evaluate.runner.run import select
from seabed_evaluate.runner.scoring import Embedder, config_settings
from seabed_evaluate.runner.similarity import unit
from seabed_evaluate.studies.parallel import parallel_texts


@dataclass(frozen=True)
class Session:
    """A bundle, a model and the cache of vectors, opened as a run opens them."""

    bundle: Bundle
    encoder: Encoder
    rules: Protocol
    cache: EmbeddingCache
    configs: tuple[Config, ...]
    quiet: bool

    @property
    def model(self) -> str:
        """The model's name."""
        return str(self.encoder.settings["model"])


def open_session(
    what: RunOptions, model: ModelOptions | Encoder, *, task: str, minimum: int = 1, quiet: bool = True
) -> Session:
    """Open a bundle and a model.

    Args:
        what: which data.
        model: how to load the model, or the loaded one.
        task: configs of this task only.
        minimum: how many configs the study needs.
        quiet: no progress bars.

    Returns:
        The session; the data files of its configs are there.

    Raises:
        SeabedError: too few configs fit, or something cannot be loaded.
    """
    bundle = open_bundle(what.data, revision=what.revision, offline=what.offline)
    wanted = [catalogue.config(name) for name in what.configs] if what.configs is not None else None
    if wanted is not None and (other := [c.name for c in wanted if c.task != task]):
        raise SeabedError(f"this study is of {task}; {', '.join(other)} is another task")
    languages = set(what.languages) if what.languages is not None else None
    configs = select(bundle, wanted, {task}, languages)
    if len(configs) < minimum:
        raise SeabedError(
            f"{bundle.name} has {len(configs)} fitting configs of {task}, the study needs {minimum}; "
            "`seabed list --task " + task + "` shows what can be built"
        )
    fetch_configs(bundle, [c.name for c in configs], offline=what.offline)
    cache = what.cache
    if not isinstance(cache, EmbeddingCache):
        cache = open_cache(cache) if cache is not None else open_cache(disk=False)
    encoder = load_encoder(model) if isinstance(model, ModelOptions) else model
    return Session(bundle, encoder, protocol(what.protocol_name), cache, tuple(configs), quiet)


def embed(session: Session, config: Config, texts: Sequence[str], what: str = "") -> Vectors:
    """Vectors of texts under the prompts that a run gives them; kept vectors are used again.

    Args:
        session: model and cache.
        config: whose prompts.
        texts: n texts.
        what: what they are, for the progress bar.

    Returns:
        float32 array of shape (n, dimension), unit length (zero vectors stay zero).
    """
    settings = config_settings(config, session.bundle, session.encoder, session.rules)
    with tqdm(unit="text", leave=False, desc=what or None, disable=True if session.quiet else None) as bar:
        embedder = Embedder(session.encoder, session.cache, settings, bar)
        return unit(embedder(list(texts), "query", None))


def rows(session: Session, config: Config) -> dict[str, list[Any]]:
    """The test rows of a config.

    Args:
        session: whose bundle.
        config: which config.

    Returns:
        Column -> values.
    """
    return read_splits(session.bundle, config)["test"]


def same_set(configs: Iterable[Config]) -> dict[str, list[Config]]:
    """Configs by dataset.

    Args:
        configs: the configs.

    Returns:
        Key -> its configs, in order.
    """
    found: dict[str, list[Config]] = {}
    for config in configs:
        found.setdefault(config.key, []).append(config)
    return found


def language_vectors(session: Session) -> dict[str, Vectors]:
    """Vectors of a parallel set by language; each sentence is encoded once.

    Args:
        session: configs of one set that share their first language.

    Returns:
        Language -> unit vectors, row i of all being translations.

    Raises:
        SeabedError: the configs are of several sets, or share no language.
    """
    sets = same_set(session.configs)
    if len(sets) > 1:
        raise SeabedError(
            f"one set at a time, not {', '.join(sets)}: name its configs with --configs, e.g. "
            + ",".join(c.name for c in next(iter(sets.values()))[:3])
        )
    texts = parallel_texts([(c, rows(session, c)) for c in session.configs])
    return {lang: embed(session, session.configs[0], own, what=lang) for lang, own in texts.items()}
