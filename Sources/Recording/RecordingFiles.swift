internal import FoundationEssentials
internal import PolicyCore

/// The files of a recording: a folder of segments, or what is left of one.
package struct RecordingFiles: Equatable, Sendable {
    package let folder: String
    /// The numbers of the segments, ascending, from the first that has a checkpoint.
    package let numbers: [Int]

    /// Finds the recording that a path means: a folder with segments, a folder that keeps them in `journal`, or one
    /// file of a segment, to begin there.
    package init(_ path: String) throws(RecordingError) {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { throw .notFound(path) }
        if isFolder {
            let inner = path.hasSuffix("/") ? path + "journal" : path + "/journal"
            let chosen = try Self.files(in: path).isEmpty && Self.isFolder(inner) ? inner : path
            try self.init(folder: chosen, from: nil)
        } else {
            let slash = path.lastIndex(of: "/")
            let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
            guard let (number, _) = Self.parse(name) else { throw .notASegment(path) }
            try self.init(folder: slash.map { String(path[..<$0]) } ?? ".", from: number)
        }
    }

    private init(folder: String, from chosen: Int?) throws(RecordingError) {
        self.folder = folder
        let files = try Self.files(in: folder)
        guard let oldest = files.map(\.number).min() else { throw .noRecording(folder) }
        // A folder that was copied while the daemon removed old segments may begin with half of one.
        guard let first = chosen ?? files.filter({ $0.kind == .checkpoint }).map(\.number).min(),
            files.contains(where: { $0.number == first && $0.kind == .checkpoint })
        else { throw .missingCheckpoint(Self.checkpoint(folder, chosen ?? oldest)) }
        numbers = Set(files.map(\.number)).filter { $0 >= first }.sorted()
    }

    package func events(_ number: Int) -> String { "\(folder)/\(number).events" }
    package func checkpoint(_ number: Int) -> String { Self.checkpoint(folder, number) }

    private static func checkpoint(_ folder: String, _ number: Int) -> String { "\(folder)/\(number).checkpoint" }

    private enum Kind: String { case events, checkpoint }

    private static func parse(_ name: String) -> (number: Int, kind: Kind)? {
        for kind in [Kind.events, .checkpoint] {
            if let number = SegmentNumber.parse(name, kind: kind.rawValue) { return (number, kind) }
        }
        return nil
    }

    private static func files(in folder: String) throws(RecordingError) -> [(number: Int, kind: Kind)] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap(parse)
        } catch {
            throw .unreadable(folder, Segment.reason(error))
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }
}

/// One segment in memory.
struct Segment {
    let number: Int
    let file: String
    /// `nil` where the daemon died before the checkpoint was there.
    let header: SegmentHeader?
    /// The file that the header was read from.
    let checkpoint: [UInt8]
    /// The events' file, and where in it the records lie.
    let bytes: [UInt8]
    let records: Range<Int>
    /// The file is shorter than it says: somebody cut it off.
    let isTruncated: Bool

    /// The magic number and the count of bytes that `MappedLog` begins with.
    private static let prefix = 16
    private static let magic: [UInt8] = Array("1rgmlog1".utf8)

    init(_ files: RecordingFiles, _ number: Int) throws(RecordingError) {
        self.number = number
        file = files.events(number)
        (header, checkpoint) = try Self.header(files.checkpoint(number))
        bytes = try Self.contents(file)
        // The disk was full when it was made, or the copy was taken in that moment.
        guard !bytes.isEmpty else {
            (records, isTruncated) = (0..<0, false)
            return
        }
        guard bytes.count >= Self.prefix, bytes.starts(with: Self.magic) else { throw .notALog(file) }
        let count = bytes[8..<16].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let available = bytes.count - Self.prefix
        isTruncated = count > UInt64(available)
        records = Self.prefix..<Self.prefix + (isTruncated ? available : Int(count))
    }

    private static func header(_ path: String) throws(RecordingError) -> (SegmentHeader?, [UInt8]) {
        guard FileManager.default.fileExists(atPath: path) else { return (nil, []) }
        let bytes = try contents(path)
        let version: Int
        do {
            version = try decode(Version.self, from: bytes).version
        } catch {
            throw .damagedCheckpoint(path, "it is no checkpoint")
        }
        guard SegmentHeader.readableVersions.contains(version) else { throw .unknownVersion(path, version) }
        do {
            return (try decode(SegmentHeader.self, from: bytes), bytes)
        } catch {
            throw .damagedCheckpoint(path, "\(error)")
        }
    }

    private struct Version: Decodable { let version: Int }

    /// What is in a checkpoint: older daemons wrote JSON.
    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        CompactFormat.isThere(bytes)
            ? try CompactFormat.decode(type, from: bytes) : try JSONDecoder().decode(type, from: Data(bytes))
    }

    private static func contents(_ path: String) throws(RecordingError) -> [UInt8] {
        guard FileManager.default.fileExists(atPath: path) else { throw .missingSegment(path) }
        do {
            return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw .unreadable(path, reason(error))
        }
    }

    static func reason(_ error: any Error) -> String {
        (error as? CocoaError)?.code == .fileReadNoPermission ? "you have no permission" : "\(error)"
    }
}
