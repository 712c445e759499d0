package import AudioCore
internal import AudioModel
internal import FoundationEssentials
package import LinuxSystem
internal import Model

/// A file for each record. What most of them say is worth nothing once the machine has lost its power: they are
/// replaced and not flushed to the disk, so that no player waits for that. Whom the user lets use the microphone has
/// files of its own, which are. Used by one queue.
package final class AudioStore {
    private let folder: String
    /// What the files say of the microphone.
    private var permissions: [AppIdentifier: AudioPermission] = [:]
    private static let device = "device.json"
    private static let permission = ".microphone"
    /// Bytes of a record, and how many are read.
    private static let (largest, most) = (1 << 16, 4096)

    package init(folder: String) throws(SystemError) {
        self.folder = folder + "/records"
        try FileSystem.makeDirectory(self.folder)
    }

    /// One that cannot be read is left out: nothing of it is so dear that nobody should play.
    package func load() -> [AudioRecord] {
        let names = FileSystem.names(in: folder).sorted()
        permissions = Dictionary(names.prefix(Self.most).compactMap(permission)) { first, _ in first }
        var missing = permissions
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

    /// Flushed to the disk.
    package func storePermission(of record: AudioRecord) throws {
        if case .app(let app) = record { try store(app.permission, of: app.app) }
    }

    package func store(_ record: AudioRecord) throws {
        try storePermission(of: record)
        let bytes = Array(try JSONEncoder().encode(record))
        let path = path(record.key)
        let file = try Descriptor.open(path + ".new", .write, create: 0o600, truncate: true)
        try file.writeAll(bytes)
        try FileSystem.supplant(path, by: path + ".new")
    }

    private func store(_ permission: AudioPermission, of app: AppIdentifier) throws {
        guard permission != permissions[app] ?? .undetermined else { return }
        try FileSystem.replace("\(folder)/\(app.rawValue)\(Self.permission)", with: Array(permission.rawValue.utf8))
        permissions[app] = permission
    }

    package func erase(_ key: AudioRecordKey) {
        FileSystem.remove(path(key))
        guard case .app(let app) = key, permissions.removeValue(forKey: app) != nil else { return }
        FileSystem.remove("\(folder)/\(app.rawValue)\(Self.permission)")
    }

    private func path(_ key: AudioRecordKey) -> String {
        switch key {
        case .device: "\(folder)/\(Self.device)"
        case .app(let app): "\(folder)/app-\(app.rawValue).json"
        }
    }
}
