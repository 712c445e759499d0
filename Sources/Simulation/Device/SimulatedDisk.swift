internal import Model

/// The disk that holds the apps' files, each app by its place.
package struct SimulatedDisk {
    package let total: Int64
    /// Files that the user would miss.
    private var documents: [Int: Int64] = [:]
    /// Files that an app can make or load again: `Library/Caches` and `tmp`.
    private var caches: [Int: Int64] = [:]
    /// What the apps' transfers received. The service has these files.
    private var received: [Int: Int64] = [:]
    private var writes: [(place: Int, at: Instant, bytes: Int64)] = []
    /// The level that the daemon told the Core last.
    var told = DiskLevel.roomy
    var isLookDue = false

    /// The host knows which files changed within this time.
    static let recently = Span.seconds(60)

    init(total: Int64) { self.total = total }

    package var free: Int64 {
        let used = [documents, caches, received].reduce(0) { $0 + $1.values.reduce(0, +) }
        return max(0, total - used)
    }

    package func caches(of place: Int) -> Int64 { caches[place] ?? 0 }

    func bytes(of place: Int) -> Int64 { (documents[place] ?? 0) + caches(of: place) }

    /// What the app wrote within this time, without its transfers.
    func changed(by place: Int, within span: Span = recently, at now: Instant) -> Int64 {
        writes.reduce(0) { $1.place == place && now - $1.at <= span ? $0 + $1.bytes : $0 }
    }

    /// Writes as much as there is room for.
    mutating func write(_ bytes: Int64, by place: Int, isCache: Bool, at now: Instant) {
        let written = min(max(0, bytes), free)
        guard written > 0 else { return }
        if isCache { caches[place, default: 0] += written } else { documents[place, default: 0] += written }
        // The oracle asks a little later than the Core decides.
        writes.removeAll { now - $0.at > Self.recently + Self.recently }
        writes.append((place, now, written))
    }

    /// Transfers leave room for the apps and the system.
    ///
    /// - Returns: whether there is room for these bytes. Without it none are written.
    mutating func receive(_ bytes: Int64, for place: Int) -> Bool {
        guard free - bytes >= 2 * DiskSpace.mark(of: total) else { return false }
        received[place, default: 0] += bytes
        return true
    }

    /// - Returns: bytes that are free again.
    mutating func emptyCaches(of place: Int) -> Int64 { caches.removeValue(forKey: place) ?? 0 }

    /// The app is gone from the device, with its files.
    mutating func forget(_ place: Int) {
        documents[place] = nil
        received[place] = nil
        caches[place] = nil
        writes.removeAll { $0.place == place }
    }
}
