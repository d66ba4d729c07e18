"""Secrets never get past redaction, and what only looks like one mostly stays."""

from __future__ import annotations

import pytest

from hermes.ingest.redaction import redact, redact_all
from hermes.tests.builders.secrets import Planted, planted, private_key


@pytest.mark.parametrize("secret", planted(), ids=lambda secret: secret.kind.replace(" ", "-"))
@pytest.mark.parametrize("sign", ["", "+", "-        "])
def test_a_secret_of_each_kind_is_taken_out(secret: Planted, sign: str) -> None:
    clean, found = redact(f"first line\n{sign}{secret.line}\nlast line\n")
    assert secret.secret not in clean
    assert found >= 1
    assert "[redacted:" in clean
    assert clean.startswith("first line\n")
    assert clean.endswith("\nlast line\n")


@pytest.mark.parametrize(
    "line",
    [
        "mysqldump --password=@@ shop",
        "deploy --passphrase @@ --now",
        "machine shop.io login sam password @@",
        "Authorization: Basic @@",
        'headers={"Authorization": "Bearer @@"}',
        "DB_PASSWORD: '@@'",
        "client.login(password=`@@`)",
        "spring.datasource.password=@@",
        '<add key="ApiKey" value="x"/> api_key => "@@"',
        "const apiKey: string = '@@';",
        "os.environ['SECRET_TOKEN'] = '@@'",
        "https://sam:@@@git.shop.io/x.git",
    ],
)
def test_a_password_is_known_by_where_it_stands(line: str) -> None:
    secret = "q7Hb0u" + "1ZqmVt3Jc9YwXk"
    clean, found = redact(line.replace("@@", secret, 1))
    assert secret not in clean
    assert found == 1


def test_at_least_97_of_100_made_up_secrets_are_taken_out() -> None:
    many = [secret for seed in range(10, 60) for secret in planted(seed)]
    pieces = [f"+{secret.line}\n".encode() for secret in many]
    clean, _ = redact_all(pieces)
    missed = [
        secret.kind
        for secret, text in zip(many, clean, strict=True)
        if secret.secret.encode() in text
    ]
    assert len(missed) <= 0.03 * len(many), missed


@pytest.mark.parametrize(
    "line",
    [
        "commit 9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c12345678",
        "index 3f786850e387550fdab836ed7e6dc881de23001b..89e6c98d92887913cadf06b2adb97f26cde4849b",
        '  "integrity": "sha512-q7Hb0u1ZqmVt3Jc9YwXk2g5L8nPdR4sTfKe6A1bC0oQ7hV9zNxMjW2iS5yUrG3tE==",',
        'sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"',
        "id: 550e8400-e29b-41d4-a716-446655440000",
        "token_id: 550e8400-e29b-41d4-a716-446655440000",
        "def login(client, username, password, password2=None):",
        'password = os.environ["DB_PASSWORD2"]',
        "secret: ${{ secrets.PYPI_TOKEN }}",
        "token = get_token2(request)",
        "API_KEY = settings.API_KEY2_VALUE",
        'api_key = "your-api-key-2-here"',
        'password = "changeme123"',
        'password: "password123"',
        "curl https://user:pass@localhost/",
        "postgres://postgres:postgres@localhost:5432/test",
        'primary_key=True, max_tokens=4096, cache_key = "users:v2:list:1234"',
        "password_hash_iterations = 260000",
        "secret_file: /run/secrets/db_password1",
        "We rotate the secret every 30 days and revoke the old token.",
        "basic auth is required for version 2 and later",
        "Authorization: Basic dXNlcm5hbWU6cGFzc3dvcmQxMjM=",
    ],
)
def test_what_only_looks_like_a_secret_stays(line: str) -> None:
    assert redact(line) == (line, 0)


@pytest.mark.parametrize("label", ["RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY"])
@pytest.mark.parametrize("sign", ["", "+", "-", " "])
def test_a_private_key_in_a_diff_leaves_none_of_its_lines(label: str, sign: str) -> None:
    key = private_key(label=label)
    clean, found = redact(
        "".join(f"{sign}{line}\n" for line in key.splitlines()) + f"{sign}after\n"
    )
    assert found == 1
    assert not [line for line in key.splitlines() if line in clean]
    assert clean.count("\n") == key.count("\n") + 1  # lines stay lines, so counts stay right
    assert clean.endswith(f"{sign}after\n")


def test_the_head_of_a_private_key_without_its_end_is_taken_out() -> None:
    lines = private_key().splitlines()[:8]
    clean, _ = redact("@@ -1,8 +1,9 @@\n" + "".join(f" {line}\n" for line in lines) + "+more()\n")
    assert not [line for line in lines if line in clean]
    assert clean.endswith("+more()\n")


def test_the_tail_of_a_private_key_without_its_head_is_taken_out() -> None:
    lines = private_key().splitlines()[-6:]
    clean, _ = redact("@@ -9,6 +9,6 @@\n" + "".join(f"-{line}\n" for line in lines) + " rest\n")
    assert not [line for line in lines if line in clean]
    assert clean.startswith("@@ -9,6 +9,6 @@\n-[redacted:private-key]\n")
    assert clean.endswith(" rest\n")


def test_a_private_key_written_on_one_line_is_taken_out() -> None:
    key = private_key().replace("\n", "\\n")
    clean, _ = redact(f'{{"type": "service_account", "private_key": "{key}", "x": 1}}\n')
    assert not [line for line in private_key().splitlines()[1:-1] if line in clean]


def test_pieces_scanned_together_are_told_apart() -> None:
    secret = planted()[2]
    clean, counts = redact_all([b"before", f"x {secret.line} y".encode(), b"", b"after"])
    assert counts == [0, 1, 0, 0]
    assert (clean[0], clean[2], clean[3]) == (b"before", b"", b"after")
    assert clean[1].startswith(b"x ")
    assert clean[1].endswith(b" y")


def test_text_that_is_not_ascii_keeps_every_character() -> None:
    secret = next(secret for secret in planted() if secret.kind == "password assignment")
    clean, found = redact(f"größe → 5\n{secret.line} # ключ\n日本語\n")
    assert found == 1
    assert clean == 'größe → 5\npassword = "[redacted:assigned-secret]" # ключ\n日本語\n'


def test_the_same_text_comes_back_when_there_is_nothing_to_take_out() -> None:
    text = "def f(x):\n    return x\n" * 100
    assert redact(text) == (text, 0)
    assert redact("") == ("", 0)
