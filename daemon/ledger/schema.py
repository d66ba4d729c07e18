"""The tables of the ledger, as numbered steps that are applied once each, in order.

All times are seconds since 1970, as REAL. What is JSON is said so. Whoever writes more than one row
does it in one `Ledger.writing` block.
"""

from __future__ import annotations

import sqlite3

from ...memory.migrations import Step


def m001_first_tables(db: sqlite3.Connection) -> None:
    """Make events, journal, queue, breaker, traces, calls, attention, schedule and values."""
    for statement in _FIRST_TABLES.split(";"):
        if statement.strip():
            db.execute(statement)


MIGRATIONS: list[Step] = [m001_first_tables]
"""Append only: a database's ``user_version`` is the number of steps it has taken."""

# AUTOINCREMENT: a number that was given once is never given again, also after trimming, so that a
# cursor or an id that someone wrote down can't come to mean something else.
#
# The partial indexes name states that have few rows, so their cost follows what is open and not
# what is remembered. `jobs_queued` holds all that choosing the next job looks at.
_FIRST_TABLES = """
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL,
    accepted_at REAL NOT NULL,
    source TEXT NOT NULL,
    kind TEXT NOT NULL,
    repo TEXT,
    key TEXT,
    body TEXT NOT NULL,
    routed_at REAL,
    decision TEXT
);
CREATE UNIQUE INDEX events_by_key ON events (key) WHERE key IS NOT NULL;
CREATE INDEX events_pending ON events (id) WHERE routed_at IS NULL;
CREATE INDEX events_by_time ON events (accepted_at);

CREATE TABLE journal (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL,
    topic TEXT NOT NULL,
    what TEXT NOT NULL,
    about INTEGER,
    repo TEXT,
    text TEXT NOT NULL,
    fields TEXT NOT NULL
);
CREATE INDEX journal_by_topic ON journal (topic, number);
CREATE INDEX journal_by_repo ON journal (repo, number) WHERE repo IS NOT NULL;
CREATE INDEX journal_by_about ON journal (about, topic, number) WHERE about IS NOT NULL;

CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent TEXT NOT NULL,
    subject TEXT NOT NULL,
    repo TEXT,
    lane INTEGER NOT NULL,
    state TEXT NOT NULL,
    paths TEXT NOT NULL,
    folders TEXT NOT NULL,
    whole INTEGER NOT NULL,
    text TEXT NOT NULL,
    dry_run INTEGER NOT NULL,
    alone INTEGER NOT NULL,
    queued_at REAL NOT NULL,
    asked_at REAL NOT NULL,
    not_before REAL NOT NULL,
    expires_at REAL,
    attempts INTEGER NOT NULL DEFAULT 0,
    losses INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    lease REAL,
    lease_until REAL,
    doubted INTEGER NOT NULL DEFAULT 0,
    started_at REAL,
    ended_at REAL,
    reason TEXT NOT NULL DEFAULT '',
    error TEXT NOT NULL DEFAULT '{}',
    report TEXT NOT NULL DEFAULT '{}',
    events INTEGER NOT NULL DEFAULT 0,
    dealt INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX jobs_queued
    ON jobs (lane, not_before, id, agent, repo, subject, queued_at, state)
    WHERE state = 'queued';
CREATE INDEX jobs_asked ON jobs (asked_at) WHERE state = 'queued';
CREATE INDEX jobs_expiring ON jobs (expires_at)
    WHERE state = 'queued' AND expires_at IS NOT NULL;
CREATE INDEX jobs_joinable ON jobs (agent, subject, repo, id) WHERE state = 'queued';
CREATE INDEX jobs_running ON jobs (agent, subject, repo) WHERE state = 'running';
CREATE INDEX jobs_blocked ON jobs (id) WHERE state = 'blocked_config';
CREATE INDEX jobs_trouble ON jobs (id) WHERE dealt = 0 AND state IN
    ('late', 'failed', 'blocked_config', 'delivery_failed', 'abandoned', 'dead');
CREATE INDEX jobs_by_state ON jobs (state, id);
CREATE INDEX jobs_by_agent ON jobs (agent, id);
CREATE INDEX jobs_by_repo ON jobs (repo, id);
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE job_events (
    job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    event INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    PRIMARY KEY (job, event)
) WITHOUT ROWID;
CREATE INDEX job_events_by_event ON job_events (event);

CREATE TABLE job_followups (
    job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    next INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    PRIMARY KEY (job, next)
) WITHOUT ROWID;
CREATE INDEX job_followups_by_next ON job_followups (next);

CREATE TABLE breakers (
    key TEXT PRIMARY KEY,
    cause TEXT NOT NULL,
    failures INTEGER NOT NULL,
    openings INTEGER NOT NULL,
    at REAL NOT NULL,
    until REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    at REAL NOT NULL
);
CREATE INDEX runs_by_key ON runs (key, at);
CREATE INDEX runs_by_time ON runs (at);

CREATE TABLE inputs (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    digest TEXT NOT NULL
);

CREATE TABLE traces (
    id INTEGER PRIMARY KEY,
    job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    verb TEXT NOT NULL CHECK (verb IN ('read', 'wrote')),
    reference TEXT NOT NULL,
    UNIQUE (job, verb, reference)
);

CREATE TABLE calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL,
    job INTEGER,
    event INTEGER,
    agent TEXT NOT NULL,
    model TEXT NOT NULL,
    host TEXT NOT NULL,
    prompt TEXT NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    seconds REAL NOT NULL,
    waited REAL NOT NULL,
    outcome TEXT NOT NULL
);
CREATE INDEX calls_by_job ON calls (job) WHERE job IS NOT NULL;
CREATE INDEX calls_by_event ON calls (event) WHERE event IS NOT NULL;
CREATE INDEX calls_by_time ON calls (at);

CREATE TABLE findings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    job INTEGER,
    at REAL NOT NULL,
    agent TEXT NOT NULL,
    repo TEXT,
    cause TEXT NOT NULL,
    title TEXT NOT NULL,
    next_step TEXT NOT NULL DEFAULT '',
    body TEXT NOT NULL DEFAULT '',
    refs TEXT NOT NULL DEFAULT '[]',
    urgent INTEGER NOT NULL DEFAULT 0,
    wanted TEXT NOT NULL,
    level TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL CHECK (state IN ('held', 'shown', 'digest', 'log', 'taken_back')),
    shown_at REAL,
    opened_at REAL,
    dismissed_at REAL,
    ignored_at REAL,
    delivered REAL,
    delivery_error TEXT,
    told_at REAL
);
CREATE INDEX findings_by_cause ON findings (cause, id);
CREATE INDEX findings_by_job ON findings (job) WHERE job IS NOT NULL;
CREATE INDEX findings_by_agent ON findings (agent, at);
CREATE INDEX findings_held ON findings (id) WHERE state = 'held';
CREATE INDEX findings_by_time ON findings (at);
CREATE INDEX findings_untold ON findings (id) WHERE state = 'digest' AND told_at IS NULL;
CREATE INDEX findings_shown ON findings (shown_at) WHERE shown_at IS NOT NULL;

CREATE TABLE incidents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    agent TEXT NOT NULL,
    repo TEXT,
    title TEXT NOT NULL,
    first REAL NOT NULL,
    last REAL NOT NULL,
    count INTEGER NOT NULL DEFAULT 1,
    state TEXT NOT NULL CHECK (state IN ('open', 'acknowledged', 'recovered')),
    job INTEGER,
    told INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX incidents_standing ON incidents (key) WHERE state != 'recovered';
CREATE INDEX incidents_by_time ON incidents (last);

CREATE TABLE schedule_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    due REAL NOT NULL,
    at REAL NOT NULL,
    outcome TEXT NOT NULL,
    missed INTEGER NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '',
    event INTEGER
);
CREATE INDEX schedule_runs_by_name ON schedule_runs (name, id);

CREATE TABLE "values" (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    at REAL NOT NULL
) WITHOUT ROWID
"""
