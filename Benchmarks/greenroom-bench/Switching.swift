internal import LinuxSystem
internal import Wire

/// Opening and leaving real apps through the daemon, as seen by a tool and as told by the daemon's log.
struct Switching {
    /// Between two steps, in milliseconds.
    static let rest = 5

    let system: RunningSystem
    let tool: Tool
    let place: String

    struct Times {
        /// `open` → answer, the app having been suspended.
        var open = Samples()
        /// `home` → the kernel says frozen.
        var freeze = Samples()
        /// The log's `openRequested` → `didBecomeActive`.
        var loggedOpen = Samples()
        /// The log's `didEnterBackground` → `suspended`.
        var loggedFreeze = Samples()
        /// `open` → answer, the app not having run.
        var cold = Samples()
        /// The floors, of as many processes without a daemon.
        var rawWake = Samples()
        var rawFreeze = Samples()
    }

    /// The app must not be on screen and frozen.
    func suspend(_ app: String) throws {
        try tool.ask(.open, ["app": .string(app)])
        _ = try home(app, events: try events(of: app))
    }

    /// Goes round the apps, all of which are suspended. Floor, warm and cold opening take turns: whatever else the
    /// machine does disturbs all of them.
    func switches(among apps: [String], rounds: Int, cold: Int, program: String? = nil) throws -> Times {
        var times = Times()
        var opens: [Int64] = []
        var raw: [RawProcess] = []
        defer { for process in raw { process.end() } }
        for number in apps.indices { raw.append(try RawProcess(number, program: program, place: place)) }
        let before = try system.log(with: tool).last?.sequence ?? 0
        for round in 0..<rounds {
            let index = round % apps.count
            let app: JSONValue = ["app": .string(apps[index])]
            pause(milliseconds: Self.rest)
            times.rawWake.append(try raw[index].wake())
            pause(milliseconds: Self.rest)
            times.rawFreeze.append(try raw[index].freeze())
            pause(milliseconds: Self.rest)
            let isCold = round % (rounds / cold) == 0
            if isCold {
                try tool.ask(.close, app)
                pause(milliseconds: Self.rest)
            }
            let opened = try tool.time(.open, app).nanoseconds
            if isCold { times.cold.append(opened) }
            opens.append(opened)
            pause(milliseconds: Self.rest)
            times.freeze.append(try home(apps[index], events: try events(of: apps[index])))
        }
        // The last confirmation has to reach the log.
        pause(milliseconds: 200)
        try readLog(try system.log(with: tool).filter { $0.sequence > before }, opens, into: &times)
        return times
    }

    private func events(of app: String) throws -> Descriptor {
        try Descriptor.open(try system.group(of: app) + "/cgroup.events", .read)
    }

    /// Looks often once the daemon has answered, but leaves the processor to those who are to freeze and be frozen.
    private func home(_ app: String, events: Descriptor) throws -> Int64 {
        let start = Clock.monotonic()
        try tool.ask(.home)
        var buffer = [UInt8](repeating: 0, count: 128)
        while Clock.monotonic() - start < 5_000_000_000 {
            let count = try events.readAt(0, into: &buffer)
            if Cgroup.parseEvents(buffer[..<count]).isFrozen { return Clock.monotonic() - start }
            nap()
        }
        throw BenchError("\(app) was not frozen within 5 s")
    }

    /// An app whose freeze was not confirmed when it was opened is no suspended app: that round does not count, nor
    /// does a cold one.
    private func readLog(_ entries: [LoggedEvent], _ opens: [Int64], into times: inout Times) throws {
        var opened: LoggedEvent?
        var round = -1
        var isResumed = false
        var left: [String: LoggedEvent] = [:]
        for entry in entries {
            switch entry.event {
            case "openRequested":
                opened = entry
                round += 1
                isResumed = false
            case "resumed": isResumed = true
            case "didBecomeActive":
                guard let opened, isResumed, opens.indices.contains(round) else { continue }
                times.open.append(opens[round])
                times.loggedOpen.append(entry.since(opened))
            case "didEnterBackground": if let app = entry.app { left[app] = entry }
            case "suspended":
                guard let app = entry.app, let began = left[app] else { continue }
                times.loggedFreeze.append(entry.since(began))
            default: continue
            }
        }
        guard round == opens.count - 1, times.open.count > opens.count / 2 else {
            throw BenchError("of \(opens.count) apps \(times.open.count) were suspended when they were opened")
        }
    }
}
