internal import LinuxSystem
internal import Model
internal import Storage

/// What the database has of a system when its daemon starts.
struct Inventory: Sendable {
    struct Entry: Sendable {
        let installation: Installation
        let isExempt: Bool
        let isRefreshOff: Bool
    }

    let store: Store
    let apps: [Entry]
    /// The apps that the user chose for schemes.
    let schemes: [String: String]
    /// The highest number that an entry of the log has, or had.
    let lastSequence: UInt64

    init(_ home: Home) throws {
        let store = try Store(path: home.database) { DiskReserve.giveUp() }
        if let lost = store.setAside { Diagnostics.write("the database was damaged; it is kept as \(lost)") }
        if let count = try? store.removeImpossibleEntries(), count > 0 {
            Diagnostics.write("\(count) log entries had numbers that no log gets to; they were removed")
        }
        self.store = store
        let settings = (try? store.settings(beginning: Host.refreshKey(""))) ?? [:]
        apps = try store.apps().compactMap { stored in
            guard let installation = try? Installation(json: Array(stored.manifest.utf8)) else { return nil }
            let isOff = settings[Host.refreshKey(installation.identifier)] == "off"
            return Entry(installation: installation, isExempt: stored.isExempt, isRefreshOff: isOff)
        }
        schemes = Dictionary(
            try store.settings(beginning: Host.schemePrefix).map {
                (String($0.key.dropFirst(Host.schemePrefix.count)), $0.value)
            }
        ) { first, _ in first }
        lastSequence = UInt64(max(0, try store.lastSeq()))
    }
}
