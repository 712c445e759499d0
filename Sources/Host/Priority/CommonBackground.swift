internal import LinuxSystem
internal import Model

/// One group of the v1 hierarchy for all that runs in the background. The scheduler gives each group its turns: with a
/// share of its own each, thirty groups that want little have thirty turns, of milliseconds, before it is the screen's
/// turn again. Together they are one that waits, and that whoever wakes on the screen takes the processor from.
///
/// To move a process takes the kernel about ten milliseconds, in which no group of the machine can be frozen or thawed,
/// and longer while others fork. So only an app that stays in the background is moved, unless it has many processes,
/// and on a worker. What has to be quick is quick: the app's own group is told first (`GroupShares`), and before an app
/// is taken out again the common group is `lift`ed.
struct CommonBackground: Sendable {
    private let group: String
    private let own: LegacyShares

    init(_ own: LegacyShares, system: String) {
        self.own = own
        // No app is called that: it is no identifier.
        group = "\(system)-~background"
    }

    /// Forks under way show up in a later round.
    private static let rounds = 16
    /// An app that has more has its turns alone: to move them all would hold up what is opened meanwhile.
    private static let mostProcesses = 16

    /// Moves all processes of the app here, if they are few.
    func takeIn() {
        guard Cgroup.processes(at: own.group).count <= Self.mostProcesses, make() else { return }
        move(from: own.group, to: group) { _ in true }
    }

    /// For a moment what is in the background has as much as any other, and so has the app that is on its way out.
    func lift() { setIdle(false) }

    /// Moves those processes of an app back; then what is left gives way again.
    func letGo(_ processes: @Sendable () -> [CInt]) {
        defer { setIdle(true) }
        let members = processes()
        move(from: group, to: own.group) { members.contains($0) }
    }

    private func make() -> Bool {
        guard !FileSystem.exists(group) else { return true }
        do throws(SystemError) {
            try FileSystem.makeDirectory(group, mode: 0o755)
        } catch {
            Diagnostics.write("apps in the background have groups of their own: \(error)")
            return false
        }
        setIdle(true)
        return true
    }

    /// Before Linux 5.15 no group can be idle: then it has as little as one app.
    private func setIdle(_ isIdle: Bool) {
        guard FileSystem.exists(group + "/cpu.idle") else {
            let shares = GroupShares.legacyShares
            try? Cgroup.write(isIdle ? shares.low : shares.ordinary, to: group + "/cpu.shares")
            return
        }
        try? Cgroup.write(isIdle ? "1" : "0", to: group + "/cpu.idle")
    }

    private func move(from source: String, to target: String, _ isMoved: (CInt) -> Bool) {
        var refused: Set<CInt> = []
        for _ in 0..<Self.rounds {
            let found = Cgroup.processes(at: source).filter { isMoved($0) && !refused.contains($0) }
            if found.isEmpty { return }
            for process in found {
                // It has ended, or has a real-time thread that the other group has no time for.
                do throws(SystemError) {
                    try Cgroup.write("\(process)", to: target + "/cgroup.procs")
                } catch {
                    refused.insert(process)
                }
            }
        }
    }
}
