package import AudioCore
internal import AudioModel
internal import FoundationEssentials
package import LinuxSystem
internal import Model
package import ServiceKit

/// A file for each record. What most of them say is worth nothing once the machine has lost its power: they are
/// replaced and not flushed to the disk, so that no player waits for that. Whom the user lets use the microphone has
/// files of its own, which are.
package final class AudioStore: RecordStore {
    private let folder: String
    private static let device = "device.json"
    private static let permission = ".microphone"
    /// Bytes of a record, and how many are read.
    private static let (largest, most) = (1 << 16, 4096)

    package init(folder: String) throws(SystemError) {
        self.folder = folder + "/records"
        try FileSystem.makeDirectory(self.folder)
    }

    /// One that cannot be read is left out: nothing of it is so dear that nobody should play.
    package func load(_ report: (String) -> Void) -> [AudioRecord] {
        let names = FileSystem.names(in: folder).sorted()
        var missing = Dictionary(names.prefix(Self.most).compactMap(permission)) { first, _ in first }
        let records = names.filter { $0.hasSuffix(".json") }.prefix(Self.most).compactMap { name -> AudioRecord? in
            guard let bytes = FileSystem.read("\(folder)/\(name)", limit: Self.largest),
                let record = try? JSONDecoder().decode(AudioRecord.self, from: Data(bytes))
            else { return nil }
            guard case .app(var app) = record else { return record }
            // A name by which a file would lie elsewhere was never given.
            guard AppIdentifier(app.app.rawValue) != nil else { return nil }
            app.permission = missing.removeValue(forKey: app.app) ?? .undetermined
            return .app(app)
        }
        return records
            + missing.sorted { $0.key.rawValue < $1.key.rawValue }.map { app, permission in
                var record = AppRecord(app)
                record.permission = permission
                return .app(record)
            }
    }

    private func permission(_ name: String) -> (AppIdentifier, AudioPermission)? {
        guard name.hasSuffix(Self.permission), let app = AppIdentifier(String(name.dropLast(Self.permission.count))),
            let bytes = FileSystem.read("\(folder)/\(name)", limit: 64),
            let permission = AudioPermission(rawValue: String(decoding: bytes, as: UTF8.self))
        else { return nil }
        return (app, permission)
    }

    /// Permissions first: they are promised.
    package func commit(_ changes: [RecordChange<AudioWords>]) throws {
        for change in changes {
            if case .store(.permission(let app, let permission)) = change {
                try FileSystem.replace(path(.permission(app)), with: Array(permission.rawValue.utf8))
            }
        }
        for change in changes {
            switch change {
            case .store(.permission): break
            case .store(let record): try store(record)
            case .erase(let key): FileSystem.remove(path(key))
            }
        }
    }

    private func store(_ record: AudioRecord) throws {
        let path = path(record.key)
        let file = try Descriptor.open(path + ".new", .write, create: 0o600, truncate: true)
        try file.writeAll(Array(try JSONEncoder().encode(record)))
        try FileSystem.supplant(path, by: path + ".new")
    }

    private func path(_ key: AudioRecordKey) -> String {
        switch key {
        case .device: "\(folder)/\(Self.device)"
        case .app(let app): "\(folder)/app-\(app.rawValue).json"
        case .permission(let app): "\(folder)/\(app.rawValue)\(Self.permission)"
        }
    }
}
