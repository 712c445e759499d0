internal import FoundationEssentials
internal import LinuxSystem
package import LocationCore
internal import LocationModel
internal import Model
internal import ServiceCore
package import ServiceKit

/// A file for each record. What is registered and what is yet to be heard is flushed to the disk: it has to be there
/// after the machine has lost its power.
package final class LocationStore: RecordStore {
    private let folder: String
    /// Bytes of a record, and how many are read.
    private static let (largest, most) = (1 << 20, 4096)

    package init(folder: String) throws {
        self.folder = folder + "/records"
        try FileSystem.makeDirectory(self.folder)
    }

    /// One that cannot be read is left out, and said.
    package func load(_ report: (String) -> Void) -> [LocationRecord] {
        FileSystem.names(in: folder).sorted().filter { $0.hasSuffix(".json") }.prefix(Self.most).compactMap { name in
            guard let bytes = FileSystem.read("\(folder)/\(name)", limit: Self.largest),
                let record = try? JSONDecoder().decode(LocationRecord.self, from: Data(bytes))
            else {
                report("\(name) cannot be read: its app has to say again what it wants to know")
                return nil
            }
            // A name by which a file would lie elsewhere was never given.
            if case .app(let app) = record, AppIdentifier(app.app.rawValue) == nil { return nil }
            return record
        }
    }

    package func commit(_ changes: [RecordChange<LocationWords>]) throws {
        for change in changes {
            switch change {
            case .store(let record):
                try FileSystem.replace(path(record.key), with: Array(try JSONEncoder().encode(record)))
            case .erase(let key): FileSystem.remove(path(key))
            }
        }
    }

    private func path(_ key: LocationRecordKey) -> String {
        switch key {
        case .device: "\(folder)/device.json"
        case .app(let app): "\(folder)/app-\(app.rawValue).json"
        }
    }
}
