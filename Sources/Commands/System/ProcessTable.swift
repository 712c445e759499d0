internal import LinuxSystem

/// All processes at one moment.
struct ProcessTable {
    private let stats: [Int32: ProcFS.Stat]

    init() {
        let numbers = FileSystem.names(in: "/proc").compactMap { Int32($0) }
        let pairs = numbers.compactMap { number in Self.stat(number).map { (number, $0) } }
        stats = Dictionary(pairs) { $1 }
    }

    static func stat(_ process: Int32) -> ProcFS.Stat? {
        Files.text("/proc/\(process)/stat").flatMap(ProcFS.parseStat)
    }

    /// The processes that hold the terminals of the apps of one system.
    static func terminalHolders(below folder: String) -> [RecordedProcess] {
        FileSystem.names(in: "/proc").compactMap { Int32($0) }.compactMap { number in
            // What it was started with lies in its own memory, and who reads that can be made to wait there for ever:
            // only that of Greenroom's own program is read.
            guard FileSystem.linkTarget("/proc/\(number)/exe")?.contains("/greenroom-keeper") == true,
                let bytes = Files.bytes("/proc/\(number)/cmdline", limit: 65_536)
            else { return nil }
            let arguments = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            guard arguments.count == 3, arguments[0].hasSuffix("greenroom-keeper"), arguments[1] == "terminal",
                arguments[2].hasPrefix(folder + "/")
            else { return nil }
            return RecordedProcess(pid: number, startTime: stat(number)?.startTime)
        }
    }

    /// By a signal; as a whole where its first thread has ended.
    func isStopped(_ process: Int32) -> Bool {
        guard let stat = stats[process] else { return false }
        return stat.hasDeadLeader ? !stat.isOver && ProcFS().isStopped(process) : stat.state == "T"
    }

    subscript(process: Int32) -> ProcFS.Stat? { stats[process] }

    /// The living processes that a session's or group's leader began, and what descends from them.
    func tree(of leader: Int32) -> [Int32] {
        var members = Set(
            stats.filter { $0.key == leader || $0.value.session == leader || $0.value.group == leader }.keys)
        var grew = true
        while grew {
            let children = stats.filter { members.contains($0.value.parent) && !members.contains($0.key) }
            members.formUnion(children.keys)
            grew = !children.isEmpty
        }
        return members.filter { stats[$0].map { !$0.isOver } ?? false }.sorted()
    }
}
