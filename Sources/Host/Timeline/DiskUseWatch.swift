internal import LinuxSystem
internal import Model
internal import PolicyCore

/// What apps read from disks and write to them, for the timeline: every five seconds while they run, and once more when
/// they are frozen. The kernel tells it of each app's cgroup; without the io controller, of each process.
final class DiskUseWatch {
    private struct Use {
        let generation: Generation
        /// Open while the app runs.
        var meter: DiskMeter?
        var processes: CountsSeen<CInt, DiskCount>
        /// `nil`: whatever the group did so far is not of this watch.
        var told: DiskCount?
        var since: Int64
    }

    private enum Reading: Sendable {
        case group(DiskCount?)
        case processes([CInt: DiskCount])
    }

    private unowned let host: Host
    private var uses: [AppIndex: Use] = [:]
    private var ticks: UInt64 = 0

    private static let everyTicks: UInt64 = 5

    init(_ host: Host) { self.host = host }

    /// It runs from now on. `isNew`: it has a new process.
    func begin(_ app: AppIndex, _ generation: Generation, isNew: Bool, since: Int64) {
        if uses[app]?.generation == generation {
            uses[app]?.since = since
            if uses[app]?.meter == nil { uses[app]?.meter = meter(of: app) }
            return
        }
        uses[app] = Use(
            generation: generation, meter: meter(of: app), processes: CountsSeen(isNew: isNew),
            told: isNew ? .zero : nil, since: since)
    }

    private func meter(of app: AppIndex) -> DiskMeter? {
        let group = host.host(app).flatMap { host.environment.cgroupPath($0.installation.identifier) }
        return group.flatMap { try? DiskMeter(group: $0) }
    }

    /// It runs no longer: what it did is known when it has been looked at.
    func leave(_ app: AppIndex, isGone: Bool, _ tell: @escaping (AppIndex, DiskCount, Span) -> Void) {
        if isGone {
            uses[app] = nil
        } else {
            look(at: [app], tell)
            uses[app]?.meter = nil
        }
    }

    /// Once a second while something runs.
    func tick(_ running: [AppIndex], _ tell: @escaping (AppIndex, DiskCount, Span) -> Void) {
        ticks &+= 1
        if ticks % Self.everyTicks == 0 { look(at: running, tell) }
    }

    private func look(at apps: [AppIndex], _ tell: @escaping (AppIndex, DiskCount, Span) -> Void) {
        var looks: [(app: AppIndex, generation: Generation)] = []
        var errands: [(meter: DiskMeter?, census: (@Sendable () -> [CInt])?)] = []
        for app in apps {
            guard let use = uses[app] else { continue }
            looks.append((app, use.generation))
            errands.append((use.meter, host.process(app, use.generation)?.box.census))
        }
        guard !looks.isEmpty else { return }
        host.workers.run(.slow) { [errands] in
            let procFS = ProcFS()
            return errands.map { errand -> Reading in
                if let meter = errand.meter { return .group(meter.read()) }
                let found = (errand.census?() ?? []).compactMap { pid in procFS.diskUse(of: pid).map { (pid, $0) } }
                return .processes(Dictionary(found) { $1 })
            }
        } then: { [weak self] readings in
            let now = Clock.boot()
            for (look, reading) in zip(looks, readings) {
                self?.note(look.app, look.generation, reading, at: now, tell)
            }
        }
    }

    private func note(
        _ app: AppIndex, _ generation: Generation, _ reading: Reading, at now: Int64,
        _ tell: (AppIndex, DiskCount, Span) -> Void
    ) {
        guard var use = uses[app], use.generation == generation else { return }
        let total: DiskCount
        switch reading {
        case .group(nil): return
        case .group(let count?): total = count
        case .processes(let found):
            use.processes.note(found)
            total = use.processes.total
        }
        let did = use.told.map { $0.precedes(total) ? total - $0 : .zero } ?? .zero
        let span = Span(nanoseconds: max(1, now - use.since))
        use.told = total
        use.since = now
        uses[app] = use
        if did != .zero { tell(app, did, span) }
    }
}
