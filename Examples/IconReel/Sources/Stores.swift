import UIKit

/// Where columns go that are not needed now.
protocol ColumnStore {
    func put(_ icons: Data, _ column: Int)
    /// A column that was put there, if it still is.
    func take(_ column: Int) -> Data?
    /// What is in the working set now.
    func settle(around near: Range<Int>)
    /// A memory warning.
    func relieve()
}

extension ColumnStore {
    func settle(around near: Range<Int>) {}
    func relieve() {}
}

/// Nowhere.
struct NoStore: ColumnStore {
    func put(_ icons: Data, _ column: Int) {}
    func take(_ column: Int) -> Data? { nil }
}

/// The frameworks empty it on a memory warning and in the background.
struct CacheStore: ColumnStore {
    // Not NSData: Foundation on Linux copies that byte by byte.
    private final class Column {
        let icons: Data
        init(_ icons: Data) { self.icons = icons }
    }

    private let columns = NSCache<NSNumber, Column>()

    func put(_ icons: Data, _ column: Int) { columns.setObject(Column(icons), forKey: column as NSNumber) }
    func take(_ column: Int) -> Data? { columns.object(forKey: column as NSNumber)?.icons }
}

/// The system takes them when it needs the memory, without asking.
final class PurgeableStore: ColumnStore {
    private(set) var columns: [Int: NSPurgeableData] = [:]

    func put(_ icons: Data, _ column: Int) {
        let data = NSPurgeableData(data: icons)
        data.endContentAccess()
        columns[column] = data
    }

    func take(_ column: Int) -> Data? {
        guard let data = columns.removeValue(forKey: column), data.beginContentAccess() else { return nil }
        defer { data.endContentAccess() }
        return unsafe Data(bytes: data.bytes, count: data.length)
    }
}

/// What is likely to come next is in use, so that nobody takes it without a warning; what is far away is purgeable.
final class TwoLevelStore: ColumnStore {
    private(set) var next: [Int: Data] = [:]
    let far = PurgeableStore()
    /// As far from the working set as three flicks.
    private static let reach = 3 * Icons.columnsPerPage

    func put(_ icons: Data, _ column: Int) { next[column] = icons }
    func take(_ column: Int) -> Data? { next.removeValue(forKey: column) ?? far.take(column) }

    func settle(around near: Range<Int>) {
        let reached = near.lowerBound - Self.reach..<near.upperBound + Self.reach
        for column in next.keys.sorted() where !reached.contains(column) {
            if let icons = next.removeValue(forKey: column) { far.put(icons, column) }
        }
        for column in far.columns.keys.sorted() where reached.contains(column) { next[column] = far.take(column) }
    }

    func relieve() { next = [:] }
}

/// One large file: the system reads the pieces that are looked at, and drops them when it needs the memory.
struct MappedStore: ColumnStore {
    private let columns: Data

    init(file: URL, draw: (Int) -> Data) throws {
        if !FileManager.default.fileExists(atPath: file.path) {
            // Under another name until it is whole.
            let new = file.appendingPathExtension("new")
            try Data().write(to: new)
            let handle = try FileHandle(forWritingTo: new)
            for column in 0..<Icons.columns { try handle.write(contentsOf: draw(column)) }
            try handle.synchronize()
            try handle.close()
            try FileManager.default.moveItem(at: new, to: file)
        }
        columns = try Data(contentsOf: file, options: .mappedIfSafe)
    }

    func put(_ icons: Data, _ column: Int) {}

    func take(_ column: Int) -> Data? {
        columns[column * Icons.bytesPerColumn..<(column + 1) * Icons.bytesPerColumn]
    }
}
