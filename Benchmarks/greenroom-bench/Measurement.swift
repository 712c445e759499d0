internal import LinuxSystem
internal import Model
internal import Wire

/// Everything in one run, in an order in which nothing disturbs what comes later.
struct Measurement {
    let options: Options
    let system: RunningSystem
    var report = Report()
    private let rounds: Int
    private let cold: Int
    let crowd: Int

    init(_ options: Options) {
        self.options = options
        system = RunningSystem(options)
        rounds = options.isQuick ? 200 : 1_000
        cold = options.isQuick ? 10 : 40
        crowd = options.isQuick ? 100 : 1_000
    }

    /// A missed target is told and is no failure of the measurement.
    func run() throws -> CInt {
        var copy = self
        return try copy.measure()
    }

    private mutating func measure() throws -> CInt {
        switch options.only {
        case nil:
            try measureSpeeds()
            try measureVictims()
            try measureMemory()
            try measureSystem()
        case .core:
            try measureCore()
            try measureMechanisms()
            try measureVictims()
        case .simulator: measureSimulator()
        case .footprint:
            let tool = try system.start()
            let footprint = try Footprint(system, tool)
            try measureFootprint(tool, footprint, try footprint.memory())
        case .launches: try measureLaunches()
        case .background:
            let tool = try system.start()
            try measureBackground(tool, Footprint(system, tool))
        case .memory:
            try measureVictims()
            try measureMemory()
        case .waking: try measureWaking()
        case .services: try measureServices()
        case .scale: try measureScale()
        }
        if let file = options.besideFile { try report.readOther(file) }
        print(report.text)
        if let file = options.jsonFile { try report.write(to: file, isQuick: options.isQuick) }
        if report.missed > 0 { print("\n\(report.missed) of the targets are missed.") }
        return 0
    }

    private mutating func measureSpeeds() throws {
        try measureCore()
        measureSimulator()
        try measureMechanisms()
        try measureCosts()
        try measureLaunches()
    }

    private mutating func measureSystem() throws {
        let tool = try system.start()
        let footprint = try Footprint(system, tool)
        pause(milliseconds: 500)
        let empty = try footprint.memory()
        try measureSwitching(tool)
        try measureBackground(tool, footprint)
        try measureFootprint(tool, footprint, empty)
    }

    func say(_ text: String) { StandardError.write("… \(text)\n") }

    // MARK: Without processes

    /// A whole storm day with all invariants and oracles, and without; the floor is the Core alone, in the same run.
    private mutating func measureSimulator() {
        let core = report.figures.last?.value
        for isChecked in [true, false] {
            say("simulated days\(isChecked ? ", every event checked" : "")")
            let speed = SimulatorSpeed(isChecked: isChecked).measure(days: options.isQuick ? 6 : 30)
            let label = isChecked ? "simulated storms, all checks" : "simulated storms"
            report.add(
                Figure(
                    what: "\(label): events", value: speed.events, unit: .perSecond, floor: core,
                    against: "the Core alone", target: isChecked ? .atLeast(300_000) : .none))
            report.add(Figure(what: "\(label): days", value: speed.days, unit: .perSecond))
        }
    }

    private mutating func measureCore() throws {
        say("the Core with 500 resident apps")
        var core = try CoreSpeed(apps: 500)
        // Short batches: most of them pass without anybody else on the processor.
        var speed = Samples()
        for _ in 0..<(options.isQuick ? 500 : 5_000) { speed.append(Int64(core.measure(cycles: 100))) }
        report.add(
            Figure(
                what: "Core, 500 resident apps", value: speed.p50, unit: .perSecond, target: .atLeast(2_500_000),
                samples: core.events))
    }

