internal import LinuxSystem
internal import Model
internal import Wire

/// The processes of the apps, where no cgroup holds them together: each app's first process, which `run/ID/birth`
/// names, with its session and all that descends from it.
struct RecordedGroups {
    private struct Group {
        let app: String
        let leader: RecordedProcess
    }

    private let groups: [Group]

    private static let interval = Model.Span.milliseconds(20)

    init(home: GreenroomHome) {
        groups = Files.folders(in: home.runFolder).compactMap { app in
            RecordedProcess(file: "\(home.runFolder)/\(app)/birth").map { Group(app: app, leader: $0) }
        }
    }

    /// The apps that have processes, and these.
    private var living: [(app: String, processes: [RecordedProcess], stopped: [RecordedProcess])] {
        guard !groups.isEmpty else { return [] }
        let table = ProcessTable()
        return groups.compactMap { group in
            let processes = members(of: group, table).map { RecordedProcess(pid: $0, startTime: table[$0]?.startTime) }
            guard !processes.isEmpty else { return nil }
            return (group.app, processes, processes.filter { table.isStopped($0.pid) })
        }
    }

    var isEmpty: Bool { living.isEmpty }

    /// The number may have been given to another process since. The leader is known by its start, or by what Greenroom
    /// put into its environment; where it is gone, each process has to be known by that.
    private func members(of group: Group, _ table: ProcessTable) -> [Int32] {
        let all = table.tree(of: group.leader.pid)
        let isTheSame =
            group.leader.startTime.map { $0 == table[group.leader.pid]?.startTime }
            ?? isMarked(group.leader.pid, group.app)
        return isTheSame ? all : all.filter { isMarked($0, group.app) }
    }

    private func isMarked(_ process: Int32, _ app: String) -> Bool {
        let mark = Array("\(AppEnvironment.app)=\(app)".utf8)
        let environment = Files.bytes("/proc/\(process)/environ", limit: 1 << 20) ?? []
        return environment.split(separator: 0).contains { $0.elementsEqual(mark) }
    }

    /// Continues what is stopped; returns the names of the apps.
    func thaw() -> [String] {
        let frozen = living.filter { !$0.stopped.isEmpty }
        for process in frozen.flatMap(\.stopped) { process.send(Signal.resume) }
        return frozen.map(\.app)
    }

    /// Kills all of them; returns how many processes there were.
    func kill(within time: Model.Span) throws(CommandFailure) -> Int {
        var left = living
        let count = left.reduce(0) { $0 + $1.processes.count }
        let limit = TimeLimit(in: time)
        while !left.isEmpty {
            guard !limit.isOver else {
                throw .failed("these apps do not end: \(left.map(\.app).joined(separator: ", "))")
            }
            for process in left.flatMap(\.processes) { process.send(Signal.kill) }
            Poll.wait(for: -1, atMost: min(limit.left, Self.interval))
            left = living
        }
        return count
    }
}
