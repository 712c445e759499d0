internal import Foundation

/// The file of a download that is under way. Used on the core's queue only.
///
/// It lies where temporary files do, and stays there when the download was interrupted, for the one that goes on with
/// it. A name says which it is, so resume data cannot name any other file.
struct PartialFile {
    let url: URL
    private let handle: FileHandle
    private(set) var count: Int64 = 0

    private static var folder: URL { FileManager.default.temporaryDirectory }

    private static func fresh() -> URL {
        folder.appendingPathComponent("CFNetworkDownload_\(UUID().uuidString).tmp")
    }

    /// An empty one. `nil` where none can be made.
    init?() {
        url = Self.fresh()
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: url.path, contents: nil, attributes: attributes),
            let handle = try? FileHandle(forUpdating: url)
        else { return nil }
        self.handle = handle
    }

    /// One that an interrupted download left, which now belongs to this one alone. `nil` if it is gone, or is shorter
    /// than was said.
    init?(takingOver name: String, count: Int64) {
        url = Self.fresh()
        guard count > 0, !name.isEmpty, !name.contains("/"), name != ".", name != ".." else { return nil }
        let old = Self.folder.appendingPathComponent(name)
        guard (try? FileManager.default.moveItem(at: old, to: url)) != nil else { return nil }
        guard let handle = try? FileHandle(forUpdating: url), let end = try? handle.seekToEnd(), end >= UInt64(count),
            (try? handle.truncate(atOffset: UInt64(count))) != nil
        else {
            try? FileManager.default.removeItem(at: url)
            return nil
        }
        self.handle = handle
        self.count = count
    }

    var name: String { url.lastPathComponent }

    mutating func append(_ data: Data) throws {
        try handle.write(contentsOf: data)
        count += Int64(data.count)
    }

    mutating func empty() throws {
        try handle.truncate(atOffset: 0)
        count = 0
    }

    func close() { try? handle.close() }

    func remove() {
        close()
        try? FileManager.default.removeItem(at: url)
    }
}
