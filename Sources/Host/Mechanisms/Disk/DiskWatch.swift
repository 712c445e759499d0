internal import LinuxSystem
internal import Model
internal import PolicyCore

/// Watches the room on the home's disk, which every app can fill: where the file system has no quota for a container,
/// the app that takes the last of it ends (`docs/TERMINATION.md`). Apps that stand still write nothing, so nothing is
/// looked at while none runs.
final class DiskWatch {
    private unowned let host: Host
    private let folder: Descriptor
    private var isPolling = false
    private var isMeasuring = false
    /// What apps had when room began to be short: what they have more of since they have written.
    private var before: [AppIndex: (generation: Generation, bytes: Int64)] = [:]
    private var measuredAt: Int64 = 0
    private var renewedAt: Int64 = 0

    /// Bytes a second that a disk takes, at most.
    private static let fastest: Int64 = 4 << 30
    private static let (shortest, longest): (Int64, Int64) = (50_000_000, 5_000_000_000)
    /// Nanoseconds between two looks at the trees of apps that run, while room is short.
    private static let pause: Int64 = 1_000_000_000
    private static let renewal: Int64 = 30_000_000_000
    /// Without an earlier look, what was changed in so many seconds was written.
    private static let recently: Int64 = 60

    init?(_ host: Host) {
        guard let folder = try? Descriptor.open(host.home.path, .directory) else { return nil }
        self.host = host
        self.folder = folder
        renew()
    }

    /// Before the loop waits: whether somebody runs that could write.
    func settle() {
        guard !isPolling, !host.runningApps.isEmpty else { return }
        isPolling = true
        poll()
    }

    private func poll() {
        guard !host.runningApps.isEmpty, let space = try? folder.space() else {
            isPolling = false
            before = [:]
            return
        }
        let mark = DiskSpace.mark(of: space.total)
        if space.free >= 4 * mark {
            before = [:]
            if Clock.boot() - renewedAt > Self.renewal { renew() }
        } else if space.free < mark || before.isEmpty {
            measure(isShort: space.free < mark)
        }
        let leisure = max(0, space.free - 4 * mark) * 1000 / (Self.fastest / 1_000_000)
        let next = min(max(leisure, Self.shortest), Self.longest)
        host.loop.after(nanoseconds: next) { [weak self] in self?.poll() }
    }

    private func renew() {
        renewedAt = Clock.boot()
        host.workers.run(.trees) { DiskReserve.renew() }
    }

    // MARK: Who writes

    private struct Look: Sendable {
        let app: AppIndex
        let generation: Generation
        let places: [String]
    }

    private func measure(isShort: Bool) {
        guard !isMeasuring, Clock.boot() - measuredAt > Self.pause else { return }
        isMeasuring = true
        let looks = host.runningApps.compactMap { app in
            app.process.map {
                let name = app.installation.identifier
                let places = [host.home.container(name), host.home.run(name)]
                return Look(app: app.index, generation: $0.generation, places: places)
            }
        }
        let since = Clock.wall() / 1_000_000_000 - Self.recently
        host.workers.run(.trees) {
            looks.map { look in
                (look, look.places.reduce(.zero) { $0 + FileSystem.diskUsage(of: $1, changedSince: since) })
            }
        } then: { [weak self] found in
            guard let self else { return }
            isMeasuring = false
            measuredAt = Clock.boot()
            if isShort { endWriter(found) }
            for (look, usage) in found where before[look.app]?.generation != look.generation {
                before[look.app] = (look.generation, usage.bytes)
            }
        }
    }

    private func endWriter(_ found: [(Look, FileSystem.Usage)]) {
        guard let space = try? folder.space() else { return }
        let mark = DiskSpace.mark(of: space.total)
        // Somebody made room meanwhile.
        guard space.free < mark else { return }
        let written = found.map { look, usage in
            let known = before[look.app].flatMap { $0.generation == look.generation ? $0.bytes : nil }
            return (look, bytes: known.map { usage.bytes - $0 } ?? usage.changed)
        }
        guard let most = written.max(by: { $0.bytes < $1.bytes }), most.bytes >= mark / 2 else { return }
        host.post(
            .disk(.filled(DiskUse(written: most.bytes, free: space.free))), of: most.0.app, most.0.generation)
    }
}
