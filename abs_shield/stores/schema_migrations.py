"""Schema migrations of the decision log, one list of steps per database."""

POSTGRES_STEPS = (
    (
        """
        CREATE TABLE abs_shield_records (
            place BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            writer TEXT NOT NULL,
            seq BIGINT NOT NULL,
            kind TEXT NOT NULL,
            at DOUBLE PRECISION NOT NULL,
            decision_id TEXT NOT NULL,
            session_id TEXT NOT NULL,
            tool TEXT NOT NULL,
            verdict TEXT NOT NULL,
            digest TEXT NOT NULL,
            sealed TEXT NOT NULL,
            UNIQUE (writer, seq)
        )
        """,
        """
        CREATE TABLE abs_shield_heads (
            writer TEXT PRIMARY KEY, seq BIGINT NOT NULL, digest TEXT NOT NULL
        )
        """,
        "CREATE INDEX abs_shield_records_decision ON abs_shield_records (decision_id)",
    ),
    (
        "CREATE INDEX abs_shield_records_session ON abs_shield_records (session_id)",
        "CREATE INDEX abs_shield_records_kind ON abs_shield_records (kind)"
        " WHERE kind <> 'decision'",
    ),
    ("ALTER TABLE abs_shield_heads ADD COLUMN seal TEXT NOT NULL DEFAULT ''",),
    (
        "ALTER TABLE abs_shield_records ADD COLUMN pattern BIGINT",
        """
        CREATE TABLE abs_shield_patterns (
            pattern BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            digest TEXT NOT NULL UNIQUE,
            body TEXT NOT NULL
        )
        """,
        """
        CREATE TABLE abs_shield_hourly_counts (
            hour BIGINT NOT NULL,
            pattern BIGINT NOT NULL,
            writer TEXT NOT NULL,
            decisions BIGINT NOT NULL,
            first_at DOUBLE PRECISION NOT NULL,
            last_at DOUBLE PRECISION NOT NULL,
            PRIMARY KEY (hour, pattern, writer)
        )
        """,
        "CREATE INDEX abs_shield_records_pattern ON abs_shield_records (pattern, place)"
        " WHERE pattern IS NOT NULL",
        "CREATE INDEX abs_shield_records_uncounted ON abs_shield_records (place)"
        " WHERE pattern IS NULL AND kind = 'decision'",
    ),
)


SQLITE_STEPS = (
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
