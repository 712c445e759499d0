internal import LinuxSystem
internal import PolicyCore

/// What each mechanism costs the Core, in time and memory, where apps use it and where they do not.
struct CoreCosts {
    let use: CoreSpeed.Use
    /// Nanoseconds to open an app and go Home.
    var cycle = Samples()
    /// For each app.
    var bytes = 0.0

    static func measure(apps: Int, rounds: Int) throws -> [CoreCosts] {
        var costs: [CoreCosts] = []
        // All are kept until the end, so that what one gave back is not had by the next.
        var cores: [CoreSpeed] = []
        for use in CoreSpeed.Use.allCases {
            let before = try privateMemory()
            cores.append(try CoreSpeed(apps: apps, use: use))
            var cost = CoreCosts(use: use)
            cost.bytes = Double(try privateMemory() - before) / Double(apps)
            for _ in 0..<rounds { cost.cycle.append(cores[cores.count - 1].cycleTime(cycles: 100)) }
            costs.append(cost)
        }
        return costs
    }

    private static func privateMemory() throws -> Int64 {
        guard let memory = ProcFS().memory(CurrentProcess.pid) else { throw BenchError("/proc is not mounted") }
        return Int64(memory.dirty)
    }
}

extension Measurement {
    mutating func measureMechanisms() throws {
        say("what each mechanism costs the Core")
        report.add(Self.figures(of: try CoreCosts.measure(apps: 2_000, rounds: options.isQuick ? 50 : 500)))
    }

    /// One line for each mechanism: what is not used costs nothing.
    private static func figures(of costs: [CoreCosts]) -> [Figure] {
        let base = costs.first { $0.use == .nothing }
        var figures: [Figure] = []
        for cost in costs {
            let name = cost.use.rawValue
            let against = cost.use == .nothing ? nil : CoreSpeed.Use.nothing.rawValue
            figures.append(
                Figure(
                    what: "  an app opened and left, \(name)", value: cost.cycle.p50, unit: .nanoseconds,
                    floor: against == nil ? nil : base?.cycle.p50, against: against, samples: cost.cycle.count))
            figures.append(
                Figure(
                    what: "  memory an app, \(name)", value: cost.bytes, unit: .bytes,
                    floor: against == nil ? nil : base?.bytes, against: against))
        }
        for part in App.layout {
            figures.append(
                Figure(what: "  bytes of each app for \(part.name)", value: Double(part.bytes), unit: .bytes))
        }
        return figures
    }
}
