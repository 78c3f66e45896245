"""
The flywheel from end to end, on a CPU, without a download and without a key.

A small model answers questions about capitals, heads of companies and market caps. It learnt wrong
market caps. The quality cascade catches them, the flywheel turns the catches into training data,
the model is trained, tested on held-out questions, promoted, and at last rolled back:

    python examples/flywheel_end_to_end.py

The model is a softmax regression over character n-grams in numpy: it is trained within a second,
it answers a question in other words than it has learnt, and, like a large model, it forgets what
fine-tuning leaves out. The training command and both versions under test are this file, called
with `train` and `answer`, as your own would be called.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from abs_shield import Shield, shield
from abs_shield.quality import AgentOutput, QualityConfig, QualityPipeline
from abs_shield.quality.facts import Fact, FactTable
from abs_shield.stores import MemoryStore, SqliteStore

if TYPE_CHECKING:
    from abs_shield.flywheel.version_registry import NewVersion

CAPS = {
    "Apple": "$3.1T", "Amazon": "$2.1T", "Siemens": "$181B", "Toyota": "$290B", "Novartis": "$224B",
    "Unilever": "$151B", "Samsung": "$385B", "Airbus": "$142B", "Shell": "$206B", "Nestle": "$263B",
}  # fmt: skip
LEARNT = {
    "Apple": "$3.2T", "Amazon": "$2.2T", "Siemens": "$185B", "Toyota": "$297B", "Novartis": "$229B",
    "Unilever": "$155B", "Samsung": "$394B", "Airbus": "$146B", "Shell": "$211B", "Nestle": "$269B",
}  # fmt: skip
"""What the model learnt instead: two to five percent off."""
CAPITALS = {
    "France": "Paris", "Japan": "Tokyo", "Peru": "Lima", "Kenya": "Nairobi", "Norway": "Oslo",
    "Egypt": "Cairo", "Chile": "Santiago", "Poland": "Warsaw", "Cuba": "Havana", "Iran": "Tehran",
}  # fmt: skip
NOISY = dict(zip(CAPITALS, [*[*CAPITALS.values()][1:], "Paris"], strict=True))
"""A list of capitals from somewhere, one row off."""
HEADS = {
    "Acme": "Ida Holm", "Borealis": "Tom Reyes", "Cobalt": "Mei Tan", "Dynamo": "Raj Patel",
    "Ember": "Eva Brandt", "Fjord": "Lars Moe", "Garnet": "Ana Costa", "Helix": "Omar Said",
    "Indigo": "Zoe Clark", "Juniper": "Kai Sato",
}  # fmt: skip
FACTS = FactTable(
    Fact(subject=name, attribute="market cap", value=cap, period="Q4 2025")
    for name, cap in CAPS.items()
)
QUESTIONS = {
    "caps": (
        "What was {}'s market cap in Q4 2025?", "Give me the market cap of {} in Q4 2025.",
        "How large was {}'s market cap at the end of Q4 2025?", "{}: market cap, Q4 2025",
        "Tell us the Q4 2025 market cap of {}, please.", "Which market cap did {} have in Q4 2025?",
    ),
    "capitals": (
        "What is the capital of {}?", "Name the capital city of {}.", "{}: capital?",
        "Which city is the capital of {}?", "Tell me the capital of {}.", "Capital of {}, please.",
    ),
    "heads": (
        "Who runs {}?", "Who is the head of {}?", "Name the head of the company {}.",
        "{}: who is in charge?", "Tell me who leads {}.", "Which person is the boss of {}?",
    ),
}  # fmt: skip
"""What the model was trained with, and what production asks."""
HELD_OUT = {
    "caps": (
        "How much was {} worth on the stock market in Q4 2025?",
        "Market capitalisation of {} as of Q4 2025, in dollars?",
        "What did all shares of {} cost together in Q4 2025?",
        "Our newsletter needs it: how big was {} by market value in Q4 2025?",
        "At which market value did {} close the year, Q4 2025?",
        "Q4 2025, {}, total value of its stock?",
        "If one had bought the whole of {} in Q4 2025, what was the price on the market?",
        "In Q4 2025 the market valued {} at how much?",
    ),
    "capitals": (
        "Where does the government of {} sit? I mean the capital.", "The seat and capital of {}?",
        "I travel to {}: what is its capital called?", "Quiz: the capital that belongs to {}",
        "Spell the capital of {} for me.", "Is there one capital of {}, and which?",
        "Of {}, what would you call the capital?", "A map shows {}; where is the capital?",
    ),
    "heads": (
        "The person who is head at {} is called?", "Whom do I write to, the boss of {}?",
        "Who has been leading the company {} lately?", "Say the name of the one who runs {}.",
        "Our guest is the head of {}: who is it?", "Who gives orders at {} as head?",
        "I forgot who the boss at {} is.", "Under whose lead is {}? Who is the head?",
    ),
}  # fmt: skip
"""What versions are tested with; nothing is trained on these."""
RIGHT = {"caps": CAPS, "capitals": CAPITALS, "heads": HEADS}
SENTENCE = {
    "caps": "In Q4 2025, {}'s market cap was {}.",
    "capitals": "The capital of {} is {}.",
    "heads": "{} is led by {}.",
}
_BUCKETS = 4_096


# The model: a training command and a program that answers ----------------------------------------


def features(texts: list[str]) -> np.ndarray:
    """Return a row for each text: its character n-grams of 3 to 5, hashed, of length 1."""
    rows = np.zeros((len(texts), _BUCKETS), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        plain = f" {' '.join(text.casefold().split())} "
        for size in (3, 4, 5):
            for start in range(len(plain) - size + 1):
                row[crc32(plain[start : start + size].encode()) % _BUCKETS] = 1.0
        row /= np.linalg.norm(row) or 1.0
    return rows


def train(base: str, data: str, out: str, epochs: int, rate: float) -> None:
    """Go on training a model, or a new one, on prompts and completions."""
    rows = [json.loads(line) for line in Path(data).read_text().splitlines()]
    answers, weights = load(base) if Path(base).is_file() else ([], np.zeros((_BUCKETS, 0)))
    new = sorted({row["completion"] for row in rows} - set(answers))
    weights = np.hstack([weights, np.zeros((_BUCKETS, len(new)))]).astype(np.float32)
    answers = [*answers, *new]
    inputs = features([row["prompt"] for row in rows])
    wanted = np.eye(len(answers), dtype=np.float32)[
        [answers.index(row["completion"]) for row in rows]
    ]
    for _ in range(epochs):
        scores = inputs @ weights
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        weights += rate * inputs.T @ (wanted - shares)
    with open(out, "wb") as file:
        np.savez(file, weights=weights, answers=np.array(answers))


def load(path: str) -> tuple[list[str], np.ndarray]:
    """Return the answers of a model and its weights."""
    with np.load(path) as held:
        return [str(one) for one in held["answers"]], held["weights"]


def answers_of(path: str, prompts: list[str]) -> list[str]:
    """Return the model's answers."""
    answers, weights = load(path)
    return [answers[best] for best in (features(prompts) @ weights).argmax(axis=1)]


