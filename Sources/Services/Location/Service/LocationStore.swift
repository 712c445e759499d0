internal import FoundationEssentials
internal import LinuxSystem
package import LocationCore
internal import LocationModel
package import Model

/// A file for each record. What is registered and what is yet to be heard is flushed to the disk: it has to be there
/// after the machine has lost its power. Used by one queue.
package final class LocationStore {
    private let folder: String
    private static let device = "device.json"
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

    package func store(_ record: LocationRecord) throws {
        let bytes = Array(try JSONEncoder().encode(record))
        switch record {
        case .device: try FileSystem.replace("\(folder)/\(Self.device)", with: bytes)
        case .app(let app): try FileSystem.replace(path(app.app), with: bytes)
        }
    }

    package func erase(_ app: AppIdentifier) { FileSystem.remove(path(app)) }

    private func path(_ app: AppIdentifier) -> String { "\(folder)/app-\(app.rawValue).json" }
}
