internal import Glibc

/// A process that a file names, told from a later one with the same number by when it started.
package struct RecordedProcess: Equatable {
    package let pid: Int32
    /// In clock ticks since boot, as `/proc/PID/stat` has it; `nil` where only the number was written.
    package let startTime: UInt64?

    package init(pid: Int32, startTime: UInt64?) {
        self.pid = pid
        self.startTime = startTime
    }

    /// Fails unless the text is a pid, alone or with a start time.
    package init?(_ text: String) {
        let fields = text.split(whereSeparator: { " \n\t".contains($0) })
        guard let first = fields.first, let pid = Int32(first), pid > 1 else { return nil }
        self.init(pid: pid, startTime: fields.count > 1 ? UInt64(fields[1]) : nil)
    }

    package init?(file: String) {
        guard let text = Files.text(file) else { return nil }
        self.init(text)
    }

    /// True while that very process runs; a zombie does not. One of Greenroom's own programs is known by its name
    /// where the start time was not written.
    package var isAlive: Bool {
        guard let status = ProcessStatus(pid: pid), !status.isZombie else { return false }
        return startTime.map { $0 == status.startTime } ?? status.name.hasPrefix("greenroom")
    }
}

/// What `/proc/PID/stat` says that matters here.
struct ProcessStatus {
    let pid: Int32
    let name: String
    let state: Character
    let group: Int32
    let startTime: UInt64

    var isZombie: Bool { state == "Z" || state == "X" }

    init?(pid: Int32) {
        // The name may hold spaces and parentheses: fields count from the last one.
        guard let text = Files.text("/proc/\(pid)/stat"), let start = text.firstIndex(of: "("),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let state = fields[0].first, let group = Int32(fields[2]),
            let startTime = UInt64(fields[19])
        else { return nil }
        self.pid = pid
        name = String(text[text.index(after: start)..<end])
        self.state = state
        self.group = group
        self.startTime = startTime
    }

    /// Every process that `/proc` shows.
    static var all: [ProcessStatus] {
        Files.names(in: "/proc").compactMap { Int32($0) }.compactMap { ProcessStatus(pid: $0) }
    }
}
