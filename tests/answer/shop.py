"""A shop whose agent's answers are checked: its tools, its answers, and scripted models."""

from __future__ import annotations

from contextlib import contextmanager

from abs_shield import AnswerConfig, Shield, shield
from abs_shield.answer.answer_revision import settled
from abs_shield.answer.check_pipeline import checked
from tests.answer.judges import data_in

ORDER = (
    "Order W-2040 has shipped from Oslo. It cost $120.50. The order was placed on 2 March 2025. "
    "The warehouse accepts returns within 30 days."
)
ASKED = "Where is order W-2040, and what did it cost?"
TRUE = "Order W-2040 has shipped from Oslo. It cost $120.50."
VAGUE = "Order W-2040 has shipped from Oslo. Painters adore its violet wrapping."
INVENTED = "Order W-2040 has shipped from Oslo. Painters adore its 47 violet wrappings."
"""A figure of it stands nowhere."""
MADE_UP = {
    "contradicts a tool result": "The order was placed on 2 March 2024.",
    "a new entity": "Order W-2040 was carried by DHL Express.",
    "a new quantity": "The warehouse accepts returns within 45 days.",
    "a new date": "The order was placed on 17 June 2025.",
    "a new citation": "Order W-2040 has shipped from Oslo (source: https://oslo.example/w2040).",
    "a new identifier": "Order W-9999 has shipped from Oslo.",
    "a negation": "Order W-2040 has not shipped from Oslo.",
    "another magnitude": "It cost $1,205.00.",
    "a temporal shift": "The order was placed on 2 April 2025.",
    "a source not retrieved": "Order W-2040 has shipped from Oslo [7].",
}
OPEN = "Order W-2040 was shipped from Oslo and cost $120.50."
"""The cheap scorers leave it open: between .4 and .85."""
EVEN = {"base_rate": 0.5, "words": "gate"}
"""A run that is judged as documents are: by its words, at even odds."""
CONFIG = AnswerConfig(**EVEN)


class Shop:
    """The tools of a shop behind a Shield, and a list of those that ran."""

    def __init__(self, **declared):
        self.ran = []
        self.firewall = Shield(shield.configure(**declared), hooks=())
        for tool in (self.get_order, self.send_mail, self.open_page):
            self.firewall.register(tool)

    def get_order(self, order_id: str) -> str:
        """Look an order up."""
        self.ran.append(order_id)
        if order_id == "W-1111":
            raise LookupError("order W-1111 is lost in Lima")
        return ORDER

    def send_mail(self, to: str, text: str) -> str:
        """Send a mail."""
        self.ran.append(to)
        return f"sent to {to}"

    def open_page(self, url: str, file: str = "") -> str:
        """Open a page, and write it to a file."""
        self.ran.append(url)
        return "opened"

    def call(self, name, **arguments):
        """Run one call as the model's loop does, and return the message of its result."""
        [message] = self.firewall.run_tool_calls([{"name": name, "arguments": arguments}])
        return message["content"]


@contextmanager
def shop_session():
    """Yield a shop in a session that has looked up order W-2040."""
    new_shop = Shop()
    with new_shop.firewall.session() as session:
        session.user(ASKED)
        new_shop.call("get_order", order_id="W-2040")
        new_shop.session = session
        yield new_shop


def statuses(report):
    """Return the statuses of a report's claims."""
    return [claim.status for claim in report.claims]


def filling_judge(*values):
    """Return a judge that fills each probe's gaps with the next value; the last one repeats."""
    received = []

    def judge(messages, schema):
        received.append(messages)
        value = values[min(len(received), len(values)) - 1]
        results = [{"id": one["id"], "value": value} for one in data_in(messages)["sentences"]]
        return {"answer": value, "found": results}

    judge.requests = received
    return judge


def constant_judge(verdict, *, quote="", probe="unknown"):
    """Return a judge with one verdict for every claim and one value for every gap."""

    def judge(messages, schema):
        data = data_in(messages)
        if "sentences" in data:
            results = [{"id": one["id"], "value": probe} for one in data["sentences"]]
            return {"answer": probe, "found": results}
        output = {"verdict": verdict, "quote": quote, "reason": "as the rule says"}
        return {"judgements": [{"id": one["id"], **output} for one in data["claims"]]}

    return judge


REFUSED = {
    "contradicted": (MADE_UP["another magnitude"].replace("$1,205.00", "$1,205.00 [7]"), {}),
    "unsupported": ("The parcel number is ZX-48151623.", {}),
    "divergent": ("It cost $120.50.", {"judge": filling_judge("$77.31"), "revisions": 0}),
    "not probed": (TRUE, {"high_stakes": True}),
    "below emit": (OPEN, {"revisions": 0}),
}
"""What ends in a refusal, each for another reason; with the configuration."""


class Writer:
    """A model that rewrites its answer: scripted drafts, and the feedback that it received."""

    def __init__(self, *drafts):
        self.drafts = [*drafts]
        self.requests = []

    def __call__(self, feedback):
        self.requests.append(feedback)
        return self.drafts.pop(0)


def settle_in(shop, answer, writer, config=CONFIG):
    """Settle an answer in the shop's session."""

    def check(draft):
        return checked(draft, session=shop.session, config=config)

    return settled(answer, write=writer, check=check, config=config)


class Agent:
    """An agent with a scripted model whose answers are checked before the user sees them."""

    def __init__(self, shop, *turns, config=CONFIG):
        self.shop, self.turns, self.config = shop, [*turns], config
        self.messages = []

    def __call__(self, request):
        self.shop.session.user(request)
        done = settled(self.turn(), write=self.revise, check=self.check, config=self.config)
        return done.text

    def turn(self):
        """Run the calls of the scripted model until it answers; return the answer."""
        while isinstance(texts := self.turns.pop(0), list):
            self.messages += self.shop.firewall.run_tool_calls(texts)
        return texts

    def revise(self, feedback):
        self.messages.append({"role": "user", "content": feedback})
        return self.turn()

    def check(self, draft):
        return checked(draft, session=self.shop.session, config=self.config)
