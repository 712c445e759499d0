package import LinuxSystem

/// The kernel's watches of what apps share. A store that is not there yet is waited for in the folder in which the next
/// part of its path has to appear, so that one that is made later is found when it is made.
package struct StoreWatches: Sendable {
    /// Of its own: two watches of one folder are the same to the kernel, and the second one's changes would take the
    /// place of the first one's.
    private let inotify: Inotify
    private let stores: SharedStores
    private var places: [CInt: [SharedStores.Place]] = [:]

    /// While it watches, what it watches may change. More than a few times is somebody's doing, and then the next
    /// change is awaited.
    private static let tries = 8

    /// `nil`: there are none, or the kernel has no room.
    package init?(_ stores: SharedStores) {
        guard !stores.isEmpty, let inotify = try? Inotify() else { return nil }
        self.inotify = inotify
        self.stores = stores
    }

    package var descriptor: Descriptor { inotify.descriptor }

    /// Watches what there is now. Reads folders, so it is a worker's.
    package mutating func arm() {
        var wanted = stores.places
        for _ in 0..<Self.tries {
            arm(wanted)
            let now = stores.places
            if now == wanted { return }
            wanted = now
        }
    }

    private mutating func arm(_ wanted: [SharedStores.Place]) {
        var armed: [CInt: [SharedStores.Place]] = [:]
        for (path, places) in Dictionary(grouping: wanted, by: \.path) {
            guard let watch = try? inotify.watch(path, for: Self.changes(places)) else { continue }
            // Another path of the same folder: it was watched for that one's changes alone for a moment.
            if let others = armed[watch] { _ = try? inotify.watch(path, for: Self.changes(places + others)) }
            armed[watch, default: []] += places
        }
        for watch in places.keys where armed[watch] == nil { inotify.stop(watch) }
        places = armed
    }

    private static func changes(_ places: [SharedStores.Place]) -> Inotify.Changes {
        places.reduce([]) { $0.union($1.changes) }
    }

    /// What has happened since the last time; `nil`: nothing to a store.
    package func news() -> SharedStores.News? {
        let news = ((try? inotify.read()) ?? []).compactMap { change -> SharedStores.News? in
            if change.changes.contains(.overflow) { return .place }
            // A worker has begun it, or ended it: what that has found is on its way.
            guard let known = places[change.watch] else { return change.changes == .ignored ? nil : .place }
            let news = known.compactMap { $0.news(change) }
            return news.contains(.place) ? .place : news.first
        }
        return news.contains(.place) ? .place : news.first
    }
}