    private mutating func measureVictims() throws {
        say("victims among 500 apps")
        let (times, ended) = try VictimChoice(apps: 500).measure(rounds: options.isQuick ? 100 : 1_000)
        report.add([
            Figure(
                what: "\(ended) victims among 500 apps p50", value: times.p50, unit: .nanoseconds,
                target: .atMost(0.25e6), samples: times.count),
            Figure(
                what: "\(ended) victims among 500 apps p99", value: times.p99, unit: .nanoseconds,
                target: .atMost(1e6), samples: times.count),
        ])
    }

    private mutating func measureCosts() throws {
        say("journal and messages")
        let costs = Costs(place: options.place)
        let batches = options.isQuick ? 50 : 500
        let journal = try costs.journal(batches: batches)
        let parsing = try costs.parsing(batches: batches)
        let encoding = try costs.encoding(batches: batches)
        report.add([
            Figure(
                what: "event with its effects into the journal p50", value: journal.append.p50, unit: .nanoseconds,
                floor: journal.floor.p50, against: "write(2) of its bytes", samples: batches * 1_000),
            Figure(
                what: "message parsed p50", value: parsing.parse.p50, unit: .nanoseconds, floor: parsing.floor.p50,
                against: "hash of its bytes", samples: batches * 1_000),
            Figure(
                what: "message encoded p50", value: encoding.p50, unit: .nanoseconds, samples: batches * 1_000),
        ])
    }

    private mutating func measureLaunches() throws {
        say("programs confined as apps are")
        let times = try LaunchCost(place: options.place).measure(rounds: options.isQuick ? 100 : 1_000)
        report.add([
            Figure(
                what: "a confined program, start to end p50", value: times.confined.p50, unit: .nanoseconds,
                floor: times.bare.p50, against: "not confined", samples: times.confined.count),
            Figure(
                what: "what confinement costs a launch", value: times.confined.p50 - times.bare.p50,
                unit: .nanoseconds, target: .atMost(2e6), samples: times.confined.count),
        ])
    }

    // MARK: Memory

    private mutating func measureMemory() throws {
        let memory = RunningSystem(options, "memory", budget: MemoryCosts.budget)
        let costs = MemoryCosts(system: memory, tool: try memory.start())
        say("1 GB back")
        let ends = try costs.endings(rounds: options.isQuick ? 3 : 20)
        say("purgeable memory taken")
        let reclaims = try costs.reclaims(rounds: options.isQuick ? 3 : 20)
        func rate(_ samples: Samples) -> Double { Double(512 << 20) / samples.p50 * 1e9 }
        report.add([
            figure("kill → 1 GB back p50", ends.back.p50, ends, .atMost(100e6)),
            figure("kill → 1 GB back, longest", ends.back.percentile(1), ends, .atMost(100e6)),
            Figure(
                what: "purgeable memory taken, from shortage to log", value: rate(reclaims.taken),
                unit: .bytesPerSecond, floor: rate(reclaims.bare), against: "process_madvise alone",
                samples: reclaims.taken.count),
        ])
        let seconds = options.isQuick ? 5 : 20
        say("\(seconds) s of looking at 50 apps, three times")
        let looking = try costs.looking(seconds: seconds)
        for (what, value) in [
            ("idle", looking.idle), ("one grows near a mark", looking.nearMark), ("memory is short", looking.short),
        ] {
            report.add(Figure(what: "processor of both, 50 apps, \(what)", value: value, unit: .percent))
        }
        for problem in memory.takeDown() { throw BenchError("left behind: \(problem)") }
    }

    private func figure(
        _ what: String, _ value: Double, _ ends: (back: Samples, bare: Samples), _ target: Figure.Target
    ) -> Figure {
        Figure(
            what: what, value: value, unit: .nanoseconds, floor: ends.bare.p50,
            against: "SIGKILL, process_mrelease p50", target: target, samples: ends.back.count)
    }

    // MARK: Switching

