package import Model
package import PolicyCore

/// An app that is opened in a trace, and of which the table of apps says nothing.
package struct UnknownApp: Error, Hashable, Sendable, CustomStringConvertible {
    /// Of the trace.
    package let line: Int
    package let name: String

    package var description: String { "line \(line): \(name) is opened, and the table of apps does not have it" }
}

/// Plays a person's days on a device in virtual time.
///
/// The trace says what the person did, not how an app was left. Where an app's use ended two seconds or more before the
/// screen did anything else (times are whole seconds, so one second may be none), the person went Home.
package final class UsageRun {
    private let trace: UsageTrace
    private let device: Device
    private var result = UsageResult()

    /// The place on the device of each app of the trace; `nil` for services, which only notify.
    private let places: [Int?]
    private let megabytes: [Int64]
    /// When the person went Home, in order.
    private let leaves: [Int64]
    private var previous: Int?
    /// Each app's state and since when, by its place on the device.
    private var states: [(state: LifecycleState, since: Instant)]
    private var residentMegabytes: Int64 = 0
    private var boots = 0

    /// What a notification is taken to cost the network; the trace does not say.
    package static let notificationBytes: Int64 = 1000

    package static func play(
        _ trace: UsageTrace, _ table: AppsTable, profile: DeviceProfile = .linux, memoryMegabytes: Int64? = nil,
        policy: TerminationPolicyName = .ours, seed: UInt64 = 1, checksInvariants: Bool = false
    ) throws(UnknownApp) -> UsageResult {
        let run = try UsageRun(trace, table, profile, seed: seed)
        run.device.checksInvariants = checksInvariants
        run.play()
        var result = run.finish()
        if let memoryMegabytes {
            try result.limitMemory(to: memoryMegabytes, by: policy, ResidencyModel(trace, table))
        }
        return result
    }

    private init(_ trace: UsageTrace, _ table: AppsTable, _ profile: DeviceProfile, seed: UInt64) throws(UnknownApp) {
        for entry in trace.entries where entry.kind == .open {
            guard let app = entry.app, table.place(of: trace.apps[app]) == nil else { continue }
            throw UnknownApp(line: entry.line, name: trace.apps[app])
        }
        self.trace = trace
        device = Device(profile, seed: seed)
        leaves = Self.leaves(trace)
        places = trace.apps.map { table.place(of: $0) }
        megabytes = table.apps.map(\.megabytes)
        states = table.apps.map { [now = device.now] _ in (.notRunning, now) }
        result.apps = table.apps.map { UsageResult.App(name: $0.name) }
        begin(table)
    }

    private func begin(_ table: AppsTable) {
        for app in table.apps {
            // The table was read with the same rule for names.
            guard let identifier = AppIdentifier(app.name) else { continue }
            var script = AppScript(name: app.name, manifest: AppManifest(identifier: identifier, name: app.name))
            script.footprint.dirtyBytes = app.megabytes << 20
            script.footprint.cleanBytes = 0
            device.install(script)
        }
        device.boot()
        if let first = trace.entries.first {
            let wall = Instant(nanoseconds: first.time * 1_000_000_000)
            device.setClock(by: wall - Instant(nanoseconds: device.now.nanoseconds + device.wallOffset))
        }
        device.observer = { [unowned self] _, effects in observe(effects) }
    }

    /// Where an app's use ended two seconds or more before the screen did anything else.
    private static func leaves(_ trace: UsageTrace) -> [Int64] {
        var leaves: [Int64] = []
        var next: Int64?
        for entry in trace.entries.reversed() {
            switch entry.kind {
            case .notification, .unlock: continue
            case .open:
                let end = entry.time + entry.duration
                if let next, next >= end + 2 { leaves.append(end) }
                next = entry.time
            case .wake, .sleep, .boot, .shutdown: next = entry.time
            }
        }
        return leaves.reversed()
    }

    // MARK: Playing

    private func moment(_ time: Int64) -> Instant {
        let elapsed = time - (trace.entries.first?.time ?? time)
        return Instant(nanoseconds: Device.bootTime) + Span(nanoseconds: elapsed * 1_000_000_000)
    }

    private func play() {
        var left = 0
        for entry in trace.entries {
            while left < leaves.count, leaves[left] <= entry.time {
                device.advance(to: moment(leaves[left]))
                if !device.system.isLocked, device.daemon == .running { device.begin(.home(wait: false)) }
                left += 1
            }
            device.advance(to: moment(entry.time))
            guard device.violations.isEmpty else { return }
            perform(entry)
            // Nothing here depends on what changes around the apps.
            device.changeWorld { _ = $0.takeChanges() }
        }
    }

    private func perform(_ entry: UsageTrace.Entry) {
        switch entry.kind {
        case .open: if let app = entry.app, let place = places[app] { open(app, place) }
        case .unlock: unlock()
        case .wake: wake()
        case .sleep: if device.daemon == .running { device.begin(.sleep(wait: false)) }
        case .notification: notify(entry.app.flatMap { places[$0] })
        case .boot:
            previous = nil
            turnOn(again: true)
        case .shutdown:
            previous = nil
            guard device.daemon == .running else { return }
            device.begin(.shutDown)
            device.advance(within: .seconds(60)) { $0.daemon == .off }
        }
    }

    /// Whoever uses a device has turned it on.
    private func turnOn(again: Bool = false) {
        if device.daemon == .off {
            device.startAgain()
        } else if again {
            let before = boots
            device.begin(.reboot)
            device.advance(within: .seconds(60)) { [unowned self] _ in boots > before }
        }
    }

    private func wake() {
        turnOn()
        if device.system.isAsleep { device.begin(.wake(wait: false)) }
    }

    private func unlock() {
        wake()
        if device.system.isLocked { device.begin(.unlock(wait: false)) }
    }

    private func open(_ app: Int, _ place: Int) {
        unlock()
        result.opens += 1
        if app != previous {
            previous = app
            result.switches += 1
            result.apps[place].switches += 1
            if device.state(place) == .notRunning {
                result.coldStarts += 1
            } else {
                result.warmStarts += 1
                result.apps[place].warmStarts += 1
            }
        }
        guard let index = device.apps[place].index else { return }
        device.begin(.open(index, role: .primary, wait: false))
    }

    private func notify(_ place: Int?) {
        result.notifications += 1
        guard device.daemon == .running else { return }
        let consumer = Consumer(app: place.map { AppIndex(UInt32($0)) }, .notification)
        device.changeWorld { _ = $0.transfer(Self.notificationBytes, .down, for: consumer) }
    }

    // MARK: Counting

    private func observe(_ effects: [Effect]) {
        for effect in effects {
            switch effect.action {
            case .log(let entry): note(entry)
            case .launch(let app, _, _):
                result.launches += 1
                guard let place = device.place(of: app) else { continue }
                result.apps[place].launches += 1
                // What the launch takes before the first delegate method.
                let startup = device.apps[place].script.startup
                device.changeWorld { _ = $0.begin(startup, for: Consumer(app: AppIndex(UInt32(place)))) }
            default: continue
            }
        }
    }

    private func note(_ entry: LogEntry) {
        if entry.event == .booted { boots += 1 }
        guard let app = entry.app, let place = device.place(of: app) else { return }
        if entry.event == .terminated {
            if case .end(.systemShutdown, _, _) = entry.reason {
                result.endedByShutdown += 1
            } else {
                result.terminations += 1
            }
        }
        change(place, to: device.state(place))
    }

    private func change(_ place: Int, to state: LifecycleState) {
        let before = states[place]
        guard state != before.state else { return }
        let span = device.now - before.since
        result.apps[place].inState[before.state] = result.apps[place].inState[before.state] + span
        result.inState[before.state] = result.inState[before.state] + span
        states[place] = (state, device.now)
        if before.state == .notRunning { residentMegabytes += megabytes[place] }
        if state == .notRunning { residentMegabytes -= megabytes[place] }
        result.peakMegabytes = max(result.peakMegabytes, residentMegabytes)
    }

    private func finish() -> UsageResult {
        result.virtualTime = device.elapsed
        result.events = device.eventCount
        let world = device.world
        result.energy = world.energy
        result.radioWakeups = world.cellularWakeups
        result.processorTime = world.processorTime
        for place in result.apps.indices {
            // Closes what is open.
            let state = states[place].state
            let span = device.now - states[place].since
            result.apps[place].inState[state] = result.apps[place].inState[state] + span
            result.inState[state] = result.inState[state] + span
            result.apps[place].callbacks = device.apps[place].calls.count
            for call in device.apps[place].calls { result.callbacks[Int(call.kind.rawValue)] += 1 }
            // To its world an app is its place.
            let consumer = AppIndex(UInt32(place))
            result.apps[place].energy = result.energy.total(of: consumer)
            result.apps[place].processorTime = world.processorTime(of: consumer)
        }
        result.violations = device.violations.map(\.text)
        return result
    }
}

extension UsageResult {
    fileprivate mutating func limitMemory(to megabytes: Int64, by name: TerminationPolicyName, _ model: ResidencyModel)
    {
        memoryMegabytes = megabytes
        policy = name
        residencies = TerminationPolicyName.allCases.map { model.play($0.policy, megabytes: megabytes) }
        residencies.append(model.playClairvoyant(megabytes: megabytes))
        guard let chosen = residencies.first(where: { $0.policy == name.rawValue }) else { return }
        warmStarts = chosen.warmStarts
        coldStarts = chosen.coldStarts
        terminations = chosen.terminations
        peakMegabytes = chosen.peakMegabytes
    }
}
