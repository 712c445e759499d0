package import Model
internal import Simulation

/// Apps that each have something to transfer every hour, over a day of a simulated device on 3G. They ask for all of it
/// at once and are suspended; the rest is up to the service, which decides by `TransferCore` as the real one does.
package struct HourlyTransfers: Hashable, Sendable {
    package var apps: Int64 = 20
    package var hours: Int64 = 24
    /// Of each download.
    package var bytes: Int64 = 30_000
    /// The downloads have low priority: they can wait for a radio that others have woken.
    package var canWait = false

    package struct Outcome: Hashable, Sendable {
        package var wakings: Int
        package var total: Energy
        /// In the order of the apps.
        package var perApp: [Energy]
        package var movedBytes: Int64
        /// What was not as it has to be.
        package var violations: [String]
    }

    package init() {}

    package func run() -> Outcome {
        let device = Device(.linux)
        // What storms and scenarios check after every event takes long with so many transfers.
        device.checksInvariants = false
        device.declare([ServiceScript(model: "transfers")], ServiceModels(["transfers": SimulatedTransfers.self]))
        let scripts = (0..<apps).compactMap(script)
        for script in scripts { device.install(script) }
        device.boot()
        device.perform(.network(.cellular))
        let begin = device.now
        for (number, script) in scripts.enumerated() {
            device.advance(to: begin + Self.pause * Int64(number))
            device.perform(.open(script.name, role: .primary))
        }
        device.advance(by: Self.pause)
        device.perform(.home)
        device.advance(to: begin + Self.hour * (hours + 2))
        let world = device.world
        return Outcome(
            wakings: world.cellularWakeups, total: world.cellularEnergy,
            perApp: scripts.indices.map { world.cellularEnergy(of: AppIndex(UInt32($0))) },
            movedBytes: world.movedBytes, violations: device.violations.map(\.text))
    }

    private static let hour = Span.seconds(3600)
    /// From the opening of one app to that of the next.
    private static let pause = Span.seconds(5)

    /// Each app has its own minute of the hour, as far from the next one's as can be.
    private func script(_ number: Int64) -> AppScript? {
        guard let identifier = AppIdentifier("org.example.app\(number)") else { return nil }
        var script = AppScript(
            name: "app\(number)", manifest: AppManifest(identifier: identifier, name: "app\(number)"))
        let phase = 3600 / max(1, apps) * number - 5 * number
        script.reactions[.didBecomeActive] = (1...max(1, hours)).map { hour in
            let rest = " after \(hour * 3600 + phase)s" + (canWait ? " low" : "")
            return .ask("transfers", "download \(bytes)B in feed\(rest)")
        }
        script.reactions[.handleEventsForBackgroundURLSession] = [.ask("transfers", "open feed")]
        script.hears["events done feed"] = [.complete(.sessionEvents, .done)]
        return script
    }
}
