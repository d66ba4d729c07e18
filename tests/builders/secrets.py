"""Made-up secrets of many kinds, put together at run time so that no scanner ever flags this file."""

from __future__ import annotations

import base64
import random
import string
from dataclasses import dataclass

_ALNUM = string.ascii_letters + string.digits
_UPPER = string.ascii_uppercase + string.digits
_HEX = "0123456789abcdef"
_URLSAFE = _ALNUM + "-_"
_BASE64 = _ALNUM + "+/"


@dataclass(frozen=True)
class Planted:
    """A secret and a line of text that carries it, as a developer would have committed it."""

    kind: str
    secret: str
    line: str


def planted(seed: int = 1) -> list[Planted]:
    """Return one made-up secret for each kind; the same for the same seed."""
    dice = random.Random(seed)

    def some(alphabet: str, count: int) -> str:
        return "".join(dice.choice(alphabet) for _ in range(count))

    def of(kind: str, secret: str, line: str) -> Planted:
        return Planted(kind, secret, line.replace("@@", secret))

    uuid = "-".join(some(_HEX, size) for size in (8, 4, 4, 4, 12))
    words = "".join(dice.choice(["Tr0ub", "koala", "Brick", "7lamp", "river"]) for _ in range(2))
    password = f"{words}{dice.randrange(10, 99)}!x"
    slack_ids = f"{dice.randrange(10**11, 10**12)}-{dice.randrange(10**11, 10**12)}"
    jwt = ".".join(
        base64.urlsafe_b64encode(part.encode()).decode().rstrip("=")
        for part in ('{"alg":"HS256","typ":"JWT"}', f'{{"sub":"{dice.randrange(10**9)}","iat":1}}')
    )
    return [
        of("aws access key", "AK" + "IA" + some("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16), "key: @@"),
        of("aws secret key", some(_BASE64, 40), 'aws_secret_access_key = "@@"'),
        of("github token", "gh" + "p_" + some(_ALNUM, 36), "token=@@"),
        of(
            "github fine-grained",
            "github" + "_pat_" + some(_ALNUM, 22) + "_" + some(_ALNUM, 59),
            "@@",
        ),
        of("gitlab token", "gl" + "pat-" + some(_ALNUM, 20), "GITLAB_TOKEN: @@"),
        of("slack bot token", "xo" + f"xb-{slack_ids}-" + some(_ALNUM, 24), "slack('@@')"),
        of(
            "slack webhook",
            "T" + some(_UPPER, 8) + "/B" + some(_UPPER, 8) + "/" + some(_ALNUM, 24),
            "url: https://hooks." + "slack.com/services/@@",
        ),
        of("stripe key", "sk" + "_live_" + some(_ALNUM, 24), 'stripe.api_key = "@@"'),
        of("google api key", "AI" + "za" + some(_URLSAFE, 35), 'const KEY = "@@";'),
        of("google oauth secret", "GOC" + "SPX-" + some(_URLSAFE, 28), 'client_secret: "@@"'),
        of("jwt", jwt + "." + some(_URLSAFE, 43), "Authorization: Bearer @@"),
        of("npm token", "np" + "m_" + some(_ALNUM, 36), "//npm.example.org/:_authToken=@@"),
        of("pypi token", "pypi-" + "AgEIcHlwaS5vcmc" + some(_URLSAFE, 85), "password = @@"),
        of("twilio key", "S" + "K" + some(_HEX, 32), "TWILIO_API_KEY=@@"),
        of("twilio auth token", some(_HEX, 32), 'twilio_auth_token = "@@"'),
        of("sendgrid key", "S" + "G." + some(_URLSAFE, 22) + "." + some(_URLSAFE, 43), "key: @@"),
        of(
            "openai key", "s" + "k-" + some(_ALNUM, 20) + "T3Blbk" + "FJ" + some(_ALNUM, 20), "k=@@"
        ),
        of(
            "openai project key",
            "s" + "k-proj-" + some(_ALNUM, 74) + "T3Blbk" + "FJ" + some(_ALNUM, 74),
            "@@",
        ),
        of(
            "anthropic key",
            "sk-" + "ant-api03-" + some(_URLSAFE, 93) + "AA",
            "ANTHROPIC_API_KEY=@@",
        ),
        of(
            "azure storage key",
            some(_BASE64, 86) + "==",
            "DefaultEndpointsProtocol=https;AccountName=shop;Account" + "Key=@@;EndpointSuffix=x",
        ),
        of("azure client secret", some(_ALNUM, 3) + "8Q~" + some(_ALNUM, 34), "CLIENT_SECRET=@@"),
        of("postgres url", password, "DATABASE_URL=postgres://shop:@@@db.internal:5432/shop"),
        of("mongodb url", some(_ALNUM, 16), "mongodb+srv://root:@@@cluster0.abcde.mongodb.net/x"),
        of("redis url", some(_ALNUM, 20), "redis://:@@@cache.internal:6379/0"),
        of("basic auth url", some(_ALNUM, 14), "curl https://deploy:@@@artifacts.shop.io/x"),
        of("password assignment", password + "z", 'password = "@@"'),
        of("yaml password", some(_ALNUM, 18), "  db_password: @@"),
        of("env secret", some(_ALNUM, 32), "export SESSION_SECRET=@@"),
        of("json password", password + "q", '  "password": "@@",'),
        of("hex secret", some(_HEX, 64), 'SECRET_KEY = "@@"'),
        of("base64 secret", some(_BASE64, 43) + "=", 'encryption_key: "@@"'),
        of("heroku key", uuid, "HEROKU_API_KEY=@@"),
        of("digitalocean token", "do" + "p_v1_" + some(_HEX, 64), "token = @@"),
        of("datadog key", some(_HEX, 32), "DD_API_KEY=@@"),
        of("mailgun key", "key" + "-" + some(_HEX, 32), "mailgun: @@"),
        of("shopify token", "shp" + "at_" + some(_HEX, 32), "token: @@"),
        of("telegram bot token", "712345678" + ":AA" + some(_URLSAFE, 33), "TELEGRAM_TOKEN=@@"),
        of(
            "discord webhook",
            some(_URLSAFE, 68),
            "https://discord.com/api/web" + "hooks/1098765432109876543/@@",
        ),
        of("hugging face token", "h" + "f_" + some(string.ascii_letters, 34), "HF_TOKEN=@@"),
        of("vault token", "hv" + "s." + some(_URLSAFE, 92), "VAULT_TOKEN=@@"),
        of("docker token", "dck" + "r_pat_" + some(_ALNUM, 27), "docker login -p @@"),
        of("linear key", "lin" + "_api_" + some(_ALNUM, 40), "LINEAR=@@"),
        of("age key", "AGE-" + "SECRET-KEY-1" + some("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58), "@@"),
    ]


def private_key(seed: int = 1, *, label: str = "RSA PRIVATE KEY", lines: int = 20) -> str:
    """Return a made-up PEM block of that many lines of base64."""
    dice = random.Random(seed)
    body = ["".join(dice.choice(_BASE64) for _ in range(64)) for _ in range(lines)]
    dashes = "-" * 5
    return "\n".join([f"{dashes}BEGIN {label}{dashes}", *body, f"{dashes}END {label}{dashes}", ""])
