internal import LinuxSystem
internal import Model
internal import Simulation

/// How fast virtual time goes: storms of a simulated day each.
struct SimulatorSpeed {
    let isChecked: Bool

    /// Events and simulated days for each second; the medians, each day measured by itself.
    func measure(days: Int) -> (events: Double, days: Double) {
        var events: [Double] = []
        var rates: [Double] = []
        for seed in 1...max(1, days) {
            let run = ScenarioRun(StormGenerator.scenario(seed: UInt64(seed)))
            run.device.checksInvariants = isChecked
            let start = Clock.monotonic()
            run.run()
            let seconds = Double(Clock.monotonic() - start) / 1e9
            events.append(Double(run.device.eventCount) / seconds)
            rates.append(run.device.elapsed.seconds / 86_400 / seconds)
        }
        return (events.sorted()[events.count / 2], rates.sorted()[rates.count / 2])
    }
}
