import GRDB

/// Why something could not be stored or read.
package enum StorageError: Error, Equatable, CustomStringConvertible {
    /// A later version of Greenroom wrote the database.
    case newerSchema(path: String)
    case cannotOpen(path: String, problem: String)
    /// The device has no space left. What was asked for was not stored; everything before it was.
    case full(path: String)
    /// The file was damaged while it was open. Opening it again sets it aside.
    case damaged(path: String)
    case failed(path: String, problem: String)
    case noUIDLeft(base: UInt32, count: UInt32)

    package var description: String {
        switch self {
        case .newerSchema(let path):
            "\(path) was written by a newer version of Greenroom: use that version, or another GREENROOM_HOME."
        case .cannotOpen(let path, let problem):
            "\(path) cannot be opened (\(problem)): check that its folder exists and can be written."
        case .full(let path): "\(path) cannot grow: free space on its device."
        case .damaged(let path): "\(path) is damaged: restart Greenroom, which sets it aside and begins a new one."
        case .failed(let path, let problem): "\(path) refused an operation (\(problem)): restart Greenroom."
        case .noUIDLeft(let base, let count):
            "All user ids from \(base) to \(base + count - 1) are taken: uninstall apps without --keep-data."
        }
    }

    init(_ error: any Error, path: String) {
        if let error = error as? StorageError {
            self = error
        } else if let error = error as? DatabaseError {
            switch error.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path)
            case .SQLITE_FULL: self = .full(path: path)
            // A file beside it could not be made longer, or a page of it could not be written.
            case .SQLITE_IOERR
            where error.extendedResultCode == .SQLITE_IOERR_WRITE
                || error.extendedResultCode == .SQLITE_IOERR_SHMSIZE:
                self = .full(path: path)
            case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY:
                self = .cannotOpen(path: path, problem: error.message ?? "SQLite code \(error.resultCode.rawValue)")
            default:
                self = .failed(path: path, problem: error.message ?? "SQLite code \(error.resultCode.rawValue)")
            }
        } else {
            self = .failed(path: path, problem: "\(error)")
        }
    }
}
