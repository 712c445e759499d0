internal import Glibc
internal import Model

/// The process groups of the apps, where no cgroup holds them together (`run/ID/birth` names each one's leader).
struct RecordedGroups {
    struct Group {
        let app: String
        let leader: RecordedProcess
    }

    private let groups: [Group]
    private static let interval = Span.milliseconds(20)

    init(home: GreenroomHome) {
        groups = Files.folders(in: home.runFolder).compactMap { app in
            RecordedProcess(file: "\(home.runFolder)/\(app)/birth").map { Group(app: app, leader: $0) }
        }
    }

    /// The members of each group that is alive and truly the app's.
    private var living: [(group: Group, members: [ProcessStatus])] {
        guard !groups.isEmpty else { return [] }
        let processes = Dictionary(grouping: ProcessStatus.all, by: \.group)
        return groups.compactMap { group in
            let members = (processes[group.leader.pid] ?? []).filter { !$0.isZombie }
            guard !members.isEmpty, Self.isTheSame(group, members) else { return nil }
            return (group, members)
        }
    }

    /// The number may have been given to another process since: the leader tells by its start. Where that was not
    /// written or the leader is gone, the members tell by what Greenroom put into their environment.
    private static func isTheSame(_ group: Group, _ members: [ProcessStatus]) -> Bool {
        if let started = group.leader.startTime, let leader = ProcessStatus(pid: group.leader.pid) {
            return leader.startTime == started
        }
        let mark = Array("GREENROOM_APP=\(group.app)".utf8)
        return members.contains { member in
            guard member.startTime >= group.leader.startTime ?? 0 else { return false }
            let environment = Files.bytes("/proc/\(member.pid)/environ", limit: 1 << 20) ?? []
            return environment.split(separator: 0).contains { Array($0) == mark }
        }
    }

    var isEmpty: Bool { living.isEmpty }

    /// Continues what is stopped; returns the names of the apps.
    func thaw() -> [String] {
        living.compactMap { group, members in
            guard members.contains(where: { $0.state == "T" }) else { return nil }
            return Glibc.kill(-group.leader.pid, SIGCONT) == 0 ? group.app : nil
        }
    }

    /// Kills all of them; returns how many processes there were.
    func kill(within time: Span) throws(CommandFailure) -> Int {
        let count = living.reduce(0) { $0 + $1.members.count }
        let limit = TimeLimit(in: time)
        while true {
            let left = living
            guard !left.isEmpty else { return count }
            guard !limit.isOver else {
                throw .failed("these apps do not end: \(left.map(\.group.app).joined(separator: ", "))")
            }
            for (group, _) in left { Glibc.kill(-group.leader.pid, SIGKILL) }
            Poll.wait(for: -1, atMost: min(limit.left, Self.interval))
        }
    }
}
