"""Migrations of the SQLite log; step n turns schema n - 1 into schema n."""

STEPS = (
    (
        """
        CREATE TABLE records (
            place INTEGER PRIMARY KEY AUTOINCREMENT,
            writer TEXT NOT NULL,
            seq INTEGER NOT NULL,
            kind TEXT NOT NULL,
            at REAL NOT NULL,
            decision_id TEXT NOT NULL,
            session_id TEXT NOT NULL,
            tool TEXT NOT NULL,
            verdict TEXT NOT NULL,
            digest TEXT NOT NULL,
            sealed TEXT NOT NULL,
            UNIQUE (writer, seq)
        )
        """,
        "CREATE TABLE heads (writer TEXT PRIMARY KEY, seq INTEGER NOT NULL, digest TEXT NOT NULL)",
        "CREATE INDEX records_decision ON records (decision_id)",
    ),
    (
        "CREATE INDEX records_session ON records (session_id)",
        "CREATE INDEX records_kind ON records (kind) WHERE kind <> 'decision'",
    ),
    ("ALTER TABLE heads ADD COLUMN seal TEXT NOT NULL DEFAULT ''",),
    (
        "ALTER TABLE records ADD COLUMN pattern INTEGER",
        """
        CREATE TABLE patterns (
            pattern INTEGER PRIMARY KEY AUTOINCREMENT,
            digest TEXT NOT NULL UNIQUE,
            body TEXT NOT NULL
        )
        """,
        """
        CREATE TABLE hourly_counts (
            hour INTEGER NOT NULL,
            pattern INTEGER NOT NULL,
            writer TEXT NOT NULL,
            decisions INTEGER NOT NULL,
            first_at REAL NOT NULL,
            last_at REAL NOT NULL,
            PRIMARY KEY (hour, pattern, writer)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX records_pattern ON records (pattern, place) WHERE pattern IS NOT NULL",
        "CREATE INDEX records_uncounted ON records (place)"
        " WHERE pattern IS NULL AND kind = 'decision'",
    ),
)
