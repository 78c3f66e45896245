"""A Ray cluster of two nodes, one of which stops."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from abs_shield.errors import ReplayError
from abs_shield.replay import RawLine, WorkerPool, chunks
from abs_shield.replay.engines import outcomes

FOLDER = str(Path(__file__).parent)
sys.path.insert(0, FOLDER)

import engine_jobs  # noqa: E402

ray = pytest.importorskip("ray", reason="needs `pip install abs-shield[ray]`")
pytestmark = pytest.mark.filterwarnings("ignore")  # its own, about pipes that it leaves open


@pytest.fixture
def two_nodes(monkeypatch):
    """Start two Ray nodes on this machine."""
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([FOLDER, os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.second = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def test_a_lost_node_loses_no_results(two_nodes):
    """Another node judges the lost node's chunks; each result is returned once, in order."""
    lines = (RawLine("f", n, b"{}") for n in range(1, 25))
    crew = WorkerPool(address=two_nodes.address)
    parts = outcomes(engine_jobs.Nodes(), chunks(lines, most_lines=1), engine="ray", pool=crew)

    before = [next(parts) for _ in range(6)]
    two_nodes.remove_node(two_nodes.second, allow_graceful=False)
    after = list(parts)

    assert 2 == len({node for node, _ in before})
    assert 1 == len({node for node, _ in after[-6:]})
    assert [[n] for n in range(1, 25)] == [numbers for _, numbers in before + after]


def test_no_cluster_at_an_address():
    """A cluster that cannot be reached raises a one-line error."""
    job, crew = engine_jobs.Numbers(), WorkerPool(address="127.0.0.1:1")
    lines = [RawLine("f", 1, b"{}")]

    with pytest.raises(ReplayError, match=r"^cannot reach a cluster at `127\.0\.0\.1:1`: .+$"):
        list(outcomes(job, chunks(lines), engine="ray", pool=crew))
