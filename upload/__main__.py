"""`python -m upload dataset | metrics | takedown | changed`."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seabed_datasets.bundle.reading import HUB_BUNDLE
from seabed_datasets.errors import SeabedError
from seabed_datasets.terminal import comma, run

if TYPE_CHECKING:
    from huggingface_hub import HfApi

    from upload.publish import Published

app = typer.Typer(no_args_is_help=True, help="Publish to the Hub. Needs `hf auth login` or HF_TOKEN.")

Version = Annotated[str | None, typer.Option(help="Name of the tag. Default: v and the version of seabed.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Check and show the plan; send nothing.")]
PullRequest = Annotated[bool, typer.Option("--pr", help="Open a pull request instead of committing.")]
Repo = Annotated[str, typer.Option(help="The dataset repository.")]


@app.command()
def dataset(
    bundle: Annotated[Path, typer.Option(help="The bundle folder, of `seabed build`.")],
    repo: Repo = HUB_BUNDLE,
    include: Annotated[
        list[str] | None, typer.Option(help="A dataset to publish against the licence rule; needs --reason.")
    ] = None,
    reason: Annotated[
        list[str] | None,
        typer.Option(
            help="Why: one for each --include, or one for all of them. One more, or the only one, says why rows "
            "change under the same version of their card."
        ),
    ] = None,
    version: Version = None,
    accept: Annotated[
        list[str] | None,
        typer.Option(help="A data check that may fail, e.g. SB401, or truncated; may be repeated."),
    ] = None,
    include_samples: Annotated[
        bool, typer.Option("--include-samples", help="Publish the machine-written sample sets too.")
    ] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove configs from the Hub that are not in the folder.")
    ] = False,
    pr: PullRequest = False,
    dry_run: DryRun = False,
) -> None:
    """Check a bundle and publish it in one commit, then read it back and tag it.

    A rerun completes an interrupted one, and does nothing when nothing changed. Configs on the Hub that are
    not in the folder stay. Datasets whose licence forbids copies or is not known are left out, and so are the
    sample sets. Rows that changed need a higher version in their card, or a reason.

    Example: python -m upload dataset --bundle bundle --dry-run
    """
    from upload.dataset import publish_bundle

    included, changed = _reasons(include or [], reason or [])
    done = publish_bundle(
        _api(),
        bundle,
        repo,
        version=version or f"v{installed('seabed')}",
        include=included,
        accept=accept or [],
        reason=changed,
        samples=include_samples,
        prune=prune,
        pr=pr,
        dry_run=dry_run,
        say=typer.echo,
    )
    _finish(repo, done)


@app.command()
def metrics(
    only: Annotated[str | None, typer.Option(help="Comma-separated tasks. Default: all nine.")] = None,
    namespace: Annotated[str, typer.Option(help="User or organisation of the Spaces.")] = "seabed",
    version: Annotated[
        str | None, typer.Option(help="Name of the tags. Default: release- and the version of seabed.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the folders here instead: they load without seabed installed.")
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Publish each metric as a Space, with the files it needs and nothing else, or write these files to a folder.

    Example: python -m upload metrics --only sts --dry-run
    """
    from upload.spaces import chosen, publish_metrics, write_spaces

    if out is not None:
        write_spaces(out, chosen(comma(only)))
        return
    tag = version or f"release-{installed('seabed')}"
    publish_metrics(_api(), namespace, version=tag, only=comma(only), dry_run=dry_run, say=typer.echo)


@app.command()
def takedown(
    key: Annotated[str, typer.Argument(help="The dataset's key, e.g. ntrex.")],
    reason: Annotated[str, typer.Option(help="Why; shown in the README.")],
    repo: Repo = HUB_BUNDLE,
    version: Version = None,
    pr: PullRequest = False,
    dry_run: DryRun = False,
) -> None:
    """Remove a dataset from the published bundle in one commit, and record it so that it stays off.

    Example: python -m upload takedown ntrex --reason "asked by its authors" --version v0.1.1
    """
    from upload.takedown import take_down

    tag = version or f"v{installed('seabed')}"
    done = take_down(_api(), key, repo, reason=reason, version=tag, pr=pr, dry_run=dry_run, say=typer.echo)
    _finish(repo, done)


@app.command()
def changed(
    since: Annotated[str, typer.Option(help="A commit, branch or tag of this checkout.")],
) -> None:
    """Print the configs whose card or loader changed since a commit, for `seabed build`.

    Example: seabed build $(python -m upload changed --since v0.1.0) --out bundle
    """
    from upload.changed import changed_configs

    typer.echo(" ".join(changed_configs(since)))


def _api() -> HfApi:
    from huggingface_hub import HfApi
    from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]

    if not sys.stderr.isatty():
        disable_progress_bars()
    return HfApi(library_name="seabed", library_version=installed("seabed"))


def _reasons(keys: list[str], reasons: list[str]) -> tuple[dict[str, str], str]:
    """The reason of each --include, and the one for changed rows: the last, where there is one more."""
    if not keys and len(reasons) <= 1:
        return {}, "".join(reasons)
    if keys and len(reasons) in (1, len(keys)):
        return dict(zip(keys, reasons * len(keys) if len(reasons) == 1 else reasons, strict=True)), ""
    if keys and len(reasons) == len(keys) + 1:
        return dict(zip(keys, reasons, strict=False)), reasons[-1]
    raise SeabedError(
        f"{len(keys)} --include but {len(reasons)} --reason: give one each, or one for all; one more, the last, "
        "is for rows that changed"
    )


def _finish(repo: str, done: Published | None) -> None:
    if done is None:
        typer.echo("dry run: nothing was sent")
    elif done.pull_request:
        typer.echo(f"pull request: {done.pull_request}")
    elif done.made:
        typer.echo(f"published {repo} at {done.commit}, read back and tagged {done.tag}")
    else:
        typer.echo(
            f"nothing to change: {repo} at {done.commit}" + (f", tagged {done.tag}" if done.tag else "")
        )


if __name__ == "__main__":
    run(app)
