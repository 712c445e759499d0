internal import Model

/// The disk that holds the apps' files, each app by its place.
package struct SimulatedDisk {
    package let total: Int64
    /// Files that the user would miss.
    private var documents: [Int: Int64] = [:]
    /// Files that an app can make or load again: `Library/Caches` and `tmp`.
    private var caches: [Int: Int64] = [:]
    private var writes: [(place: Int, at: Instant, bytes: Int64)] = []
    /// The level that the daemon told the Core last.
    var told = DiskLevel.roomy
    var isLookDue = false

    /// The host knows which files changed within this time.
    private static let recently = Span.seconds(60)

    init(total: Int64) { self.total = total }

    package var free: Int64 { max(0, total - documents.values.reduce(0, +) - caches.values.reduce(0, +)) }

    package func caches(of place: Int) -> Int64 { caches[place] ?? 0 }

    func bytes(of place: Int) -> Int64 { (documents[place] ?? 0) + caches(of: place) }

    func changed(by place: Int, at now: Instant) -> Int64 {
        writes.reduce(0) { $1.place == place && now - $1.at <= Self.recently ? $0 + $1.bytes : $0 }
    }

    /// Writes as much as there is room for.
    mutating func write(_ bytes: Int64, by place: Int, isCache: Bool, at now: Instant) {
        let written = min(max(0, bytes), free)
        guard written > 0 else { return }
        if isCache { caches[place, default: 0] += written } else { documents[place, default: 0] += written }
        writes.removeAll { now - $0.at > Self.recently }
        writes.append((place, now, written))
    }

    /// - Returns: bytes that are free again.
    mutating func emptyCaches(of place: Int) -> Int64 { caches.removeValue(forKey: place) ?? 0 }

    /// The app is gone from the device, with its files.
    mutating func forget(_ place: Int) {
        documents[place] = nil
        caches[place] = nil
        writes.removeAll { $0.place == place }
    }
}
