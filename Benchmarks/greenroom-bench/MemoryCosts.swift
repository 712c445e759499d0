internal import LinuxSystem
internal import Wire

/// What memory costs, on a system with a budget of its own and real apps that fill it.
struct MemoryCosts {
    /// Megabytes.
    static let budget = 2048

    let system: RunningSystem
    let tool: Tool

    private func open(_ app: String) throws { try tool.ask(.open, ["app": .string(app)]) }
    private func close(_ app: String) throws { try tool.ask(.close, ["app": .string(app)]) }
    private func home() throws { try tool.ask(.home) }

    private func process(of app: String) throws -> PidFD {
        guard case .array(let apps) = try tool.ask(.apps),
            let found = try apps.first(where: { try $0.string("app") == app }), let pid = try found.optionalInt("pid")
        else { throw BenchError("\(app) has no process") }
        return try PidFD(CInt(pid))
    }

    private func last() throws -> Int { try system.log(with: tool).last?.sequence ?? 0 }

    /// What the log has after one entry and up to another one, which is waited for.
    private func entries(until event: String, of app: String, after: Int) throws -> [LoggedEvent] {
        let end = Clock.monotonic() + 20_000_000_000
        while Clock.monotonic() < end {
            let news = try system.log(with: tool, after: after)
            if let place = news.firstIndex(where: { $0.event == event && $0.app == app }) {
                return Array(news[...place])
            }
            pause(milliseconds: 10)
        }
        throw BenchError("\(app): \(event) did not come")
    }

    // MARK: 1 GB back

    /// From the decision, as the log has it, to the moment when nothing of a suspended app with 1 GB is left; and of a
    /// bare process from SIGKILL on, which process_mrelease follows.
    func endings(rounds: Int) throws -> (back: Samples, bare: Samples) {
        let large = try system.install(2001, with: tool, does: "dirty=1024")
        let growing = try system.install(2002, with: tool, does: "dirty=700 every=1 most=800")
        var (back, bare) = (Samples(), Samples())
        for _ in 0..<rounds {
            bare.append(try BareHolder("dirty=1024").end())
            let before = try last()
            try open(large)
            let process = try process(of: large)
            try home()
            _ = try entries(until: "suspended", of: large, after: before)
            try open(growing)
            guard process.waitUntilDead(milliseconds: 20_000) else { throw BenchError("\(large) does not end") }
            let gone = Clock.wall()
            let entries = try self.entries(until: "terminated", of: large, after: before)
            // As it gets better, the log tells of each step as well.
            guard let decision = entries.first(where: { $0.reason?.contains("(critical)") == true }) else {
                throw BenchError("\(large) ended for another reason")
            }
            back.append(decision.nanoseconds(untilWall: gone))
            try close(growing)
        }
        return (back, bare)
    }

    // MARK: Without asking

    /// Nanoseconds for 512 MB of purgeable memory: from the shortage to what the log says was taken; and of a bare
    /// process by the same call alone.
    func reclaims(rounds: Int) throws -> (taken: Samples, bare: Samples) {
        let cache = try system.install(2003, with: tool, does: "purgeable=512")
        let growing = try system.install(2004, with: tool, does: "dirty=1000 every=1 most=200")
        var (taken, bare) = (Samples(), Samples())
        for _ in 0..<rounds {
            let holder = try BareHolder("purgeable=512")
            let start = Clock.monotonic()
            try ProcessMemory.pageOut(holder.process, files: true)
            bare.append(Clock.monotonic() - start)
            _ = try holder.end()
            let before = try last()
            try open(cache)
            try home()
            _ = try entries(until: "suspended", of: cache, after: before)
            try open(growing)
            let entries = try self.entries(until: "reclaimed", of: cache, after: before)
            guard let short = entries.last(where: { $0.event == "memoryShort" }), let end = entries.last else {
                throw BenchError("\(cache) lost its memory for another reason")
            }
            taken.append(end.since(short))
            try close(growing)
            try close(cache)
        }
        return (taken, bare)
    }

    // MARK: Looking

    /// Shares of one processor that daemon and keeper use with 50 apps.
    struct Looking {
        var idle = 0.0
        /// One app on screen that grows by 1 MB a second, just above a mark.
        var nearMark = 0.0
        /// The same while memory is short, and nobody can give any.
        var short = 0.0
    }

    func looking(seconds: Int) throws -> Looking {
        let footprint = try Footprint(system, tool)
        for number in 1..<50 {
            let before = try last()
            // One of them is large, so that what is left does not exceed the limit of a single app.
            let app = try system.install(number, with: tool, does: number == 1 ? "dirty=600" : "")
            try open(app)
            try home()
            _ = try entries(until: "suspended", of: app, after: before)
        }
        // Worker threads that have nothing to do end after some seconds.
        pause(milliseconds: 12_000)
        var looking = Looking()
        looking.idle = try share(footprint, seconds)
        looking.nearMark = try share(footprint, seconds, 2005, above: 200, by: 12 + seconds)
        looking.short = try share(footprint, seconds, 2006, above: 150, by: -10)
        return looking
    }

    private func share(_ footprint: Footprint, _ seconds: Int) throws -> Double {
        Double(try footprint.activity(seconds: seconds).processorTime) / Double(seconds) / 1e7
    }

    /// With an app that leaves so many megabytes more than a mark.
    private func share(_ footprint: Footprint, _ seconds: Int, _ number: Int, above mark: Int, by room: Int) throws
        -> Double
    {
        let available = Int(try tool.ask(.memory).int("available") >> 20)
        let dirty = available - Self.budget * mark / 1000 - room
        let app = try system.install(number, with: tool, does: "dirty=\(dirty) every=1000 most=600")
        try open(app)
        // What its launch and the crossing set off is over.
        pause(milliseconds: 1_000)
        let used = try share(footprint, seconds)
        _ = try process(of: app)
        try close(app)
        return used
    }
}
