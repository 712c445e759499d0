internal import LinuxSystem
internal import Model
internal import Wire

/// The pictures of apps, as files: one an app, `snapshots/IDENTIFIER.png` or `.svg`, replaced as a whole.
struct SnapshotStore: Sendable {
    let folder: String

    /// Of one picture, and of all.
    static let limit = 512 << 10
    static let limitOfAll = 64 << 20

    init(_ home: Home) { folder = home.snapshots }

    private func path(_ app: String, _ kind: PictureHeader.Kind) -> String { "\(folder)/\(app).\(kind.rawValue)" }
    private func ignored(_ app: String) -> String { "\(folder)/\(app).ignored" }

    /// Takes what the app wrote, if it is what the app says, and its own: another name of somebody's file is not.
    func take(_ source: String, _ kind: PictureHeader.Kind, of app: String, owner: UInt32?) throws(RPCError) {
        let bytes: [UInt8]
        do {
            // It may be a link to what only the daemon may read, or nothing that ends.
            let file = try Descriptor.open(source, .read, followsLinks: false)
            let found = try file.identity()
            guard found.isRegular, found.size <= Int64(Self.limit) else {
                throw RPCError(.refused, "a snapshot is a regular file of at most \(Self.limit) bytes")
            }
            guard found.links <= 1, owner == nil || found.owner == owner else {
                throw RPCError(.refused, "a snapshot is a file of the app's own, with no other name")
            }
            bytes = try file.readAll(limit: Self.limit + 1)
        } catch let error as RPCError {
            throw error
        } catch {
            throw RPCError(.refused, "the snapshot cannot be read: \(error)")
        }
        guard bytes.count <= Self.limit, PictureHeader(bytes, kind) != nil else {
            throw RPCError(
                .refused,
                "the snapshot is no \(kind.rawValue.uppercased()) that says its size, from 1 to "
                    + "\(PictureHeader.longestEdge) pixels an edge")
        }
        do {
            try FileSystem.makeDirectory(folder)
            makeRoom(for: bytes.count, except: app)
            try FileSystem.replace(path(app, kind), with: bytes)
        } catch {
            throw RPCError(.internalError, "the snapshot cannot be kept: \(error)")
        }
        for other in PictureHeader.Kind.allCases where other != kind { FileSystem.remove(path(app, other)) }
        FileSystem.remove(ignored(app))
    }

    /// The oldest ones go.
    private func makeRoom(for bytes: Int, except app: String) {
        var kept = FileSystem.names(in: folder).map { name in
            (path: "\(folder)/\(name)", size: FileSystem.size(of: "\(folder)/\(name)"))
        }
        kept.removeAll { $0.path.hasPrefix("\(folder)/\(app).") }
        var total = kept.reduce(bytes) { $0 + $1.size }
        guard total > Self.limitOfAll else { return }
        let byAge = kept.map { ($0, FileSystem.modified($0.path) ?? 0) }.sorted { $0.1 < $1.1 }
        for (file, _) in byAge where total > Self.limitOfAll {
            FileSystem.remove(file.path)
            total -= file.size
        }
    }

    func remove(_ app: String) {
        for kind in PictureHeader.Kind.allCases { FileSystem.remove(path(app, kind)) }
        FileSystem.remove(ignored(app))
    }

    /// The next launch is not to be shown with it.
    func ignore(_ app: String) {
        guard info(app) != nil else { return }
        try? FileSystem.replace(ignored(app), with: [])
    }

    func info(_ app: String) -> SnapshotInfo? {
        for kind in PictureHeader.Kind.allCases {
            let path = path(app, kind)
            guard let bytes = FileSystem.read(path, limit: Self.limit), let header = PictureHeader(bytes, kind) else {
                continue
            }
            let taken = WallTime(nanoseconds: FileSystem.modified(path) ?? 0)
            return SnapshotInfo(
                app: app, path: path, kind: kind.rawValue, width: header.width, height: header.height,
                bytes: bytes.count, taken: taken.iso8601, ignoredAtLaunch: FileSystem.exists(ignored(app)))
        }
        return nil
    }
}
