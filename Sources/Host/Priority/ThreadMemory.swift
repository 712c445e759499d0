package import LinuxSystem
package import Model

/// What the threads of an app were when it got less of the machine, as far as it differs from what any thread is. In a
/// file, written before they are changed: also the next daemon gives back what this one took.
package struct ThreadMemory: Hashable {
    package struct Thread: Hashable {
        package var id: CInt
        /// With its number this names a thread for ever.
        package var start: UInt64
        package var scheduling: Scheduling
        package var disk: DiskPriority

        package init(id: CInt, start: UInt64, scheduling: Scheduling, disk: DiskPriority) {
            self.id = id
            self.start = start
            self.scheduling = scheduling
            self.disk = disk
        }
    }

    /// What they are being given, or have.
    package var level: AppPriority
    package var threads: [Thread] = []
    /// Sessions of the app, by the process that was asked, whose nice value it had set itself.
    package var sessions: [CInt: Int32] = [:]

    package init(level: AppPriority) { self.level = level }

    package func thread(_ id: CInt, start: () -> UInt64?) -> Thread? {
        guard let known = threads.first(where: { $0.id == id }), known.start == start() else { return nil }
        return known
    }

    // MARK: The file

    /// `nil` when there is none, or it is damaged: then nothing was taken, or nobody knows what.
    package init?(path: String) {
        guard let bytes = FileSystem.read(path, limit: 1 << 22) else { return nil }
        self.init(text: String(decoding: bytes, as: UTF8.self))
    }

    package init?(text: String) {
        let lines = text.split(separator: "\n")
        guard let name = lines.first, let level = AppPriority.allCases.first(where: { $0.name == name }) else {
            return nil
        }
        self.level = level
        for line in lines.dropFirst() {
            let words = line.split(separator: " ")
            let numbers = words.dropFirst().compactMap { Int64($0) }
            if words.first == "session", numbers.count == 2 {
                sessions[CInt(truncatingIfNeeded: numbers[0])] = Int32(truncatingIfNeeded: numbers[1])
            } else if words.first == "thread", let thread = Self.thread(numbers) {
                threads.append(thread)
            } else {
                return nil
            }
        }
    }

    private static func thread(_ numbers: [Int64]) -> Thread? {
        guard numbers.count == 10 else { return nil }
        var scheduling = Scheduling(
            policy: UInt32(truncatingIfNeeded: numbers[2]), nice: Int32(truncatingIfNeeded: numbers[4]),
            priority: UInt32(truncatingIfNeeded: numbers[5]))
        scheduling.flags = UInt64(bitPattern: numbers[3])
        scheduling.runtime = UInt64(bitPattern: numbers[6])
        scheduling.deadline = UInt64(bitPattern: numbers[7])
        scheduling.period = UInt64(bitPattern: numbers[8])
        return Thread(
            id: CInt(truncatingIfNeeded: numbers[0]), start: UInt64(bitPattern: numbers[1]), scheduling: scheduling,
            disk: DiskPriority(value: Int32(truncatingIfNeeded: numbers[9])))
    }

    package var text: String {
        var lines = [level.name]
        for (process, nice) in sessions.sorted(by: { $0.key < $1.key }) { lines.append("session \(process) \(nice)") }
        for thread in threads {
            let what = thread.scheduling
            let numbers: [Int64] = [
                Int64(thread.id), Int64(bitPattern: thread.start), Int64(what.policy), Int64(bitPattern: what.flags),
                Int64(what.nice), Int64(what.priority), Int64(bitPattern: what.runtime),
                Int64(bitPattern: what.deadline), Int64(bitPattern: what.period), Int64(thread.disk.value),
            ]
            lines.append("thread " + numbers.map(String.init).joined(separator: " "))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Not forced to the disk: what it tells of does not outlive the machine either.
    package func write(to path: String) throws(SystemError) {
        let file = try Descriptor.open(path + ".new", .write, create: 0o600, truncate: true)
        try file.writeAll(Array(text.utf8))
        try FileSystem.rename(path + ".new", to: path)
    }
}
