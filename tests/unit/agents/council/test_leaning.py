"""Which option a position is for, as jurors really put it."""

from __future__ import annotations

import pytest

from hermes.agents.council.leaning import BOTH, NEITHER, UNCLEAR, is_vague, leaning

STORES = ("Postgres", "Mongo")


@pytest.mark.parametrize(
    ("text", "side"),
    [
        # plainly
        ("Postgres", "Postgres"),
        ("postgresql.", "Postgres"),
        ("MongoDB", "Mongo"),
        ("Use Postgres", "Postgres"),
        ("I recommend Postgres for the ledger", "Postgres"),
        ("Go with Mongo.", "Mongo"),
        ("Strongly prefer Postgres", "Postgres"),
        ("No doubt Postgres", "Postgres"),
        ("Why not Mongo", "Mongo"),
        # named only to compare with
        ("Postgres over Mongo", "Postgres"),
        ("Postgres rather than Mongo", "Postgres"),
        ("Postgres instead of Mongo", "Postgres"),
        ("Postgres is safer than Mongo", "Postgres"),
        ("Unlike Mongo, Postgres has transactions", "Postgres"),
        ("Compared to Mongo it is Postgres that fits", "Postgres"),
        ("Although Mongo scales out, Postgres fits the ledger", "Postgres"),
        ("While Mongo is popular, use Postgres", "Postgres"),
        ("Better than Mongo", UNCLEAR),
        ("Postgres vs Mongo", UNCLEAR),
        # turned down
        ("Not Mongo", "Postgres"),
        ("Don't use Mongo", "Postgres"),
        ("Avoid Mongo for money", "Postgres"),
        ("Mongo is not safe here, Postgres is", "Postgres"),
        ("Mongo would be wrong", "Postgres"),
        ("Postgres, not Mongo", "Postgres"),
        ("Never Postgres", "Mongo"),
        ("Mongo lacks transactions across shards", "Postgres"),
        ("Postgres and Mongo are both too slow", NEITHER),
        ("We should not adopt Postgres or Mongo", NEITHER),
        # a concession after it
        ("Postgres, but Mongo would do too", "Postgres"),
        ("Mongo is fine, but I prefer Postgres", "Postgres"),
        ("Neither is perfect, but Postgres", "Postgres"),
        ("It depends, but I lean towards Postgres", "Postgres"),
        # both, neither, it depends
        ("Both", BOTH),
        ("Use both Postgres and Mongo", BOTH),
        ("Use Postgres and Mongo", BOTH),
        ("Postgres for the ledger and Mongo for documents: both", BOTH),
        ("Neither", NEITHER),
        ("Neither Postgres nor Mongo", NEITHER),
        ("None of these", NEITHER),
        ("Not Postgres and not Mongo", NEITHER),
        ("It depends", UNCLEAR),
        ("It depends on the load: Postgres for few writes, Mongo for many", UNCLEAR),
        ("Either works", UNCLEAR),
        ("Hard to say", UNCLEAR),
        ("Postgres and Mongo have different tradeoffs", UNCLEAR),
        ("A relational store", UNCLEAR),
        ("", UNCLEAR),
        # German
        ("Postgres nehmen", "Postgres"),
        ("Lieber Postgres als Mongo", "Postgres"),
        ("Postgres statt Mongo", "Postgres"),
        ("Nicht Mongo, sondern Postgres", "Postgres"),
        ("Auf keinen Fall Mongo", "Postgres"),
        ("Obwohl Mongo schneller ist, Postgres", "Postgres"),
        ("Weder Postgres noch Mongo", NEITHER),
        ("Beide", BOTH),
        ("Das kommt darauf an", UNCLEAR),
        ("Mongo ist zu riskant", "Postgres"),
        # French
        ("Plutôt Postgres que Mongo", "Postgres"),
        ("Je préfère Postgres", "Postgres"),
        ("Postgres au lieu de Mongo", "Postgres"),
        ("Pas Mongo", "Postgres"),
        ("Mongo n'est pas sûr", "Postgres"),
        ("Bien que Mongo soit rapide, Postgres", "Postgres"),
        ("Ni Postgres ni Mongo", NEITHER),
        ("Les deux", BOTH),
        ("Ça dépend de la charge", UNCLEAR),
        # Spanish
        ("Mejor Postgres que Mongo", "Postgres"),
        ("Usar Postgres en vez de Mongo", "Postgres"),
        ("No usar Mongo", "Postgres"),
        ("Aunque Mongo es rápido, Postgres", "Postgres"),
        ("Ninguno de los dos", NEITHER),
        ("Ambos", BOTH),
        ("Depende de la carga", UNCLEAR),
    ],
)
def test_a_position_is_for_what_it_says(text: str, side: str) -> None:
    assert leaning(text, STORES) == side


@pytest.mark.parametrize(
    ("text", "options", "side"),
    [
        ("Rewriting it pays off", ("rewrite the parser", "keep it"), "rewrite the parser"),
        ("Keep it for now", ("rewrite the parser", "keep it"), "keep it"),
        ("Don't rewrite", ("rewrite the parser", "keep it"), "keep it"),
        ("Redis Cluster", ("Redis", "Redis Cluster"), "Redis Cluster"),
        ("Redis", ("Redis", "Redis Cluster"), "Redis"),
        ("NATS", ("Kafka", "RabbitMQ", "NATS"), "NATS"),
        ("Kafka, RabbitMQ and NATS are all too heavy", ("Kafka", "RabbitMQ", "NATS"), NEITHER),
        ("Not Kafka", ("Kafka", "RabbitMQ", "NATS"), UNCLEAR),
        ("Go", ("Go", "Rust"), "Go"),
        ("Gonum is written in Rust", ("Go", "Rust"), "Rust"),
        ("Use Rust, not Go", ("Go", "Rust"), "Rust"),
        ("REST over gRPC", ("gRPC", "REST"), "REST"),
        ("C++", ("C++", "C"), "C++"),
    ],
)
def test_options_of_any_form_are_told_apart(text: str, options: tuple[str, ...], side: str) -> None:
    assert leaning(text, options) == side


@pytest.mark.parametrize(
    "text", ["", "  ", "It depends.", "Kommt darauf an", "Ça dépend", "Depende"]
)
def test_a_text_that_depends_or_says_nothing_is_vague(text: str) -> None:
    assert is_vague(text)


@pytest.mark.parametrize("text", ["Postgres", "Use an independent store"])
def test_a_text_that_says_something_is_not(text: str) -> None:
    assert not is_vague(text)


@pytest.mark.parametrize("text", ["hängt " * 50_000, "ni " * 50_000, "although " * 50_000])
def test_a_huge_text_is_read_in_no_time(text: str) -> None:
    assert leaning(f"Postgres. {text}", STORES) == "Postgres"