    private mutating func measureSwitching(_ tool: Tool) throws {
        let switching = Switching(system: system, tool: tool, place: options.place)
        say("one resident app")
        var apps = [try system.install(1, with: tool)]
        try switching.suspend(apps[0])
        pause(milliseconds: 100)
        add(try switching.switches(among: apps, rounds: rounds, cold: cold), "1 resident")

        say("50 resident apps")
        for number in 2...50 {
            apps.append(try system.install(number, with: tool))
            try switching.suspend(apps[number - 1])
        }
        pause(milliseconds: 100)
        add(try switching.switches(among: apps, rounds: rounds, cold: cold), "50 resident")
        try measureJournal(switching, tool)
    }

    /// The example app with the real framework, where it is built.
    private mutating func measureJournal(_ switching: Switching, _ tool: Tool) throws {
        let bundle = options.apps + "/Journal.app"
        guard FileSystem.exists(bundle) else { return }
        say("Journal")
        let path = bundle.hasPrefix("/") ? bundle : "/proc/\(CurrentProcess.pid)/cwd/\(bundle)"
        let app = try tool.ask(.install, ["path": .string(path)]).string("app")
        try switching.suspend(app)
        pause(milliseconds: 100)
        let program = path + "/Journal"
        add(try switching.switches(among: [app], rounds: rounds, cold: cold, program: program), "Journal")
    }

    private mutating func add(_ times: Switching.Times, _ who: String) {
        let thaw = "raw thaw and round trip"
        func figure(
            _ what: String, _ value: Double, _ samples: Samples, _ floor: Double?, _ against: String?,
            _ target: Figure.Target = .none
        ) -> Figure {
            Figure(
                what: "\(what), \(who)", value: value, unit: .nanoseconds, floor: floor, against: against,
                target: target, samples: samples.count)
        }
        let (open, freeze, cold) = (times.open, times.freeze, times.cold)
        report.add([
            figure("open → active p50", open.p50, open, times.rawWake.p50, "\(thaw) p50", .ratioAtMost(5)),
            figure("open → active p99", open.p99, open, times.rawWake.p99, "\(thaw) p99", .atMost(10e6)),
            figure("open → active p50", open.p50, open, cold.p50, "cold launch p50", .fasterAtLeast(50)),
            figure("cold launch p50", cold.p50, cold, nil, nil),
            figure("  by the daemon's log p50", times.loggedOpen.p50, times.loggedOpen, nil, nil),
            figure("  by the daemon's log p99", times.loggedOpen.p99, times.loggedOpen, nil, nil),
            figure("Home → frozen p50", freeze.p50, freeze, times.rawFreeze.p50, "raw freeze p50"),
            figure("Home → frozen p99", freeze.p99, freeze, times.rawFreeze.p99, "raw freeze p99", .atMost(50e6)),
            figure("  confirmed, by the log p50", times.loggedFreeze.p50, times.loggedFreeze, nil, nil),
            figure("  confirmed, by the log p99", times.loggedFreeze.p99, times.loggedFreeze, nil, nil, .atMost(50e6)),
        ])
    }

    // MARK: Background

    /// Fifty apps that run in the background, each of which takes another megabyte every second.
    private mutating func measureBackground(_ tool: Tool, _ footprint: Footprint) throws {
        say("50 apps that run in the background")
        var apps: [String] = []
        for number in 5_001...5_050 {
            let app = try system.install(number, with: tool, does: "every=1000 most=120")
            try tool.ask(.open, ["app": .string(app)])
            try tool.ask(.exempt, ["app": .string(app)])
            apps.append(app)
        }
        try tool.ask(.home)
        pause(milliseconds: 2_000)
        let seconds = options.isQuick ? 5 : 20
        let used = try footprint.activity(seconds: seconds).processorTime
        report.add(
            Figure(
                what: "processor of both, 50 apps in the background", value: Double(used) / Double(seconds) / 1e7,
                unit: .percent, target: .atMost(1)))
        for app in apps {
            try tool.ask(.exempt, ["app": .string(app), "exempt": false])
            try tool.ask(.close, ["app": .string(app)])
        }
    }

    // MARK: Services

