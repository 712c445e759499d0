internal import LinuxSystem
internal import Model

/// Brings processes back that left the cgroup of their app.
///
/// Apps and libraries that reach the user's service manager ask it to move processes into new scopes. There the
/// processes would not be suspended, counted and ended with their app.
final class StrayWatch {
    private struct Suspect: Sendable {
        let app: AppIndex
        let generation: Generation
        let name: String
        let owner: Stray.Owner
    }

    private struct Found: Sendable {
        let stray: Stray
        /// Why it could not be moved.
        let failure: SystemError?
    }

    private unowned let host: Host
    /// One look at a time, at most half of the time.
    private lazy var looks = SharedWork<Void>(
        clock: Clock.monotonic, soon: { [unowned host] in host.loop.soon($0) },
        later: { [unowned host] in _ = host.loop.after(nanoseconds: $0, $1) },
        work: { [unowned self] in look(then: $0) })
    /// The strays that the log has. One that cannot be moved is found again by each look.
    private var told: Set<Stray> = []
    private static let mostTold = 1024

    init(_ host: Host) { self.host = host }

    /// When a look was asked for last.
    private var askedAt: Int64 = 0
    /// A look goes through all processes of the machine, whichever app it is asked for.
    private static let pause: Int64 = 2_500_000_000

    /// An app runs and is checked, as each is every few seconds.
    func appIsChecked() {
        if Clock.monotonic() - askedAt >= Self.pause { appIsSuspended() }
    }

    /// An app is about to be frozen.
    func appIsSuspended() {
        guard host.environment.hasUserManager else { return }
        askedAt = Clock.monotonic()
        looks.ask {}
    }

    /// The group of an app is empty, although its first process has not ended. It may be about to end, or has left.
    func groupIsEmpty(_ index: AppIndex) {
        guard let suspect = suspect(index), Stray.isElsewhere(suspect.owner.first, suspect.owner) else { return }
        looks.ask {}
    }

    private func suspect(_ index: AppIndex) -> Suspect? {
        guard let app = host.host(index), let process = app.process, let first = process.first,
            let group = host.environment.cgroupPath(app.installation.identifier)
        else { return nil }
        let owner = Stray.Owner(group: group, first: first.pid, isFirstAlive: !first.isDead)
        return Suspect(
            app: index, generation: process.generation, name: app.installation.identifier, owner: owner)
    }

    private func look(then done: @escaping (()) -> Void) {
        let suspects = host.awake.inOrder.compactMap(suspect)
        host.workers.run(.slow) {
            let strays = Stray.find(of: suspects.map(\.owner))
            return zip(suspects, strays).map { suspect, strays in
                strays.map { stray in
                    do throws(SystemError) {
                        try stray.bringBack(to: suspect.owner.group)
                        return Found(stray: stray, failure: nil)
                    } catch {
                        return Found(stray: stray, failure: error)
                    }
                }
            }
        } then: { [weak self] found in
            for (suspect, strays) in zip(suspects, found) { self?.note(strays, of: suspect) }
            done(())
        }
    }

    private func note(_ strays: [Found], of app: Suspect) {
        if told.count > Self.mostTold { told = [] }
        let new = strays.filter { told.insert($0.stray).inserted }
        if let first = new.first {
            let others = new.count == 1 ? "" : " and \(new.count - 1) others"
            let end = first.failure.map { "cannot be brought back, so it is not suspended: \($0)" } ?? "is back"
            Diagnostics.write(
                "\(app.name): its process \(first.stray.pid)\(others) had left for \(first.stray.place) and \(end)")
        }
        guard !strays.isEmpty, let process = host.process(app.app, app.generation) else { return }
        // It was frozen without them.
        if process.standing != nil { process.stands() }
        if process.killedAt != nil { end(strays, of: app) }
    }

    /// The group of an app was killed while some of its processes were elsewhere.
    private func end(_ strays: [Found], of app: Suspect) {
        if strays.contains(where: { $0.failure == nil }) { host.kill(app.app, app.generation) }
        for found in strays where found.failure != nil {
            do throws(SystemError) {
                try found.stray.kill()
            } catch {
                Diagnostics.write("\(app.name): its process \(found.stray.pid) cannot be killed: \(error)")
            }
        }
    }
}
