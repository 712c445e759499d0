package import LinuxSystem
package import Model

/// Files and folders that apps share, as the device's profile declares them (`"stores": {"contacts": "/var/lib/x"}`).
/// The kernel tells that something in them was written (`StoreWatches`), and a look says what is so: a change is told
/// once, also one that happened while no daemon ran.
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

    package var isEmpty: Bool { paths.isEmpty }

    /// What a change of a watched file or folder may mean.
    package enum News: Hashable, Sendable {
        /// What is in a store is another.
        case content
        /// What has to be watched is another as well.
        case place
    }

    /// What is watched, and which of its changes say something of a store.
    package struct Place: Hashable, Sendable {
        package let path: String
        package let changes: Inotify.Changes
        /// What in a folder it is about; `nil`: everything, which is a store's content.
        package let names: Set<String>?

        package func news(_ change: Inotify.Change) -> News? {
            let itself: Inotify.Changes = [.removedItself, .movedItself, .ignored]
            guard change.changes.isDisjoint(with: itself) else { return .place }
            guard !change.changes.isDisjoint(with: changes) else { return nil }
            guard let names else { return .content }
            return change.name.map(names.contains) == true ? .place : nil
        }
    }

    /// What there is to watch now. Of the folders on the way to a store, that they stay what they are, and of the last
    /// one only what comes into being there, or goes, under the store's name: what others write in it wakes nobody.
    package var places: [Place] { paths.flatMap { Self.places(of: $0.path) } }

    private static func places(of path: String) -> [Place] {
        let parts = path.split(separator: "/").map(String.init)
        guard let last = parts.last else { return [content("/")] }
        var places: [Place] = []
        var folder = ""
        for part in parts.dropLast() {
            let next = "\(folder)/\(part)"
            guard FileSystem.exists(next) else {
                // When that is there, the next one is waited for.
                places.append(Place(path: folder.isEmpty ? "/" : folder, changes: [.created, .movedIn], names: [part]))
                return places
            }
            places.append(Place(path: next, changes: [.removedItself, .movedItself], names: []))
            folder = next
        }
        let names = Set(endings.map { last + $0 })
        places.append(
            Place(
                path: folder.isEmpty ? "/" : folder, changes: [.created, .movedIn, .removed, .movedAway], names: names))
        return places + endings.map { path + $0 }.filter(FileSystem.exists).map(content)
    }

    /// A file, or a folder with files. Some keep a file open for good, and write into it.
    private static func content(_ path: String) -> Place {
        let changes: Inotify.Changes = [.created, .movedIn, .written, .modified, .removed, .movedAway]
        return Place(path: path, changes: changes.union([.removedItself, .movedItself]), names: nil)
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
