internal import AudioCore
internal import FoundationEssentials
internal import LinuxSystem
internal import Model

/// A file for each record. What is lost with the machine's power is worth nothing then: files are replaced, and not
/// flushed to the disk, so that no player waits for that.
struct AudioStore {
    private let folder: String
    private static let device = "device.json"
    /// Bytes of a record, and how many are read.
    private static let (largest, most) = (1 << 16, 4096)

    init(folder: String) throws(SystemError) {
        self.folder = folder + "/records"
        try FileSystem.makeDirectory(self.folder)
    }

    /// One that cannot be read is left out: nothing of it is so dear that nobody should play.
    func load() -> [AudioRecord] {
        FileSystem.names(in: folder).sorted().prefix(Self.most).compactMap { name in
            guard name.hasSuffix(".json"), let bytes = FileSystem.read("\(folder)/\(name)", limit: Self.largest),
                let record = try? JSONDecoder().decode(AudioRecord.self, from: Data(bytes))
            else { return nil }
            // A name by which a file would lie elsewhere was never given.
            if case .app(let app) = record, AppIdentifier(app.app.rawValue) == nil { return nil }
            return record
        }
    }

    func store(_ record: AudioRecord) throws {
        let bytes = Array(try JSONEncoder().encode(record))
        let path = path(record.key)
        let file = try Descriptor.open(path + ".new", .write, create: 0o600, truncate: true)
        try file.writeAll(bytes)
        try FileSystem.supplant(path, by: path + ".new")
    }

    func erase(_ key: AudioRecordKey) { FileSystem.remove(path(key)) }

    private func path(_ key: AudioRecordKey) -> String {
        switch key {
        case .device: "\(folder)/\(Self.device)"
        case .app(let app): "\(folder)/app-\(app.rawValue).json"
        }
    }
}
