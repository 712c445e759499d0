import Foundation
import GRDB
import GRDBSQLite
import Testing
import UIKit

extension UIKitTests {
    @Suite("The caches of SQLite", .serialized)
    @MainActor
    struct DatabaseCacheTests {
        /// A file of about 24 MB, gone with this object.
        private final class File {
            let path = FileManager.default.temporaryDirectory
                .appending(path: "greenroom-pages-\(ProcessInfo.processInfo.globallyUniqueString).db").path

            init() throws {
                let queue = try DatabaseQueue(path: path)
                try queue.write { database in
                    try database.execute(sql: "create table pages (data blob)")
                    for _ in 0..<6000 {
                        try database.execute(sql: "insert into pages values (randomblob(4000))")
                    }
                }
                try queue.close()
            }

            deinit { try? FileManager.default.removeItem(atPath: path) }
        }

        /// Reads all, with room for all.
        private func read(_ queue: DatabaseQueue) throws -> Int {
            try queue.read { database in
                try database.execute(sql: "pragma cache_size = -65536")
                return try Int.fetchOne(database, sql: "select sum(length(data)) from pages") ?? 0
            }
        }

        private func cached(_ queue: DatabaseQueue) throws -> Int {
            try queue.read { database in try unsafe Self.cached(#require(database.sqliteConnection)) }
        }

        /// Bytes of pages that a connection keeps.
        nonisolated private static func cached(_ connection: OpaquePointer) -> Int {
            var (now, highest): (CInt, CInt) = (0, 0)
            unsafe sqlite3_db_status(connection, SQLITE_DBSTATUS_CACHE_USED, &now, &highest, 0)
            return Int(now)
        }

        private func free(_ occasion: String) {
            if occasion == "background" { Simulated.background() } else { Simulated.memory(occasion) }
        }

        @Test(
            "GRDB's connection gives up the pages that it has read, the kernel gets them, and they are read again",
            arguments: ["background", "warning"])
        func pages(occasion: String) throws {
            let file = try File()
            let queue = try DatabaseQueue(path: file.path)
            #expect(try read(queue) == 24_000_000)
            let (before, dirty) = (try cached(queue), try Reclaim.figure("Private_Dirty", of: getpid()))
            #expect(before > 20 << 20)
            free(occasion)
            #expect(try cached(queue) < 1 << 20)
            // Other tests take some meanwhile.
            #expect(try Reclaim.figure("Private_Dirty", of: getpid()) < dirty - 10 << 20)
            #expect(try read(queue) == 24_000_000)
            #expect(try cached(queue) > 20 << 20)
        }

        @Test("A connection that another thread uses keeps its pages, and the callback does not wait for it")
        func busy() throws {
            let file = try File()
            let queue = try DatabaseQueue(path: file.path)
            _ = try read(queue)
            let (began, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                queue.inDatabase { database in
                    let mutex = unsafe sqlite3_db_mutex(database.sqliteConnection)
                    unsafe sqlite3_mutex_enter(mutex)
                    began.signal()
                    end.wait()
                    unsafe sqlite3_mutex_leave(mutex)
                }
                done.signal()
            }
            began.wait()
            free("background")
            end.signal()
            done.wait()
            #expect(try cached(queue) > 20 << 20)
            free("background")
            #expect(try cached(queue) < 1 << 20)
        }

        enum Opening: String, CaseIterable {
            case plain, wide, withoutMutex

            func callAsFunction() -> OpaquePointer? {
                var connection: OpaquePointer?
                let result =
                    switch self {
                    case .plain: unsafe sqlite3_open(":memory:", &connection)
                    case .withoutMutex:
                        unsafe sqlite3_open_v2(
                            ":memory:", &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
                    case .wide:
                        unsafe Array(":memory:\0".utf16).withUnsafeBytes {
                            unsafe sqlite3_open16($0.baseAddress, &connection)
                        }
                    }
                #expect(result == SQLITE_OK)
                return unsafe connection
            }
        }

        @Test("What is in memory only stays, by whatever function it was opened", arguments: Opening.allCases)
        func inMemory(open: Opening) throws {
            let connection = unsafe open()
            let mutex = unsafe sqlite3_db_mutex(connection)
            #expect(unsafe mutex != nil)
            let insert = """
                create table pages (data blob);
                with recursive number(n) as (select 1 union all select n + 1 from number where n < 500)
                insert into pages select zeroblob(4000) from number;
                """
            #expect(unsafe sqlite3_exec(connection, insert, nil, nil, nil) == SQLITE_OK)
            free("warning")
            var statement: OpaquePointer?
            unsafe sqlite3_prepare_v2(connection, "select sum(length(data)) from pages", -1, &statement, nil)
            #expect(unsafe sqlite3_step(statement) == SQLITE_ROW)
            #expect(unsafe sqlite3_column_int(statement, 0) == 2_000_000)
            // Closed with a statement left, it lives until that is gone.
            #expect(unsafe sqlite3_close_v2(connection) == SQLITE_OK)
            free("warning")
            #expect(unsafe sqlite3_finalize(statement) == SQLITE_OK)
            free("warning")
        }

        @Test("Connections come and go on other threads while caches are freed")
        func manyThreads() {
            let threads = 4
            let done = DispatchSemaphore(value: 0)
            for _ in 0..<threads {
                Thread.detachNewThread {
                    for _ in 0..<100 {
                        var connection: OpaquePointer?
                        unsafe sqlite3_open_v2(
                            ":memory:", &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
                        unsafe sqlite3_exec(
                            connection, "create table t (x); insert into t values (zeroblob(50000))", nil, nil, nil)
                        #expect(unsafe sqlite3_close(connection) == SQLITE_OK)
                    }
                    done.signal()
                }
            }
            for _ in 0..<threads { while done.wait(timeout: .now()) == .timedOut { free("background") } }
        }
    }
}
