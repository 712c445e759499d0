package import Model
internal import NotificationsCore
package import Simulation

/// A person's days on a device with a mobile radio, whose apps also get silent pushes: what those cost, and how long
/// each waits. All of it is decided as on a real device, at the gateway too. It is never charged, and its battery is
/// never low: either would be a reason of its own to let pushes through, or not to.
package struct PushMonth: Sendable {
    package enum Way: Sendable, CaseIterable {
        /// What the radio costs anyway: alerts and keep-alives.
        case none
        /// Each wakes its app when it is sent.
        case atOnce
        /// The budget alone; what is beyond it waits on the device.
        case budget
        /// Any number, but each waits a while for something else that wakes the radio.
        case alignment
        case both
    }

    package struct Outcome: Sendable {
        package var sent = 0
        /// The spans from a provider's request to the waking of its app, sorted. A newer push has taken the place of
        /// the others.
        package var waits: [Span] = []
        package var wakings = 0
        package var energy = Energy.zero
        package var violations: [String] = []

        package func wait(_ share: Double) -> Span {
            waits.isEmpty ? .zero : waits[min(waits.count - 1, Int(Double(waits.count) * share))]
        }
    }

    private let trace: UsageTrace
    private let days: FetchDays
    package var pushesADay = 300
    /// What an app that is woken moves over the network, in bytes.
    package var bytes: Int64 = 32_000
    package var seed: UInt64 = 1

    package init(_ trace: UsageTrace) {
        self.trace = trace
        days = FetchDays(trace)
    }

    private enum Deed {
        case open(Int), leave, unlock, sleep
        case battery
        case alert(Int)
        /// Of something that is no app of the device.
        case traffic
        case silent(Int)
    }

    package func run(_ way: Way) -> Outcome {
        let device = Device(.linux, seed: seed)
        // What storms and scenarios check after every event takes long over a month.
        device.checksInvariants = false
        device.declare([ServiceScript(model: Self.service)], ServiceModels([Self.service: SimulatedNotifications.self]))
        device.change(Self.service, as: SimulatedNotifications.self) { $0.rules = Self.rules(way) }
        for name in days.apps { if let script = script(name) { device.install(script) } }
        device.boot()
        device.perform(.network(.cellular))
        var outcome = Outcome()
        let begin = device.now + Self.setUp * Int64(days.apps.count + 1)
        // Whoever begins with a device opens everything once.
        for name in days.apps {
            device.perform(.open(name, role: .primary))
            device.advance(by: Self.setUp)
        }
        device.perform(.home)
        for (at, deed) in timeline(way) {
            device.advance(to: begin + (at - .zero))
            perform(deed, device, &outcome)
        }
        device.advance(by: .seconds(7200))
        let model = device.logic(Self.service, as: SimulatedNotifications.self)
        outcome.waits = (model?.waits.spans ?? []).sorted()
        outcome.wakings = device.world.cellularWakeups
        outcome.energy = device.world.cellularEnergy
        outcome.violations = device.violations.map(\.text)
        return outcome
    }

    private static let service = "notifications"
    private static let setUp = Span.seconds(10)
    private static let day = Span.seconds(86_400)
    private static let hour = Span.seconds(3600)

    private static func rules(_ way: Way) -> NotificationRules {
        var rules = NotificationRules()
        if way != .budget, way != .both { rules.budgetCapacity = 1_000_000 }
        if way != .alignment, way != .both { (rules.patience, rules.longestPatience) = (.zero, .zero) }
        return rules
    }

    private func script(_ name: String) -> AppScript? {
        guard let identifier = AppIdentifier(name) else { return nil }
        var manifest = AppManifest(identifier: identifier, name: name)
        manifest.backgroundModes = "remote-notification"
        var script = AppScript(name: name, manifest: manifest)
        script.reactions[.didFinishLaunching] = [
            .ask(Self.service, "authorize alert badge"), .ask(Self.service, "register"),
        ]
        script.reactions[.handleServiceEvents] = [
            .transfer(bytes: bytes), .after(.seconds(3), .complete(.service, .newData)),
        ]
        return script
    }

    private func perform(_ deed: Deed, _ device: Device, _ outcome: inout Outcome) {
        switch deed {
        case .open(let app):
            device.perform(.unlock)
            device.perform(.open(days.apps[app], role: .primary))
        case .leave: device.perform(.home)
        case .unlock: device.perform(.unlock)
        case .sleep: device.perform(.lock)
        case .battery: device.perform(.battery(BatteryReading(.unplugged, percent: 80)))
        case .alert(let app): device.perform(.tellService(Self.service, "push \(days.apps[app]) alert news"))
        case .traffic: device.notify(bytes: UsageRun.notificationBytes)
        case .silent(let app):
            outcome.sent += 1
            device.perform(.tellService(Self.service, "push \(days.apps[app]) silent"))
        }
    }

    // MARK: What happens when

    private func timeline(_ way: Way) -> [(at: Instant, deed: Deed)] {
        var events: [(at: Instant, deed: Deed)] = days.entries.compactMap { entry in
            switch entry.kind {
            case .opened: entry.app.map { (entry.at, .open($0)) }
            case .left: (entry.at, .leave)
            case .present: (entry.at, .unlock)
            case .absent: (entry.at, .sleep)
            case .radio: nil
            }
        }
        let first = trace.entries.first?.time ?? 0
        var weights = [Int](repeating: 1, count: days.apps.count)
        for entry in trace.entries where entry.kind == .notification {
            let at = Instant(nanoseconds: (entry.time - first) * 1_000_000_000)
            let app = entry.app.flatMap { days.apps.firstIndex(of: trace.apps[$0]) }
            if let app { weights[app] += 1 }
            events.append((at, app.map { .alert($0) } ?? .traffic))
        }
        if way != .none { events += silentPushes(weights) }
        for hour in 0...(days.end - .zero).nanoseconds / Self.hour.nanoseconds {
            events.append((.zero + Self.hour * hour, .battery))
        }
        // In one order also within a second.
        return events.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    /// At any time of the day, since providers do not sleep; those of apps that notify their users often come often.
    private func silentPushes(_ weights: [Int]) -> [(at: Instant, deed: Deed)] {
        var random = SplitMix64(seed: seed)
        let total = weights.reduce(0, +)
        let count = Int64(pushesADay) * (days.end - .zero).nanoseconds / Self.day.nanoseconds
        return (0..<count).map { _ in
            let at = Instant(nanoseconds: Int64(random.below(Int(days.end.nanoseconds))))
            var place = random.below(total)
            let app = weights.firstIndex { weight in
                place -= weight
                return place < 0
            }
            return (at, .silent(app ?? 0))
        }
    }
}
