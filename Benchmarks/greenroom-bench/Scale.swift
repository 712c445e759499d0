internal import Glibc
internal import LinuxSystem
internal import Wire

/// What it costs to have many apps: plain programs that sleep, most of them suspended, in one system that grows.
struct Scale {
    /// What is measured at one size. Times in nanoseconds.
    struct Point {
        let size: Int
        var why = Samples()
        var open = Samples()
        var home = Samples()
        var close = Samples()
        /// All apps, however many answers they take.
        var apps = Samples()
        /// The last ones on the way to this size.
        var install = Samples()
        var coldOpen = Samples()
        /// From the end of the daemon to the first answer of the next one, and until it knows of all apps.
        var firstAnswer: Int64 = 0
        var adopted: Int64 = 0
        /// Bytes.
        var daemon: Double = 0
    }

    private let system: RunningSystem
    private let place: String
    private var tool: Tool
    private let rounds: Int
    private var count = 0

    private static let lastOnes = 50
    private static let closed = 20
    private static let program = "/bin/sleep"

    init(_ system: RunningSystem, place: String, rounds: Int) throws {
        self.system = system
        self.place = place
        self.rounds = rounds
        tool = try system.start()
    }

    private static func name(_ number: Int) -> String { "scale\(number)" }

    /// Grows the system to a size, and measures there.
    mutating func measure(_ size: Int) throws -> Point {
        var point = Point(size: size)
        try grow(to: size, &point)
        try tool.ask(.home)
        try awaitRest()
        for _ in 0..<5 { point.apps.append(try listAll().nanoseconds) }
        try measureSwitching(&point)
        try awaitRest()
        try measureRecovery(&point)
        // What recovery took and does not need any more goes back after ten seconds.
        pause(milliseconds: 12_000)
        point.daemon = try Footprint(system, tool).memory()[0]
        return point
    }

    private mutating func grow(to size: Int, _ point: inout Point) throws {
        while count < size {
            let isLast = size - count <= Self.lastOnes
            let path = "\(place)/\(Self.name(count)).desktop"
            let text = """
                [Desktop Entry]
                Type=Application
                Name=\(Self.name(count))
                Exec=\(Self.program) infinity

                """
            try Descriptor.open(path, .write, create: 0o644).writeAll(Array(text.utf8))
            let installed = try tool.time(.install, ["path": .string(path)]).nanoseconds
            let opened = try tool.time(.open, ["app": .string(Self.name(count))]).nanoseconds
            if isLast {
                point.install.append(installed)
                point.coldOpen.append(opened)
            }
            count += 1
        }
    }

    // MARK: All of them

    private func listAll() throws -> (nanoseconds: Int64, apps: [JSONValue]) {
        let start = Clock.monotonic()
        var all: [JSONValue] = []
        while true {
            let params: JSONValue = all.last.flatMap { $0["app"] }.map { ["after": $0] } ?? [:]
            guard case .array(let page) = try tool.ask(.apps, params) else { throw BenchError("apps are no array") }
            all += page
            if page.count < Limits.leastAppsPage || all.count >= count { break }
        }
        let end = Clock.monotonic()
        guard all.count == count else { throw BenchError("of \(count) apps \(all.count) are listed") }
        return (end - start, all)
    }

    private func awaitRest() throws {
        for _ in 0..<600 {
            if try listAll().apps.allSatisfy({ try $0.string("state") == "suspended" }) { return }
            pause(milliseconds: 100)
        }
        throw BenchError("some of the apps are not suspended")
    }

    // MARK: One of them

    private func measureSwitching(_ point: inout Point) throws {
        for _ in 0..<rounds {
            let params: JSONValue = ["app": .string(Self.name(Int.random(in: 0..<count)))]
            point.why.append(try tool.time(.why, params).nanoseconds)
            point.open.append(try tool.time(.open, params).nanoseconds)
            point.home.append(try tool.time(.home).nanoseconds)
            pause(milliseconds: 5)
        }
        for number in (0..<count).shuffled().prefix(Self.closed) {
            let params: JSONValue = ["app": .string(Self.name(number))]
            point.close.append(try tool.time(.close, params).nanoseconds)
            try tool.ask(.open, params)
            try tool.ask(.home)
        }
    }

    // MARK: Recovery

    private mutating func measureRecovery(_ point: inout Point) throws {
        let daemon = try PidFD(CInt(tool.ask(.status).int("pid")))
        let start = Clock.monotonic()
        try daemon.send(SIGKILL)
        _ = daemon.waitUntilDead(milliseconds: 5_000)
        tool = try awaitAnswer(["app": .string(Self.name(count - 1))], since: start, &point)
        while try tool.ask(.status).optionalInt("adopting") != nil { pause(milliseconds: 2) }
        // The Core knows of all: what changes something is answered again.
        try tool.ask(.home)
        point.adopted = Clock.monotonic() - start
    }

    /// A connection made in the moment of the death ends with it.
    private func awaitAnswer(_ params: JSONValue, since start: Int64, _ point: inout Point) throws -> Tool {
        while Clock.monotonic() - start < 60_000_000_000 {
            if let next = try? Tool(system.home + "/control"), (try? next.ask(.why, params)) != nil {
                point.firstAnswer = Clock.monotonic() - start
                return next
            }
            pause(milliseconds: 1)
        }
        throw BenchError("no daemon answers any more")
    }
}

extension Scale.Point {
    /// Beside the same with the smallest size; figures that may not grow with the number of apps have that as their
    /// target, the others what was promised for ten thousand.
    func figures(_ first: Scale.Point) -> [Figure] {
        let others = "with \(first.size)"
        func same(_ what: String, _ part: (Scale.Point) -> Samples) -> Figure {
            let isFirst = first.size == size
            return Figure(
                what: "\(size) apps: \(what) p50", value: part(self).p50, unit: .nanoseconds,
                floor: isFirst ? nil : part(first).p50, against: isFirst ? nil : others,
                target: isFirst ? .none : .ratioAtMost(1.5), samples: part(self).count)
        }
        func most(_ what: String, _ value: (Scale.Point) -> Double, _ limit: Double, _ unit: Figure.Unit) -> Figure {
            Figure(
                what: "\(size) apps: \(what)", value: value(self), unit: unit, floor: value(first), against: others,
                target: .atMost(limit))
        }
        return [
            same("why") { $0.why }, same("open") { $0.open }, same("home") { $0.home }, same("close") { $0.close },
            most("apps p50", { $0.apps.p50 }, 300e6, .nanoseconds),
            most("install p50", { $0.install.p50 }, 15e6, .nanoseconds),
            most("cold open p50", { $0.coldOpen.p50 }, 20e6, .nanoseconds),
            most("kill -9 of the daemon → first answer", { Double($0.firstAnswer) }, 1e9, .nanoseconds),
            most("kill -9 of the daemon → all adopted", { Double($0.adopted) }, 3e9, .nanoseconds),
            most("daemon", { $0.daemon }, Double(80 << 20), .bytes),
        ]
    }
}
