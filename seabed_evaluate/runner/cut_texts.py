"""Texts longer than the model's limit, of which it saw only the beginning: how many there were."""

from __future__ import annotations

from collections.abc import Iterable

from seabed_evaluate.runner.results import Result


def cut_texts(results: Iterable[Result]) -> tuple[int, int] | None:
    """How many texts were cut.

    Args:
        results: of one run; those that do not say it are left out.

    Returns:
        How many, of how many; None where no result says it.
    """
    sides = [side for r in results for side in (r.get("cut") or {}).values() if side["cut"] is not None]
    return (sum(s["cut"] for s in sides), sum(s["texts"] for s in sides)) if sides else None


def share(cut: Iterable[tuple[int, int] | None]) -> float | None:
    """The share of texts that were cut.

    Args:
        cut: of `cut_texts`, of any number of configs.

    Returns:
        The share over all their texts, or None where none is known.
    """
    known = [c for c in cut if c is not None]
    texts = sum(of for _, of in known)
    return sum(n for n, _ in known) / texts if texts else None


def cut_line(results: Iterable[Result], most: int = 3) -> str | None:
    """What a run says of cut texts at its end.

    Args:
        results: of one run.
        most: how many configs are named.

    Returns:
        One line, or None where nothing was cut or it is not known.

    >>> cut_line([{"config": "x_mya", "cut": {"query": {"texts": 200, "cut": 101, "tokens_lost": 0.2}}}])
    "cut texts: 101 of 200 (50.5 %) were longer than the model's limit: x_mya 50.5 % (20.0 % of tokens lost)"
    """
    given = list(results)
    total = cut_texts(given)
    if total is None or not total[0]:
        return None
    shares = {r["config"]: (share([cut_texts([r])]) or 0.0, r) for r in given}
    worst = sorted(((s, name) for name, (s, _) in shares.items() if s), reverse=True)[:most]
    each = []
    for part, name in worst:
        lost = [v for side in shares[name][1]["cut"].values() if (v := side["tokens_lost"]) is not None]
        each.append(f"{name} {100 * part:.1f} % ({100 * max(lost, default=0.0):.1f} % of tokens lost)")
    return (
        f"cut texts: {total[0]:,} of {total[1]:,} ({100 * total[0] / total[1]:.1f} %) were longer than the model's "
        f"limit: {', '.join(each)}"
    )
