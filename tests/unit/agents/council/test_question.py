"""What a question asks for, read by its form."""

from __future__ import annotations

import pytest

from hermes.agents.council.question import read_question
from hermes.agents.council.records import Kind


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Postgres or Mongo for the ledger?", ("Postgres", "Mongo")),
        ("Should we use Redis or Memcached as the cache?", ("Redis", "Memcached")),
        ("We have a ledger. Kafka, RabbitMQ or NATS for events?", ("Kafka", "RabbitMQ", "NATS")),
        ("gRPC vs REST", ("gRPC", "REST")),
        ("Which is better: tabs or spaces?", ("tabs", "spaces")),
        ("Which of the two is faster, v1.2 or v2.0?", ("v1.2", "v2.0")),
        ("Is Postgres or Mongo better?", ("Postgres", "Mongo")),
        ("Storage: Postgres or Mongo?", ("Postgres", "Mongo")),
        ("Should we choose between SQLite and DuckDB?", ("SQLite", "DuckDB")),
        ("Should we rewrite the parser or keep it?", ("rewrite the parser", "keep it")),
        ("Do we go with a monolith or microservices?", ("monolith", "microservices")),
        ("Should llm keep its logs in SQLite or in JSON files?", ("SQLite", "JSON files")),
        ("S3 or stay on the shared disk?", ("S3", "shared disk")),
        ("Should we move to S3 or stay on the shared disk?", ("S3", "shared disk")),
        ("Should uploads go to S3 or stay on the shared disk?", ("S3", "shared disk")),
        ("Should uploads go to S3 or to Azure?", ("S3", "Azure")),
        ("Move uploads to S3 or keep them on the shared disk?", ("S3", "shared disk")),
        ("Stay on the shared disk or move to S3 for uploads?", ("shared disk", "S3")),
        ("Stick with Flask or switch to Starlette?", ("Flask", "Starlette")),
        ("Should we stay or go?", ("stay", "go")),
        ("Laufen wir besser mit Redis oder mit Kafka?", ("Redis", "Kafka")),
        ("Postgres or postgres?", ()),
        ("Soll ich Postgres oder Mongo nehmen?", ("Postgres", "Mongo")),
        ("Est-ce qu'on prend Postgres ou Mongo pour le registre?", ("Postgres", "Mongo")),
        ("¿Postgres o Mongo para el libro mayor?", ("Postgres", "Mongo")),
    ],
)
def test_the_options_of_a_choice_are_read(question: str, options: tuple[str, ...]) -> None:
    asked = read_question(question)
    assert asked.options == options
    assert (asked.kind is Kind.CHOICE) == bool(options)


@pytest.mark.parametrize(
    "question",
    [
        "is this safe to merge?",
        "Should the service be split?",
        "merge now or not?",
        "Is it safe to merge or should we wait?",
        "Can we drop Python 3.9 or is it too early?",
        "Is the migration safe or risky?",
        "Ist das sicher?",
        "Devons-nous migrer ?",
        "¿Podemos publicar hoy?",
    ],
)
def test_yes_or_no_is_a_judgment(question: str) -> None:
    assert read_question(question).kind is Kind.JUDGMENT


@pytest.mark.parametrize(
    "question", ["How should we store sessions?", "What database?", "", "ledger", "?" * 500]
)
def test_anything_else_is_open(question: str) -> None:
    assert read_question(question).kind is Kind.OPEN


@pytest.mark.parametrize("text", ["why " * 50_000, "a.b" * 50_000, "why? " * 50_000])
def test_a_huge_text_is_read_in_no_time(text: str) -> None:
    assert read_question(text).kind is Kind.OPEN


def test_a_question_after_a_long_text_is_found() -> None:
    assert read_question("log line\n" * 5_000 + "\nShould we use\nPostgres or Mongo?").options == (
        "Postgres",
        "Mongo",
    )
