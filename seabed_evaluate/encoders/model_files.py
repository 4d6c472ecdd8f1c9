"""Where a model's files are, a name for their contents, and what in them is refused before anything is loaded."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from seabed_datasets.errors import SeabedError, unknown

# The entries of auto_map that a text encoder would run; others (a chat head, say) are of no concern.
CODE = {
    "config.json": ("AutoConfig", "AutoModel"),
    "tokenizer_config.json": ("AutoTokenizer", "AutoProcessor"),
}
WAY_OUT = "or score it through a function of your own, --model module:function"


class ModelError(SeabedError):
    """A model that cannot be used as it is; the message says what would help."""


@dataclass(frozen=True)
class Files:
    """A model folder, or a repository of the Hub at one commit.

    `place` is what sentence-transformers loads; `folder` holds the small files in both cases; `name` is fit for
    publication: a Hub id, or a folder's last name.
    """

    name: str
    place: str
    folder: Path
    revision: str
    on_hub: bool


def find(model: str, revision: str | None, known: Iterable[str]) -> Files:
    """Find a model and name its exact contents.

    Args:
        model: a folder, however it is written, or a Hub id.
        revision: commit, branch or tag on the Hub.
        known: names to suggest.

    Returns:
        Its files.

    Raises:
        UnknownName: neither a folder nor a Hub id.
        ModelError: the Hub does not give it, or a revision is asked of a folder.
    """
    path = Path(model).expanduser()
    if path.is_dir():
        if revision is not None:
            raise ModelError(f"{model} is a folder, and --model-revision is of the Hub: leave it out")
        folder = path.resolve()
        return Files(folder.name or "model", str(folder), folder, fingerprint(folder), False)
    if not re.fullmatch(r"[\w-][\w.-]*/[\w-][\w.-]*", model) or path.exists():
        raise unknown("model", model, known, "It is neither a model folder nor a Hub id (organisation/name).")
    from huggingface_hub import snapshot_download

    try:
        local = Path(
            snapshot_download(
                model,
                revision=revision,
                allow_patterns="*.json",
                ignore_patterns=["onnx/*", "openvino/*", "original/*"],
            )
        )
    except Exception as error:
        raise ModelError(f"cannot get {model} from the Hub: {one_line(error)}") from None
    return Files(model, model, local, local.name, True)


def fingerprint(folder: Path) -> str:
    """A name for the contents of a local model folder, in place of a Hub commit.

    Args:
        folder: the folder.

    Returns:
        "sha256:" and 16 hex digits over every file's path and bytes.
    """
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.startswith(".")):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            while chunk := file.read(1 << 24):
                digest.update(chunk)
    return f"sha256:{digest.hexdigest()[:16]}"


def one_line(error: BaseException) -> str:
    """What an error says, fit for one line of a terminal.

    Args:
        error: any.

    Returns:
        Its class where it says nothing else, else at most 400 characters.
    """
    return " ".join(str(error).split())[:400] or type(error).__name__


def read_json(path: Path, kind: type = dict) -> Any:
    """Read a model's JSON file.

    Args:
        path: the file.
        kind: what it must hold.

    Returns:
        Its content; an empty one where there is no file.

    Raises:
        ModelError: it cannot be read, or holds something else.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else kind()
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{path.name} of the model cannot be read as JSON: {one_line(error)}") from None
    if not isinstance(value, kind):
        raise ModelError(f"{path.name} of the model holds no {'object' if kind is dict else 'list'}")
    return value


def check(files: Files, *, trust: bool, native: bool, pooling: str | None) -> bool:
    """Refuse what sentence-transformers would leave out, replace or run without a word.

    Args:
        files: the model.
        trust: its own Python code may run.
        native: transformers' class of its model type is known to stand for its own code.
        pooling: what the user asks for.

    Returns:
        Whether its tokenizer's settings ask for an end token.

    Raises:
        ModelError: see the text of each.
    """
    name, folder = files.name, files.folder
    modules = read_json(folder / "modules.json", list)
    parts = [(str(m.get("type")), m.get("path")) for m in modules if isinstance(m, dict)]
    if len(parts) < len(modules):
        raise ModelError(f"{name}: modules.json holds something that is no module")
    for kind, path in list(parts):
        if kind.endswith(".Router"):
            router = read_json(_inside(name, folder, path) / "router_config.json")
            router = router or read_json(_inside(name, folder, path) / "config.json")
            parts += [(str(t), f"{path}/{p}" if path else p) for p, t in router.get("types", {}).items()]
    places = [_inside(name, folder, path) for _, path in parts] or [folder]
    if any((place / "adapter_config.json").is_file() for place in places) and not find_spec("peft"):
        raise ModelError(
            f"{name} is a LoRA adapter, whose base model has to be there too: pip install peft, or merge it into "
            "its base (peft's merge_and_unload), save that folder and give it as --model"
        )
    if not modules and not any((folder / f).is_file() for f in ("config.json", "adapter_config.json")):
        raise ModelError(f"{name} holds no model: neither config.json nor modules.json is there")
    code = [f"modules.json: {k}" for k, _ in parts if not k.startswith("sentence_transformers.")]
    for place in places:
        for file, keys in CODE.items():
            mapped = read_json(place / file).get("auto_map") or {}
            elsewhere = re.search(r"([\w.-]+/[\w.-]+)--", json.dumps([mapped.get(key) for key in keys]))
            if elsewhere and not native:
                raise ModelError(
                    f"{name}: its code lies in another repository, {elsewhere[1]}, at no fixed commit. Save both in one "
                    f"folder, take {elsewhere[1]}-- out of the auto_map of {file}, and give that folder, {WAY_OUT}"
                )
            code += [f"{file}: auto_map"] if not native and not mapped.keys().isdisjoint(keys) else []
    for (kind, _), place in zip(parts, places, strict=False):
        activation = str(read_json(place / "config.json").get("activation_function", "torch."))
        if kind.endswith(".Dense") and not activation.startswith("torch."):
            code.append(f"the Dense module's activation {activation}")
    if code and not trust:
        raise ModelError(
            f"{name} needs Python code of its own ({code[0]}). Read it, then allow it with --trust-remote-code "
            f"(from the Hub together with --model-revision COMMIT), {WAY_OUT}"
        )
    kind = read_json(folder / "config_sentence_transformers.json").get("model_type", "SentenceTransformer")
    if kind != "SentenceTransformer":
        raise ModelError(f"{name} is a {kind} model: it does not give one dense vector per text")
    if not modules and pooling is None:
        heads = [str(h) for h in read_json(folder / "config.json").get("architectures") or []]
        odd = [h for h in heads if h.endswith("Classification") or "ColBERT" in h]
        raise ModelError(
            f"{name} does not say how tokens become one vector (no modules.json)"
            + (f", and is a {odd[0]}, made for other things than vectors of texts" if odd else "")
            + "; add --pooling with one of mean, cls, lasttoken, max, weightedmean, mean_sqrt_len_tokens"
        )
    return any(read_json(place / "tokenizer_config.json").get("add_eos_token") is True for place in places)


def _inside(name: str, folder: Path, path: Any) -> Path:
    """A module's folder; one outside would not be in the fingerprint."""
    windows = PureWindowsPath(str(path))
    if not isinstance(path, str) or windows.anchor or ".." in windows.parts or PurePosixPath(path).anchor:
        raise ModelError(f"{name}: modules.json names {path!r}, which is not inside the model's folder")
    return folder / path
