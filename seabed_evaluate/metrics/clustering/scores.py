"""Clustering: V-measure (main), homogeneity, completeness, adjusted Rand index, mutual information."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from seabed_evaluate.metrics.shared.bootstrap import Resampling, scores_with_intervals
from seabed_evaluate.metrics.shared.groups import membership, numbered
from seabed_evaluate.metrics.shared.inputs import FloatArray, integers, same_length

if TYPE_CHECKING:
    from typing_extensions import Unpack

MAIN_SCORE = "v_measure"


def _entropy(counts: FloatArray, total: FloatArray) -> FloatArray:
    """Entropy in nats of each row of counts, shape (b, groups) to (b,)."""
    share = counts / total[:, None]
    logs = np.log(share, out=np.zeros_like(share), where=share > 0)
    result: FloatArray = -(share * logs).sum(axis=1)
    return result


def _share(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """Divide, giving 1 where the divisor is 0: one group only leaves nothing to mix up."""
    return np.divide(top, bottom, out=np.ones_like(top), where=bottom > 0)


def clustering_scores(
    predictions: Any,
    references: Any,
    **resampling: Unpack[Resampling],
) -> dict[str, Any]:
    """Score a clustering against true classes; the names of clusters and classes do not matter.

    Args:
        predictions: whole-number cluster of each item, shape (n,).
        references: whole-number class of each item, shape (n,).
        **resampling: of the items; see ``bootstrap.Resampling``.

    Returns:
        ``v_measure``, ``homogeneity``, ``completeness``, ``nmi`` in [0, 1] and ``ari`` in [-0.5, 1]; with
        resampling ``<name>_low`` and ``<name>_high``. ``nmi`` divides by the arithmetic mean of the two
        entropies, which makes it equal to ``v_measure``. One class only has homogeneity 1, one cluster only
        completeness 1, both together V-measure 1. A resample repeats items, and repeated items always share
        class and cluster, so intervals for very small sets lean upwards.

    Raises:
        ValueError: lengths differ, nothing to score, or a value is not a whole number.

    Source:
        Rosenberg and Hirschberg (2007), V-measure with beta 1; Hubert and Arabie (1985), adjusted Rand index.

    >>> clustering_scores([1, 1, 0, 0], [0, 0, 1, 1])["v_measure"]
    1.0
    """
    clusters, classes = integers(predictions, "predictions"), integers(references, "references")
    n_items = same_length(clusters, classes)
    (class_of, n_classes), (cluster_of, n_clusters) = numbered(classes), numbered(clusters)
    cell_of, n_cells = numbered(class_of * n_clusters + cluster_of)
    cells = np.zeros((2, n_cells), dtype=np.int64)
    cells[:, cell_of] = class_of, cluster_of
    to_cells = membership(cell_of, n_cells)
    to_classes, to_clusters = membership(cells[0], n_classes), membership(cells[1], n_clusters)

    def statistics(weights: FloatArray) -> dict[str, FloatArray]:
        total, joint = weights.sum(axis=1), weights @ to_cells
        by_class, by_cluster = joint @ to_classes, joint @ to_clusters
        h_class, h_cluster = _entropy(by_class, total), _entropy(by_cluster, total)
        information = np.maximum(h_class + h_cluster - _entropy(joint, total), 0.0)
        v_measure = _share(2 * information, h_class + h_cluster)
        # Ordered pairs of items: together in both, in the class only, in the cluster only, in neither.
        squares = (joint**2).sum(axis=1)
        both = squares - total
        class_only, cluster_only = (by_class**2).sum(axis=1) - squares, (by_cluster**2).sum(axis=1) - squares
        neither = total**2 - squares - class_only - cluster_only
        ari = _share(
            2 * (both * neither - class_only * cluster_only),
            (both + class_only) * (class_only + neither) + (both + cluster_only) * (cluster_only + neither),
        )
        return {
            "v_measure": v_measure,
            "homogeneity": _share(information, h_class),
            "completeness": _share(information, h_cluster),
            "ari": ari,
            "nmi": v_measure,
        }

    return scores_with_intervals(statistics, n_items, **resampling)
