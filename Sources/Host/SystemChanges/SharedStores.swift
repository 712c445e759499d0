internal import LinuxSystem
package import Model

/// Files and folders that apps share, as the device's profile declares them (`"stores": {"contacts": "/var/lib/x"}`).
/// The kernel tells that something in them was written, and a look says what is so: a change is told once, also one
/// that happened while no daemon ran.
package struct SharedStores: Sendable {
    private let paths: [(name: String, path: String)]

    /// Of a folder; in one with more, not every change of a file in place is seen.
    private static let mostFiles = 4096

    package init(_ declared: [String: String]) {
        let usable = declared.filter { name, path in
            !name.isEmpty && name.utf8.count <= SharedStore.longestName && path.hasPrefix("/")
        }
        for name in declared.keys.sorted() where usable[name] == nil {
            Diagnostics.write(
                "the profile's store “\(name.prefix(SharedStore.longestName))” is left out: a store has a name of 1 to "
                    + "\(SharedStore.longestName) bytes and an absolute path")
        }
        if usable.count > SharedStore.most {
            Diagnostics.write("of the profile's \(usable.count) stores the first \(SharedStore.most) are watched")
        }
        paths = usable.sorted { $0.key < $1.key }.prefix(SharedStore.most).map { ($0.key, $0.value) }
    }

    /// Where something happens when a store is changed.
    package struct Place: Sendable {
        package let folder: String
        /// What in it belongs to a store; `nil`: everything.
        package let names: Set<String>?

        package func concerns(_ name: String?) -> Bool {
            names == nil || name.map { names?.contains($0) == true } == true
        }
    }

    /// A folder itself; of a file also its own folder, since another one may take its place.
    package var places: [Place] {
        paths.flatMap { _, path in
            let parts = path.split(separator: "/").map(String.init)
            let parent = "/" + parts.dropLast().joined(separator: "/")
            let names = parts.last.map { name in Set(Self.endings.map { name + $0 }) } ?? []
            return [Place(folder: path, names: nil), Place(folder: parent, names: names)]
        }
    }

    /// What SQLite writes beside a file.
    private static let endings = ["", "-wal", "-journal"]

    package func read() -> [SharedStore] { paths.map { SharedStore($0.name, stamp: Self.stamp($0.path)) } }

    /// Another number after each change of the file, or of a file in the folder.
    private static func stamp(_ path: String) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ value: Int64) { hash = (hash ^ UInt64(bitPattern: value)) &* 0x100_0000_01b3 }
        func add(path: String) {
            add(FileSystem.modified(path) ?? -1)
            add(Int64(FileSystem.size(of: path)))
        }
        for ending in endings { add(path: path + ending) }
        for name in FileSystem.names(in: path).prefix(mostFiles) {
            for byte in name.utf8 { add(Int64(byte)) }
            add(path: "\(path)/\(name)")
        }
        return Int64(bitPattern: hash)
    }
}
