import GRDB

/// The tables, as the list of steps that made them. A step that was ever released is never edited; a change is a new
/// step, and `SurvivalTests` opens a database of every released version.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1-base") { database in
            try database.execute(
                sql: """
                    CREATE TABLE apps (
                        identifier TEXT PRIMARY KEY NOT NULL,
                        manifest TEXT NOT NULL,
                        installedAt INTEGER NOT NULL,
                        updatedAt INTEGER NOT NULL,
                        isExempt INTEGER NOT NULL DEFAULT 0
                    );
                    CREATE TABLE uids (
                        app TEXT PRIMARY KEY NOT NULL,
                        uid INTEGER NOT NULL UNIQUE
                    );
                    CREATE TABLE settings (
                        key TEXT PRIMARY KEY NOT NULL,
                        value TEXT NOT NULL
                    );
                    CREATE TABLE log (
                        seq INTEGER PRIMARY KEY NOT NULL,
                        at INTEGER NOT NULL,
                        app TEXT,
                        event TEXT NOT NULL,
                        reason TEXT NOT NULL,
                        cause INTEGER,
                        took INTEGER
                    );
                    CREATE INDEX logByApp ON log (app, seq);
                    CREATE TABLE reports (
                        id TEXT PRIMARY KEY NOT NULL,
                        seq INTEGER,
                        app TEXT NOT NULL,
                        at INTEGER NOT NULL,
                        namespace TEXT NOT NULL,
                        code INTEGER NOT NULL,
                        reason TEXT NOT NULL,
                        header TEXT NOT NULL,
                        body TEXT NOT NULL
                    );
                    CREATE INDEX reportsByApp ON reports (app, at);
                    CREATE INDEX reportsByTime ON reports (at);
                    """)
        }
        return migrator
    }
}
