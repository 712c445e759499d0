import Foundation
import Storage
import Testing

/// A temporary folder for databases; it goes away with its owner.
final class Shelf {
    let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/greenroom-storage-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    var path: String { folder + "/state.db" }

    func open() throws -> Store {
        try Store(path: path)
    }

    var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
    }

    /// The files as they are at this moment, which is what a process killed now would leave.
    func copyAsKilled() throws -> Shelf {
        let copy = try Shelf()
        for name in ["state.db", "state.db-wal"] where FileManager.default.fileExists(atPath: "\(folder)/\(name)") {
            try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(copy.folder)/\(name)")
        }
        return copy
    }
}

func row(_ seq: Int64, app: String? = "org.example.a", cause: Int64? = nil) -> LogRow {
    LogRow(seq: seq, at: seq * 1_000_000, app: app, event: "launched", reason: "because", cause: cause, took: seq)
}

func report(_ id: String, at time: Int64, app: String = "org.example.a") -> StoredReport {
    StoredReport(
        summary: ReportSummary(
            id: id, seq: time, app: app, at: time, namespace: "WATCHDOG", code: 0x8bad_f00d, reason: "too slow"),
        header: "{\"name\":\"a\"}", body: "{\"procName\":\"a\"}")
}
