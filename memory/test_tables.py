"""The tables of test runs, in ``work.db``."""

from __future__ import annotations

TABLES = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repo TEXT NOT NULL,
    at REAL NOT NULL,
    seconds REAL NOT NULL,
    kind TEXT NOT NULL,
    framework TEXT NOT NULL,
    state TEXT NOT NULL,
    detail TEXT NOT NULL,
    chosen_by TEXT NOT NULL,
    why TEXT NOT NULL,
    whole INTEGER NOT NULL,
    head TEXT NOT NULL,
    clean INTEGER NOT NULL,
    job INTEGER NOT NULL,
    in_place INTEGER NOT NULL,
    output TEXT NOT NULL,
    passed INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    skipped INTEGER NOT NULL,
    flaky INTEGER NOT NULL
);
CREATE INDEX runs_by_repo ON runs (repo, id);
CREATE TABLE picks (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    target TEXT NOT NULL,
    why TEXT NOT NULL
);
CREATE INDEX picks_by_run ON picks (run);
CREATE TABLE standings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repo TEXT NOT NULL,
    framework TEXT NOT NULL,
    test TEXT NOT NULL,
    mark TEXT NOT NULL,
    since REAL NOT NULL,
    since_run INTEGER NOT NULL,
    last_run INTEGER NOT NULL,
    last_at REAL NOT NULL,
    seconds REAL NOT NULL,
    flaky INTEGER NOT NULL,
    flaky_count INTEGER NOT NULL,
    streak INTEGER NOT NULL,
    passes INTEGER NOT NULL,
    green_head TEXT NOT NULL,
    green_at REAL NOT NULL,
    UNIQUE (repo, framework, test)
);
CREATE INDEX standings_by_mark ON standings (repo, mark);
CREATE TABLE results (
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    test INTEGER NOT NULL REFERENCES standings (id) ON DELETE CASCADE,
    mark TEXT NOT NULL,
    seconds REAL NOT NULL,
    flaky INTEGER NOT NULL,
    exception TEXT NOT NULL,
    message TEXT NOT NULL,
    path TEXT NOT NULL,
    line INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, test)
) WITHOUT ROWID;
CREATE INDEX results_by_test ON results (test, run);
CREATE TABLE episodes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    standing INTEGER NOT NULL,
    repo TEXT NOT NULL,
    framework TEXT NOT NULL,
    test TEXT NOT NULL,
    began REAL NOT NULL,
    began_head TEXT NOT NULL,
    exception TEXT NOT NULL,
    message TEXT NOT NULL,
    path TEXT NOT NULL,
    line INTEGER NOT NULL,
    ended REAL NOT NULL DEFAULT 0,
    ended_head TEXT NOT NULL DEFAULT '',
    how TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '',
    reference TEXT NOT NULL DEFAULT '',
    first_bad TEXT NOT NULL DEFAULT ''
);
CREATE INDEX episodes_by_standing ON episodes (standing, ended);
CREATE INDEX episodes_by_repo ON episodes (repo, id);
CREATE TABLE missed (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repo TEXT NOT NULL,
    at REAL NOT NULL,
    run INTEGER NOT NULL,
    framework TEXT NOT NULL,
    test TEXT NOT NULL,
    selections INTEGER NOT NULL,
    last_selection INTEGER NOT NULL
);
CREATE TABLE pending (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repo TEXT NOT NULL,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    UNIQUE (repo, kind, path)
);
CREATE TABLE said (
    repo TEXT NOT NULL,
    what TEXT NOT NULL,
    about TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (repo, what)
) WITHOUT ROWID
"""