    private mutating func measureServices() throws {
        let brokering = Brokering(system: system)
        try brokering.declare()
        let tool = try system.start()
        say("a service that holds an app")
        let times = try brokering.measure(
            with: tool, place: options.place, rounds: options.isQuick ? 500 : 5_000)
        for (what, samples) in [("hold acknowledged", times.held), ("drop acknowledged", times.dropped)] {
            for share in [0.5, 0.99] {
                report.add(
                    Figure(
                        what: "\(what) p\(Int(share * 100))", value: samples.percentile(share), unit: .nanoseconds,
                        floor: times.floor.percentile(share), against: "a message and its answer",
                        samples: samples.count))
            }
        }
        for share in [0.5, 0.99] {
            report.add(
                Figure(
                    what: "woken by a service, and done p\(Int(share * 100))", value: times.woken.percentile(share),
                    unit: .nanoseconds, floor: times.fetched.percentile(share), against: "a fetch by the Core itself",
                    samples: times.woken.count))
        }
        try measureIdleService(tool)
    }

    /// A service that is there, and that nobody needs: as it is in the short while before it ends.
    private mutating func measureIdleService(_ tool: Tool) throws {
        say("an idle service")
        try tool.ask(.service, ["service": "transfers"])
        guard case .array(let services)? = try tool.ask(.services)["services"],
            let pid = services.first(where: { $0["service"]?.string == "transfers" })?["pid"]?.int
        else { throw BenchError("the service does not run") }
        pause(milliseconds: 2_000)
        let seconds = 20
        let idle = try Footprint(system, tool).activity(of: CInt(pid), seconds: seconds)
        report.add([
            Figure(what: "an idle service: memory of its own", value: idle.memory, unit: .bytes),
            Figure(
                what: "an idle service: wakeups a minute", value: Double(idle.wakeups) * 60 / Double(seconds),
                unit: .count),
        ])
    }

    // MARK: Waking

    private mutating func measureWaking() throws {
        let tool = try system.start()
        let count = options.isQuick ? 50 : 500
        say("\(count) sleeping servers")
        let waking = Waking(system: system, tool: tool, place: options.place, count: count)
        let times = try waking.measure(try Footprint(system, tool), seconds: options.isQuick ? 10 : 60)
        func figure(
            _ what: String, _ samples: Samples, _ share: Double, _ floor: Samples?, _ against: String?,
            _ target: Figure.Target = .none
        ) -> Figure {
            Figure(
                what: "\(what) p\(Int(share * 100))", value: samples.percentile(share), unit: .nanoseconds,
                floor: floor?.percentile(share), against: against, target: target, samples: samples.count)
        }
        let (woken, server) = ("first answer of a sleeping server", "the server left running")
        report.add([
            figure(woken, times.woken, 0.5, times.running, server, .atMost(2e6)),
            figure(woken, times.woken, 0.99, times.running, server, .atMost(20e6)),
            figure(woken, times.woken, 0.5, times.activated, "systemd-socket-activate"),
            figure(woken, times.woken, 0.99, times.activated, "systemd-socket-activate"),
            figure("connection refused by a suspended app", times.refused, 0.5, nil, nil),
            figure("connection refused by a suspended app", times.refused, 1, nil, nil, .atMost(10e6)),
            figure("open → first answer", times.reopened, 0.5, nil, nil),
            figure("open → first answer", times.reopened, 1, nil, nil, .atMost(50e6)),
            Figure(
                what: "daemon's wakeups in \(times.idle.seconds) s", value: Double(times.idle.daemonWakeups),
                unit: .count, target: .atMost(0)),
            Figure(
                what: "processor time of the daemon", value: Double(times.idle.processorTime), unit: .nanoseconds,
                target: .atMost(0)),
            Figure(
                what: "processor time of \(count) sleeping servers", value: Double(times.idle.serverTime),
                unit: .nanoseconds, target: .atMost(0)),
        ])
    }
}
