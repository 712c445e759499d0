import Glibc
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// `docs/TERMINATION.md`, "Locks": a real SQLite database that two programs share, one of which is suspended.
    @Suite("Shared files", .serialized) struct SharedFiles {
        private static let code = 0xdead_10cc

        enum Journal: String, CaseIterable { case delete, wal }

        /// A database in a folder that everybody may use, as app groups are; its path.
        private static func database(_ journal: Journal, at place: String? = nil, in system: TestSystem) throws
            -> String
        {
            let group = place ?? "\(system.folder)/group"
            try FileSystem.makeDirectory(group, mode: 0o777)
            try FileSystem.changeMode(group, to: 0o777)
            let path = "\(group)/notes.db"
            try python(
                """
                import os, sqlite3, sys
                os.umask(0)
                db = sqlite3.connect(sys.argv[1])
                db.execute("pragma journal_mode = \(journal.rawValue)")
                db.execute("create table notes (text)")
                db.execute("insert into notes values ('first')")
                db.commit()
                """, [path], system)
            try FileSystem.changeMode(path, to: 0o666)
            return path
        }

        @discardableResult
        private static func python(_ program: String, _ arguments: [String], _ system: TestSystem) throws -> String {
            let child = try Child(
                #require(Machine.find("python3")), ["-c", program] + arguments, environment: system.environment)
            let outcome = try child.outcome()
            #expect(outcome.code == 0, "\(outcome.errors)")
            return outcome.output
        }

        /// Another process writes to the database; how many seconds it had to wait for that.
        private static func write(_ path: String, _ system: TestSystem) throws -> Double {
            let text = try python(
                """
                import sqlite3, sys, time
                began = time.monotonic()
                # Asks again and again, as SQLite does.
                db = sqlite3.connect(sys.argv[1], timeout=30)
                db.execute("insert into notes values ('from outside')")
                db.commit()
                print(time.monotonic() - began)
                """, [path], system)
            return try #require(Double(text.split(separator: "\n").first ?? ""))
        }

        /// What an app does with the database at its start.
        private static func use(_ path: String, _ statements: String...) -> String {
            """
            import os, sqlite3
            os.umask(0)
            db = sqlite3.connect("\(path)", isolation_level=None, check_same_thread=False)
            for statement in \(statements): cursor = db.execute(statement); cursor.fetchone()
            """
        }

        @Test("An app that is suspended in a transaction ends, and the database is free", arguments: Journal.allCases)
        func application(_ journal: Journal) throws {
            let system = try TestSystem()
            defer { system.end() }
            let path = try Self.database(journal, in: system)
            try system.installPython(
                "writer", Self.use(path, "begin immediate", "insert into notes values ('half')"))
            try system.play(["open writer", "home"])
            let end = try system.follower().wait("terminated", of: "writer")
            #expect(end.reason?.contains(path) == true)
            #expect(try Self.write(path, system) < 1)
            let report = try #require(try system.reports("writer").first)
            #expect(report.namespace == "RUNNINGBOARD" && report.code == Self.code)
            #expect(report.reason.contains("\(path) locked"))
            #expect(try system.entries("writer").allSatisfy { $0.event != "suspended" })
        }

        @Test("An ordinary user's daemon that has no cgroups sees what its apps have locked")
        func ordinary() throws {
            // In a sandbox apps share no folder that they could write to.
            let system = try TestSystem(
                environment: ["GREENROOM_CGROUP": "", "GREENROOM_USER_NAMESPACES": "0"], uid: 65534)
            let group = "\(system.home)-group"
            defer {
                system.end()
                #expect(throws: Never.self) { try FileSystem.removeTree(group) }
            }
            let path = try Self.database(.wal, at: group, in: system)
            try system.installPython("writer", Self.use(path, "begin immediate"))
            try system.installPython("reader", Self.use(path, "begin", "select * from notes"))
            try system.play(["open writer", "open reader", "home"])
            try system.follower().wait("terminated", of: "writer")
            try system.follower().wait("suspended", of: "reader")
            #expect(try system.reports("writer").map(\.code) == [Self.code])
            #expect(try Self.write(path, system) < 1)
        }

        @Test("An app that finished its transaction is suspended with the database open", arguments: Journal.allCases)
        func finished(_ journal: Journal) throws {
            let system = try TestSystem()
            defer { system.end() }
            let path = try Self.database(journal, in: system)
            try system.installPython(
                "writer", Self.use(path, "begin immediate", "insert into notes values ('whole')", "commit"))
            try system.play(["open writer", "home"])
            try system.follower().wait("suspended", of: "writer")
            #expect(try Self.write(path, system) < 1)
            #expect(try system.app("writer").state == "suspended")
            #expect(try system.reports("writer").isEmpty)
        }

        @Test("An app that only reads is suspended, and ends as soon as its reading is in the way of a writer")
        func reader() throws {
            let system = try TestSystem()
            defer { system.end() }
            let path = try Self.database(.delete, in: system)
            try system.installPython("reader", Self.use(path, "begin", "select * from notes"))
            try system.play(["open reader", "home"])
            try system.follower().wait("suspended", of: "reader")
            // A second until somebody looks, and what this busy machine needs.
            #expect(try Self.write(path, system) < 2)
            try system.follower().wait("terminated", of: "reader")
            #expect(try system.reports("reader").map(\.code) == [Self.code])
        }

        @Test("In WAL mode a reader is in nobody's way, and stays suspended")
        func walReader() throws {
            let system = try TestSystem()
            defer { system.end() }
            let path = try Self.database(.wal, in: system)
            try system.installPython("reader", Self.use(path, "begin", "select * from notes"))
            try system.play(["open reader", "home"])
            try system.follower().wait("suspended", of: "reader")
            #expect(try Self.write(path, system) < 1)
            // Longer than the time between two looks.
            try system.pass(seconds: 1.5)
            #expect(try system.app("reader").state == "suspended")
        }

        @Test("What an app locks in its own container is its own affair")
        func own() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython(
                "writer",
                Self.use("/dev/null", "select 1").replacing("\"/dev/null\"", with: "os.environ['HOME'] + '/own.db'")
                    + "\ndb.execute('begin exclusive')\n")
            try system.play(["open writer", "home"])
            try system.follower().wait("suspended", of: "writer")
            #expect(try system.reports("writer").isEmpty)
        }

        @Test(
            "A plain program suspended in a transaction runs on as soon as somebody needs the database",
            arguments: Journal.allCases)
        func plain(_ journal: Journal) throws {
            let system = try TestSystem()
            defer { system.end() }
            let path = try Self.database(journal, in: system)
            // Its transaction takes two seconds of its own time.
            try system.write(
                Self.use(path, "begin immediate", "insert into notes values ('half')")
                    + "\nimport time\nprint('locked', flush=True)\nfor _ in range(200): time.sleep(0.01)\n"
                    + "db.execute('commit')\nprint('done', flush=True)\nwhile True: time.sleep(1000)\n",
                to: "\(system.folder)/batch.py")
            try system.installPlain("batch", command: "python3 \(system.folder)/batch.py")
            try system.play(["open batch"])
            let patience = Patience()
            while !system.output("batch").contains("locked"), !patience.isOver { try system.pass(seconds: 0.02) }
            try system.play(["home"])
            let suspended = try system.follower().wait("suspended", of: "batch")
            // Nobody needs it: it stays so.
            try system.pass(seconds: 1.5)
            #expect(try system.app("batch").state == "suspended")
            // At once, since the kernel tells of the opening; then what is left of the two seconds, and the pauses in
            // which it is tried whether it is still in the way.
            #expect(try Self.write(path, system) < 5)
            let resumed = try system.follower().wait("resumed", of: "batch", after: suspended.seq)
            #expect(resumed.reason?.contains(path) == true)
            #expect(system.output("batch").contains("done"))
            let report = try #require(try system.reports("batch").first)
            #expect(report.code == Self.code && report.reason.contains("which another process needs"))
            try system.follower().wait("suspended", of: "batch", after: resumed.seq)
            #expect(try system.reports("batch").count == 1)
        }
    }
}
