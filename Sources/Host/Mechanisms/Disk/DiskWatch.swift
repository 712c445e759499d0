internal import LinuxSystem
internal import Model
internal import PolicyCore

/// Watches the room on the home's disk, which every app can fill, measures what apps have there, and empties caches.
/// The Core decides (`Sources/PolicyCore/Disk`). Suspended apps write nothing, so it rests while no app runs.
final class DiskWatch {
    private unowned let host: Host
    private let folder: Descriptor
    private var isPolling = false
    private var told = (level: DiskLevel.roomy, at: Int64(0))
    private var renewedAt: Int64 = 0

    /// Bytes a second that a disk takes, at most.
    private static let fastest: Int64 = 4 << 30
    private static let (shortest, longest): (Int64, Int64) = (50_000_000, 5_000_000_000)
    /// Nanoseconds between two reports of the same shortage.
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
            return
        }
        sense(space)
        let leisure = DiskSpace.roomLeft(free: space.free, of: space.total) * 1000 / (Self.fastest / 1_000_000)
        let next = min(max(leisure, Self.shortest), Self.longest)
        host.loop.after(nanoseconds: next) { [weak self] in self?.poll() }
    }

    private func sense(_ space: Descriptor.Space, isAsked: Bool = false) {
        let level = DiskSpace.level(free: space.free, of: space.total)
        let now = Clock.boot()
        if level == .roomy, now - renewedAt > Self.renewal { renew() }
        let isDue = isAsked || level != told.level || (level >= .short && now - told.at > Self.pause)
        guard isDue, host.adoption == nil else { return }
        told = (level, now)
        host.post(.room(.sensed(free: space.free, total: space.total)))
    }

    private func renew() {
        renewedAt = Clock.boot()
        host.workers.run(.trees) { DiskReserve.renew() }
    }

    // MARK: For the Core

    private struct Look: Sendable {
        let incarnation: Incarnation
        let places: [String]
    }

    func measure() {
        let looks = host.runningApps.compactMap { app in
            app.process.map {
                let name = app.installation.identifier
                let places = [host.home.container(name), host.home.run(name)]
                return Look(incarnation: Incarnation(app.index, $0.generation), places: places)
            }
        }
        let since = Clock.wall() / 1_000_000_000 - Self.recently
        host.workers.run(.trees) {
            looks.map { look in
                let usage = look.places.reduce(FileSystem.Usage.zero) {
                    $0 + FileSystem.diskUsage(of: $1, changedSince: since)
                }
                return DiskMeasure(look.incarnation, bytes: usage.bytes, changed: usage.changed)
            }
        } then: { [weak self] found in
            // It may be less short by now.
            if let self, let space = try? folder.space() { sense(space, isAsked: true) }
            self?.host.post(.room(.measured(found)))
        }
    }

    /// The folders leave the container before the app can be launched; what is in them is removed later.
    func emptyCaches(of index: AppIndex) {
        guard let app = host.host(index), app.process == nil else { return emptied(index, 0) }
        let trash = Trash(host.home)
        let name = app.installation.identifier
        let folder: String
        do throws(SystemError) {
            folder = try trash.makeFolder(of: name)
        } catch {
            Diagnostics.write("the caches of \(name) cannot be emptied: \(error)")
            return emptied(index, 0)
        }
        do {
            let workshop = try Directory(opening: folder)
            let container = Container(of: name, in: host.home, uid: app.installation.uid, workshop: workshop)
            _ = try container.takeCaches()
        } catch {
            // One of the folders may lie in the trash already.
            Diagnostics.write("the caches of \(name) cannot be emptied: \(error)")
        }
        host.workers.run(.trees) {
            let isEmpty = FileSystem.names(in: folder).allSatisfy { FileSystem.names(in: "\(folder)/\($0)").isEmpty }
            let bytes = isEmpty ? 0 : FileSystem.diskUsage(of: folder)
            // The next daemon removes what this one cannot.
            try? trash.remove(folder)
            return bytes
        } then: { [weak self] bytes in
            self?.emptied(index, bytes)
        }
    }

    /// Posts the answer later: the Core is still at the effect.
    private func emptied(_ index: AppIndex, _ bytes: Int64) {
        host.loop.soon { [weak self] in
            guard let self else { return }
            host.post(.room(.emptied(index, freed: bytes)))
            if let space = try? folder.space() { sense(space, isAsked: true) }
        }
    }
}
