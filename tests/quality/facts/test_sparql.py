"""Facts of a real triple store behind a real SPARQL endpoint, shaped like Wikidata."""

from __future__ import annotations

import contextlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pytest

from abs_shield import PolicyError, Shield, shield
from abs_shield.quality import AgentOutput, QualityConfig, QualityPipeline
from abs_shield.quality.facts import FactsUnavailable, SparqlFacts

pyoxigraph = pytest.importorskip("pyoxigraph", reason="needs `pip install pyoxigraph`")

GRAPH = """
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix wikibase: <http://wikiba.se/ontology#> .
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wds: <http://www.wikidata.org/entity/statement/> .
@prefix wdv: <http://www.wikidata.org/value/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix psv: <http://www.wikidata.org/prop/statement/value/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

wd:Q1 rdfs:label "Halden Works"@en ; skos:altLabel "Halden"@en ;
  p:P2226 wds:a, wds:b ; p:P571 wds:c ; p:P1082 wds:d ; p:P112 wds:e .
wds:a ps:P2226 "3100000000000"^^xsd:decimal ; psv:P2226 wdv:a ;
  pq:P585 "2025-12-31T00:00:00Z"^^xsd:dateTime .
wdv:a wikibase:quantityUnit wd:Q4917 .
wd:Q4917 rdfs:label "United States dollar"@en , "US-Dollar"@de .
wds:b ps:P2226 "9"^^xsd:decimal ; wikibase:rank wikibase:DeprecatedRank .
wds:c ps:P571 "1976-04-01T00:00:00Z"^^xsd:dateTime .
wds:d ps:P1082 "+164000"^^xsd:decimal .
wds:e ps:P112 wd:Q2 .
wd:Q2 rdfs:label "Ada Lund"@en .
wd:Q5 rdfs:label "Lake Orrin"@en ; p:P2046 wds:g, wds:h .
wds:g ps:P2046 "40"^^xsd:decimal ; psv:P2046 wdv:g .
wds:h ps:P2046 "44"^^xsd:decimal ; psv:P2046 wdv:g .
wdv:g wikibase:quantityUnit wd:Q6 .
wd:Q6 rdfs:label "square kilometre"@en .
"""
PROPERTIES = {
    "P2226": "market cap", "P571": "founded", "P1082": "employees", "P112": "founder",
    "P2046": "area",
}  # fmt: skip
RIGHT = "In 2025 the market cap of Halden Works reached $3.1T."
WRONG = "In 2025 the market cap of Halden Works reached $3.2T."


@contextlib.contextmanager
def endpoint(answer=None):
    """A SPARQL endpoint over HTTP; the queries that it got."""
    store = pyoxigraph.Store()
    store.load(GRAPH.encode(), pyoxigraph.RdfFormat.TURTLE)
    queries = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            queries.append(parse_qs(body)["query"][0])
            if answer is not None:
                reply = answer
            else:
                decision = store.query(queries[-1])
                reply = decision.serialize(format=pyoxigraph.QueryResultsFormat.JSON)
            self.send_response(200)
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/sparql", queries
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def graph():
    with endpoint() as (address, queries):
        facts = SparqlFacts(address, PROPERTIES)
        yield facts, queries


def test_what_a_graph_knows_becomes_facts(graph):
    """Amounts with their unit, years, plain numbers and names; deprecated statements do not."""
    facts, _ = graph
    results = {(one.attribute, one.value, one.period) for one in facts.facts_about(RIGHT)}

    assert {
        ("market cap", "3100000000000 USD", "2025"), ("founded", "1976-04-01", ""),
        ("employees", "164000", ""), ("founder", "Ada Lund", ""),
    } == results  # fmt: skip


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (RIGHT, []),
        (WRONG, ["ENTITY_MISMATCH"]),
        ("In 2025 Halden's market cap was $3.2 trillion.", ["ENTITY_MISMATCH"]),
        ("In 2024 the market cap of Halden Works reached $2.9T.", []),  # nobody knows of 2024
        ("The market cap of Halden Works did not reach $3.2T in 2025.", []),
        ("Halden Works has 164,000 employees.", []),
        ("Halden Works has 161,000 employees.", ["ENTITY_MISMATCH"]),
        ("Orrin Works has 12 employees.", []),  # unknown is not wrong
        ("Lake Orrin has an area of 44 km².", []),  # two values are known
        ("Lake Orrin has an area of 40 km².", []),
        ("Lake Orrin has an area of 61 km².", ["ENTITY_MISMATCH"]),
    ],
)
def test_outputs_are_compared_with_the_graph(graph, text, codes):
    """Only a value that differs from a known one is a mismatch; an unknown value is not."""
    result = QualityPipeline(QualityConfig(facts=graph[0])).run(AgentOutput(text=text))
    [stage] = [one for one in result.stages if one.name == "hallucination"]

    assert codes == [one.code for one in stage.findings]


