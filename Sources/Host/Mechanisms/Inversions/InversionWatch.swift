internal import LinuxSystem
internal import Model
internal import PolicyCore

/// Looks for whom the main thread of an app on screen waits, when it was asked and does not answer for a while. An app
/// that answers costs a timer that is taken back.
final class InversionWatch {
    private unowned let host: Host

    private static let patience: Int64 = 1_000_000_000

    init(_ host: Host) { self.host = host }

    func asked(_ index: AppIndex, _ process: AppProcess) {
        answered(process)
        guard host.system.isVisible(index) else { return }
        let generation = process.generation
        process.inversionTimer = host.loop.after(nanoseconds: Self.patience) { [weak self] in
            self?.look(index, generation)
        }
    }

    func answered(_ process: AppProcess) {
        if let timer = process.inversionTimer { host.loop.forget(timer: timer) }
        process.inversionTimer = nil
    }

    private func look(_ index: AppIndex, _ generation: Generation) {
        guard let process = host.process(index, generation) else { return }
        process.inversionTimer = nil
        guard host.system.isVisible(index), let first = process.first else { return }
        let root = host.environment.cgroup?.split(separator: "/").last.map(String.init)
        let look = InversionLook(process: first.pid, processes: process.box.census, root: root)
        host.workers.run(
            .slow, { look.holders() },
            then: { [weak self] row in
                guard let self, host.process(index, generation) != nil,
                    let finding = InversionLook.finding(row, { self.other(at: $0) })
                else { return }
                host.post(.inversions(.seen(finding.inversion, lock: finding.lock)), of: index, generation)
            })
    }

    /// The app that lives there, and why all its threads come later, if they do.
    private func other(at place: String) -> (name: String, rank: PriorityInversion.Rank?)? {
        guard let index = host.app(at: place), host.host(index)?.process != nil, let app = host.system.app(index) else {
            return nil
        }
        return (
            app.manifest.name, app.state == .suspended ? .suspended : app.priority == .background ? .background : nil
        )
    }
}

extension Host {
    /// By the name of its group, or by the number of its session.
    fileprivate func app(at place: String) -> AppIndex? {
        guard let cgroup = environment.cgroup else { return CInt(place).flatMap { appOfProcess[$0] } }
        return environment.app(ofGroup: "\(cgroup)/\(place)").flatMap { AppIdentifier($0) }.flatMap(system.index(of:))
    }
}
