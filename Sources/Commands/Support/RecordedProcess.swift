internal import LinuxSystem

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

    /// True while that very process runs; a zombie does not, unless it is only the first of several threads.
    package var isAlive: Bool {
        guard let stat = ProcessTable.stat(pid), !stat.isOver else { return false }
        if let startTime { return stat.startTime == startTime }
        // Only the number was written: one of Greenroom's own programs is known by its name.
        return Files.text("/proc/\(pid)/comm")?.hasPrefix("greenroom") ?? false
    }

    /// That very process, to wait for its end; `nil` when it was gone.
    var handle: PidFD? {
        guard let process = try? PidFD(pid), isAlive else { return nil }
        return process
    }

    /// Signals that very process, whatever takes its number meanwhile; false when it was gone.
    @discardableResult
    func send(_ signal: Int32) -> Bool {
        guard let process = try? PidFD(pid), isAlive else { return false }
        return (try? process.send(signal)) != nil
    }

    /// Waits for its own end.
    func isDead(within milliseconds: Int32) -> Bool {
        guard let process = try? PidFD(pid), isAlive else { return true }
        return process.waitUntilDead(milliseconds: milliseconds)
    }

    /// Kills that very process and waits until it is dead; false when it was gone.
    func end(milliseconds: Int32) -> Bool {
        guard let process = try? PidFD(pid), isAlive, (try? process.send(Signal.kill)) != nil else { return false }
        return process.waitUntilDead(milliseconds: milliseconds)
    }
}

/// The signals that are sent here.
enum Signal {
    static let kill: Int32 = 9
    static let resume: Int32 = 18
    static let stop: Int32 = 19
}