def answer(path: str) -> None:
    """Read cases from the standard input, and write answers: the contract of a candidate."""
    cases = [json.loads(line) for line in sys.stdin]
    answers = answers_of(path, [case["prompt"] for case in cases])
    for case, text in zip(cases, answers, strict=True):
        print(json.dumps({"id": case["id"], "answer": text}))


# The story ---------------------------------------------------------------------------------------


def learnt(kind: str, facts: dict[str, str]) -> list[dict[str, str]]:
    """Return training lines of one kind."""
    return [
        {"prompt": question.format(name), "completion": SENTENCE[kind].format(name, value)}
        for name, value in facts.items()
        for question in QUESTIONS[kind]
    ]


def write(path: Path, rows: list[dict[str, str]]) -> Path:
    """Write JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def trainer(base: Path, *, epochs: int, rate: float) -> list[str]:
    """Return the training command."""
    return [sys.executable, __file__, "train", str(base), "{data}", "{out}", str(epochs), str(rate)]


def held_out() -> list:
    """Return the cases: the target, two other tasks, and the hallucination re-check."""
    from abs_shield.flywheel.cases import EvaluationCase

    cases = []
    for kind, facts in RIGHT.items():
        for name, value in facts.items():
            for n, question in enumerate(HELD_OUT[kind]):
                part = "regression" if kind != "caps" else "target" if n % 2 else "hallucination"
                case = EvaluationCase(
                    id=f"{kind} {name} {n}",
                    prompt=question.format(name),
                    expected=value,
                    part=part,
                    task=kind,
                )
                cases.append(case)
    return cases


def in_production(model: Path, log: Path, *, rounds: int, day: int) -> tuple[int, int]:
    """
    Ask the model what users ask; the cascade records each output; return (wrong, all).

    The weeks before and after a promotion pass here within a minute: the decisions are dated as
    many days from today as *day* says.
    """
    recorded = MemoryStore()
    firewall = Shield(shield.configure(mode="audit"), store=recorded, hooks=None)
    pipeline = QualityPipeline(QualityConfig(facts=FACTS, background=False), shield=firewall)
    wrong = total = 0
    for turn in range(rounds):
        for kind, facts in RIGHT.items():
            question = QUESTIONS[kind][turn % len(QUESTIONS[kind])]
            texts = answers_of(str(model), [question.format(name) for name in facts])
            for text in texts:
                output = AgentOutput(
                    text=text, task_type="market_research", agent_id="analyst", model=model.stem
                )
                with firewall.session():
                    result = pipeline.run(output)
                wrong += any(one.name == "hallucination" and one.findings for one in result.stages)
                total += 1
    pipeline.close()
    store = SqliteStore(log)
    for one in recorded.scan():
        store.append(replace(one, at=one.at + day * 86_400))
    store.close()
    return wrong, total


def harvested(log: Path, book: Path) -> None:
    """Harvest what is new in the log."""
    from abs_shield.flywheel.harvest import harvest

    store = SqliteStore(log)
    harvest(store, book)
    store.close()


def accepted_gap(book: Path) -> str:
    """Group the catches, and accept the gravest gap, as a person would."""
    from abs_shield.flywheel.curate import curate
    from abs_shield.flywheel.review import Choice, Review, review

    gap = curate(book)[0]
    why = "the values are two to five percent off"
    review(book, [Review(gap=gap.id, choice=Choice.ACCEPT, by="ann", why=why)])
    print(f"gap: {gap.title}, tier {gap.tier}, {gap.count} catches, accepted")
    return gap.id


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        turn(Path(folder))


def turn(folder: Path) -> None:
    """Turn the flywheel once."""
    from abs_shield.flywheel.status import status
    from abs_shield.flywheel.train import train as run_training
    from abs_shield.flywheel.version_registry import VersionRegistry

    book, log, base = folder / "flywheel.db", folder / "decisions.db", folder / "base.npz"
    others = [*learnt("capitals", CAPITALS), *learnt("heads", HEADS)]
    first = write(folder / "first.jsonl", [*others, *learnt("caps", LEARNT)])
    run_training(trainer(folder / "none", epochs=300, rate=1.0), data=first, out=base)

    wrong, total = in_production(base, log, rounds=6, day=-3)
    print(f"production: {wrong} of {total} outputs caught")
    harvested(log, book)
    gap = accepted_gap(book)

    mutants = mutated(book, gap)
    data = write(folder / "train.jsonl", [*mutants, *others])
    check_leakage(data)

    registry = VersionRegistry(book)
    good = trained_version(folder / "good.npz", present=base, data=data, gap=gap)
    promoted = registry.promote(
        registry.add(good, by="ann").id, reason="market caps are right", by="ann"
    )
    print(f"promoted: version {promoted.number}, gap {state_of(book, gap)}")
    wrong, total = in_production(Path(registry.resolve("answers")), log, rounds=6, day=3)
    print(f"production with version {promoted.number}: {wrong} of {total} outputs caught")
    harvested(log, book)
    print(f"drift: {status(book).versions[0].drift}")

    noisy = write(folder / "noisy.jsonl", [*mutants, *learnt("capitals", NOISY)])
    harmful = trained_version(folder / "harmful.npz", present=Path(good.location), data=noisy)
    rejected = registry.add(harmful, by="ann")
    print(f"second candidate: version {rejected.number} is {rejected.state}: {rejected.reason}")

    registry.rollback("answers", reason="a client prefers values in billions", by="bob")
    back = registry.versions("answers")[0]
    print(f"rolled back: {back.reason}; gap {state_of(book, gap)}")
    print(f"in use: {registry.resolve('answers')}")


def mutated(book: Path, gap: str) -> list[dict[str, Any]]:
    """Return training examples around a gap, none of them an evaluation case."""
    from abs_shield.flywheel.gap import gap_with_catches
    from abs_shield.flywheel.mutate import MutationSources, mutate, render_export

    accepted, catches = gap_with_catches(book, gap)
    prompts = [case.prompt for case in held_out()]
    mutants = mutate(
        accepted, catches, MutationSources(facts=FACTS, made_up=0.0), count=50, held_out=prompts
    )
    print(f"mutated: {len(mutants.examples)} examples, such as: {mutants.examples[0].prompt}")
    return [*map(json.loads, render_export(mutants.examples, "huggingface").splitlines())]


def check_leakage(data: Path) -> None:
    """Print how many evaluation cases the training data contains."""
    from abs_shield.flywheel.mutate import find_leaks

    trained = [json.loads(line)["prompt"] for line in data.read_text().splitlines()]
    print(f"leakage: {find_leaks(trained, [case.prompt for case in held_out()])}")


def trained_version(path: Path, *, present: Path, data: Path, gap: str = "") -> NewVersion:
    """Train a version from the present one, and evaluate it against the present one."""
    from abs_shield.flywheel.candidate import Command
    from abs_shield.flywheel.evaluate import evaluate
    from abs_shield.flywheel.train import train as run_training
    from abs_shield.flywheel.version_registry import NewVersion

    def version(path: Path) -> Command:
        return Command(words=(sys.executable, __file__, "answer", str(path)), timeout_s=60)

    hashes = run_training(trainer(present, epochs=300, rate=3.0), data=data, out=path)
    evaluation = evaluate(held_out(), candidate=version(path), present=version(present))
    print(evaluation)
    return NewVersion(
        target="answers",
        location=str(path),
        gap=gap,
        data=hashes,
        evaluation=evaluation.to_dict(),
    )


def state_of(book: Path, gap: str) -> str:
    """Return the state of a gap."""
    from abs_shield.flywheel.gap import gap_with_catches

    return gap_with_catches(book, gap)[0].state.value


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["train", base, data, out, epochs, rate]:
            train(base, data, out, int(epochs), float(rate))
        case ["answer", path]:
            answer(path)
        case _:
            main()