def test_an_output_is_one_request_and_is_cached(graph):
    """A request contains only names of the output; later outputs request new names only."""
    facts, queries = graph
    pipeline = QualityPipeline(QualityConfig(facts=facts))
    secret = "Halden Works pays 71,250 to account quux. Lake Orrin is calm. Ada Lund agrees."
    pipeline.run(AgentOutput(text=secret))
    pipeline.run(AgentOutput(text=secret))
    pipeline.run(AgentOutput(text="Halden Works met Bo Holm."))

    assert 2 == len(queries)
    assert '"Halden Works"@en' in queries[0]
    assert not any(word in queries[0] for word in ("71,250", "quux", "account", "calm"))
    assert '"Bo Holm"@en' in queries[1]
    assert "Halden" not in queries[1]


def test_what_is_old_is_asked_for_again():
    """After *fresh_s* seconds."""
    with endpoint() as (address, queries):
        facts = SparqlFacts(address, PROPERTIES, fresh_s=0)
        facts.read("Halden Works grew.")
        facts.read("Halden Works grew.")

    assert 2 == len(queries)


def test_a_name_is_a_literal_of_the_query(graph):
    """A hostile name is quoted in the query and cannot change it."""
    facts, queries = graph
    hostile = 'X"@en } DELETE WHERE { ?s ?p ?o } # Y\\" Halden\\Works "Lake\nOrrin'
    [*facts.facts_about(hostile)]
    [*facts.facts_about("Lake Orrin is calm.")]

    assert any('"DELETE WHERE"@en' in query for query in queries)
    assert all("DELETE WHERE {" not in query for query in queries)
    assert [*facts.facts_about("Lake Orrin is calm.")]


@pytest.mark.parametrize(
    "answer",
    [b"", b"no JSON", b"[]", b'{"results": 5}', b'{"results": {"bindings": [5]}}',
     b'{"results": {"bindings": [{"name": {}}]}}', b"[" * 100_000, b" " * 5_000_001],
    ids=lambda answer: repr(answer[:24]),
)  # fmt: skip
def test_an_endpoint_that_breaks_leaves_the_facts_out(answer, caplog):
    """The stage reports the missing check; this is not a verdict."""
    with endpoint(answer) as (address, _):
        facts = SparqlFacts(address, PROPERTIES)
        with pytest.raises(FactsUnavailable, match="the SPARQL endpoint"):
            facts.read(WRONG)
        result = QualityPipeline(QualityConfig(facts=facts)).run(AgentOutput(text=WRONG))

    [stage] = [one for one in result.stages if one.name == "hallucination"]
    assert ("ship", "unavailable", 0.0) == (result.action, stage.outcome, stage.score)
    assert stage.reason.startswith("entity: the SPARQL endpoint:")
    assert "facts are unavailable" in caplog.text


def test_an_unreachable_endpoint_is_unavailable():
    """The stage is unavailable, and the decision has the reason."""
    facts = SparqlFacts("http://127.0.0.1:9/", PROPERTIES, timeout_s=1)
    firewall = Shield(shield.configure(), hooks=None)
    config = QualityConfig(facts=facts, self_contradiction=False)
    result = QualityPipeline(config, shield=firewall).run(AgentOutput(text=WRONG))
    decision = firewall.store.decisions()[-1]

    assert "unavailable" == result.stages[3].outcome
    assert "entity: the SPARQL endpoint" in decision.coverage["hallucination"].reason


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"endpoint": "file:///etc/passwd"}, "give an http"),
        ({"properties": {}}, "`properties` is empty"),
        ({"properties": {"P1 } #": "x"}}, "`properties` is"),
        ({"language": "en } #"}, "`language` is"),
    ],
)
def test_a_wrong_setting_is_refused(settings, reason):
    """An invalid setting raises a PolicyError that names it."""
    with pytest.raises(PolicyError, match=reason):
        SparqlFacts(**{"endpoint": "http://x", "properties": PROPERTIES} | settings)
