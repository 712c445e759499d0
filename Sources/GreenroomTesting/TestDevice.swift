internal import AppRuntime
internal import Foundation
internal import Model
internal import PolicyCore
internal import Simulation
public import UIKit

/// A device in virtual time, with the code of one app on it.
///
///     let device = try TestDevice(.iOS7)
///     let journal = try device.install(AppDelegate.self, identifier: "org.example.journal")
///     try await device.open(journal)
///     try await device.home()
///     #expect(journal.state == .suspended)
///
/// The policy is Greenroom's own; what it decides, this device does with a simulated process, and calls the delegate in
/// this one. Every command returns when what it asks for is true and the device has come to rest: nothing waits on the
/// main actor, no callback is under way, and what can be suspended is. Time stands still meanwhile, but for what
/// processes take to be born and messages to arrive. The same calls with the same seed give the same run.
///
/// `UIApplication.shared`, `NotificationCenter.default` and the main queue are one for a process, so there is one
/// device at a time. Put the trait `.simulatedDevice` on the suites that make one.
@MainActor
public final class TestDevice {
    let simulated: Device
    let sleepers: Sleepers
    private let folder: Container
    let sound = AudioService()
    let services: [any FrameworkService]
    private(set) var code: AppCode?
    let profile: Profile
    /// How the same apps come onto another device; what comes of the one whose code is tested.
    private(set) var installations: [(TestDevice) throws -> InstalledApp?] = []
    /// The call that installed the app whose code is tested.
    private(set) var codeSource = ""
    /// Who sleeps while no app runs.
    private var unattended = EventQueue<UInt64>()
    let start: Instant
    private(set) var hasEnded = false
    /// The number of running commands. Requests of the app are answered as time passes, if a command is running.
    var commands = 0

    private(set) static weak var current: TestDevice?

    /// The clock that apps get in tests.
    public var clock: SimulatedClock { SimulatedClock(sleepers: sleepers) }

    /// The folder of the app whose code is tested.
    public var container: URL { folder.folder }

    /// Makes a device that has just booted, with no app on it.
    ///
    /// - Parameters:
    ///   - profile: what kind of device.
    ///   - seed: draws how long processes and messages take, within what is usual.
    ///   - virtualizesTime: whether the app's code meets the device's time whatever clock it uses: `Date()`,
    ///     `Task.sleep`, `ContinuousClock`, `asyncAfter`, `Timer`, timers of `DispatchSource`. What it gives to other
    ///     queues is then waited for, before time goes on.
    /// - Throws: `TestDeviceError.anotherDevice` while there is another one.
    public init(_ profile: Profile = .linux, seed: UInt64 = 1, virtualizesTime: Bool = false) throws(TestDeviceError) {
        guard TestDevice.current == nil else { throw .anotherDevice }
        try MainQueue.prepare()
        if virtualizesTime, MainQueue.isRunLoop {
            // Its own waits could not be told from the app's.
            throw .unsupported("virtual time for all code needs tests of Swift Testing: XCTest runs a run loop itself")
        }
        folder = try Container()
        self.profile = profile
        // More than any app of a test has.
        simulated = Device(profile.model, seed: seed, memory: 8 << 30)
        services = [NotificationService(), sound, LocationService()]
        let models = services.map { (type(of: $0).name, type(of: $0).model) }
        simulated.declare(
            models.map { ServiceScript(model: $0.0) }, ServiceModels(Dictionary(uniqueKeysWithValues: models)))
        simulated.boot()
        start = simulated.now
        sleepers = Sleepers(dateAtStart: simulated.now.nanoseconds &+ simulated.wallOffset)
        sleepers.now = 0
        TestDevice.current = self
        MainQueue.takesTasks(true)
        if virtualizesTime { VirtualTime.begin(sleepers) }
        RecentLog.begin()
    }

    isolated deinit { end() }

    /// Takes everything down. What is left of the app's code hears nothing any more.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        code?.end()
        code = nil
        sleepers.forget()
        for service in services { service.leave() }
        AppInformation.use(nil)
        VirtualTime.end()
        MainQueue.takesTasks(false)
        folder.leave()
        if TestDevice.current === self { TestDevice.current = nil }
    }

    // MARK: Apps

    private(set) var codePlace = 0

    /// What the device knows of the app whose code is tested.
    var codeScript: AppScript? { code == nil ? nil : simulated.apps[codePlace].script }

    /// How often the app ended a task that it did not have.
    var strayEnds: Int { code?.strayEnds ?? 0 }

    /// What of the app waits for the clock.
    var pendingTimers: Int { sleepers.count }

    /// The process of the app whose code is tested, from now on.
    func take(_ code: AppCode, at place: Int, source: String) {
        (self.code, codePlace, codeSource) = (code, place, source)
    }

    /// On another device the same app is installed like this.
    func note(_ installation: @escaping (TestDevice) throws -> InstalledApp?) { installations.append(installation) }

    /// Installs an app that stands in for others of the device.
    ///
    /// - Parameters:
    ///   - identifier: the bundle's identifier.
    ///   - name: what log and reports call it; the last part of the identifier unless given.
    ///   - urlSchemes: those of `CFBundleURLTypes`.
    ///   - backgroundModes: those of `UIBackgroundModes`.
    ///   - reactions: what it does when one of its delegate's methods is called.
    ///   - durations: how long these methods take; the others, a few milliseconds.
    /// - Throws: `TestDeviceError` if it could not be installed.
    @discardableResult
    public func installScripted(
        _ identifier: String, name: String? = nil, urlSchemes: [String] = [], backgroundModes: [String] = [],
        reactions: [InstalledApp.Callback: [ScriptedApp.Action]] = [:],
        durations: [InstalledApp.Callback: Duration] = [:]
    ) throws(TestDeviceError) -> ScriptedApp {
        guard !hasEnded else { throw .deviceEnded }
        var script = try script(identifier, name, urlSchemes: urlSchemes, backgroundModes: backgroundModes)
        for (callback, actions) in reactions { script.reactions[callback.kind] = actions.flatMap(\.models) }
        for (callback, duration) in durations { script.callbackTimes[callback.kind] = duration.span }
        installations.append { other in
            try other.installScripted(
                identifier, name: name, urlSchemes: urlSchemes, backgroundModes: backgroundModes, reactions: reactions,
                durations: durations)
            return nil
        }
        return ScriptedApp(self, place: simulated.install(script), name: script.name)
    }

    func script(
        _ identifier: String, _ name: String?, urlSchemes: [String], backgroundModes: [String],
        exitsOnSuspend: Bool = false, backgroundTasks: [String] = [], scenes: SceneSupport = .none
    ) throws(TestDeviceError) -> AppScript {
        guard let valid = AppIdentifier(identifier) else { throw .invalidIdentifier(identifier) }
        let name = name ?? identifier.split(separator: ".").last.map(String.init) ?? identifier
        if simulated.place(named: name) != nil {
            throw .refused("the device has an app named \(name) already: give this one another name")
        }
        return AppScript(
            name: name,
            manifest: AppManifest(
                identifier: valid, name: name, backgroundModes: BackgroundModes(keys: backgroundModes),
                exitsOnSuspend: exitsOnSuspend, urlSchemes: urlSchemes.map { $0.lowercased() },
                taskIdentifiers: backgroundTasks, scenes: scenes))
    }

    // MARK: What happened

    /// Everything that the device did, in its order.
    public var log: [LogEntry] { simulated.log.map(entry) }

    /// What the system wrote down about ends and failures.
    public var reports: [Report] {
        simulated.reports.map { facts in
            Report(
                time: time(facts.at), app: simulated.name(of: facts.app), namespace: facts.code.namespace,
                code: facts.code.code, reason: facts.reason)
        }
    }

    /// The device's date: 1 January 2024 when it is made. `Date()` knows nothing of it.
    public var date: Date {
        Date(timeIntervalSince1970: Double(simulated.now.nanoseconds &+ simulated.wallOffset) / 1e9)
    }

    /// What the app began to wait for in real time since the device was made; such waits end when they end, whatever
    /// the device's clock shows. Also what other code on the main actor begins meanwhile counts, that of tests among
    /// it.
    public var realTimeWaits: [RealTimeWait] { MainQueue.realTimeWaits }

    private func entry(_ entry: Model.LogEntry) -> LogEntry {
        LogEntry(
            time: time(entry.at), app: entry.app.map { simulated.name(of: $0) }, event: entry.event.name,
            reason: entry.reason.sentence)
    }

    private func time(_ wall: WallTime) -> Duration {
        Duration(Span(nanoseconds: wall.nanoseconds &- simulated.wallOffset &- start.nanoseconds))
    }

    /// The app's last entry and its causes, back to the first one.
    func chain(_ place: Int) -> [Model.LogEntry] {
        var chain: [Model.LogEntry] = []
        var next = simulated.known(place)?.lastEntry
        while let sequence = next, let entry = simulated.log.last(where: { $0.sequence == sequence }) {
            chain.append(entry)
            next = entry.cause
        }
        return chain
    }

    // MARK: Time

    /// Lets so much time pass.
    ///
    /// - Throws: `TestDeviceError` if the app does not come to rest.
    public func advance(by duration: Duration) async throws(TestDeviceError) {
        commands += 1
        defer { commands -= 1 }
        try await settleCode()
        let target = simulated.now + duration.span
        while try await step(upTo: target) {}
        passTime(to: target)
    }

    /// Waits until all that the app has started has run and the device has come to rest. Every command does it; it is
    /// needed after calling the app's code directly.
    ///
    /// - Throws: `TestDeviceError` if the app does not come to rest.
    public func settle() async throws(TestDeviceError) {
        commands += 1
        defer { commands -= 1 }
        try await settleCode()
        let limit = simulated.now + .seconds(600)
        while isBusy, try await step(upTo: limit) {}
    }

    /// Does what a person, or the world, does; returns when it is done and the device is at rest.
    func perform(_ input: Input) async throws(TestDeviceError) {
        commands += 1
        defer { commands -= 1 }
        try await settleCode()
        let command = simulated.perform(input)
        // Services hear of it now, and not with whatever happens next.
        simulated.noteForModels()
        guard let command else { return try await settle() }
        // A thaw fires what is overdue, and that runs before anything is told.
        if code?.hasRun == true { try await settleCode() }
        try review()
        let limit = simulated.now + .seconds(600)
        while simulated.answers[command] == nil, try await step(upTo: limit) {}
        let answer = simulated.answers[command]?.answer
        try await settle()
        switch answer {
        case .done: return
        case .refused(let refusal), .overtaken(let refusal): throw .refused(refusal.sentence)
        case nil: throw .refused("nothing came of it within ten minutes")
        }
    }

    func inject(_ fault: Fault) async throws(TestDeviceError) {
        commands += 1
        defer { commands -= 1 }
        try await settleCode()
        simulated.inject(fault)
        try await settle()
    }

    private var elapsed: Int64 { simulated.now.nanoseconds - start.nanoseconds }

    /// Nothing happens until then but what frameworks do by themselves.
    private func passTime(to moment: Instant) {
        simulated.advance(to: moment)
        sleepers.now = elapsed
        for service in services { service.advance(to: moment) }
    }

    /// One thing happens, if it is due by then, and the app's code has its say.
    private func step(upTo target: Instant) async throws(TestDeviceError) -> Bool {
        let next = min(target, simulated.nextMoment ?? target)
        if let moment = services.compactMap(\.nextMoment).min(), moment <= next,
            unattended.next.map({ moment <= $0 }) ?? true
        {
            passTime(to: moment)
            try await settleCode()
            return true
        }
        if let moment = unattended.next, moment <= target, simulated.nextMoment.map({ moment < $0 }) ?? true,
            let (_, number) = unattended.popFirst()
        {
            passTime(to: moment)
            sleepers.wake(number)
            try await settleCode()
            return true
        }
        for service in services { service.advance(to: next) }
        let stepped = simulated.step(upTo: target)
        sleepers.now = elapsed
        if code?.hasRun == true { try await settleCode() }
        try review()
        return stepped
    }

    /// What a failing expectation would tell; and whether Greenroom did as it should.
    private func review() throws(TestDeviceError) {
        RecentLog.update(simulated.log.count) { simulated.log.suffix($0).map { "\(entry($0))" } }
        if let violation = simulated.violations.first { throw .broken(violation.text) }
    }

    /// Lets the app's code run until it waits; then the device knows for what.
    private func settleCode() async throws(TestDeviceError) {
        guard !hasEnded else { throw .deviceEnded }
        try await MainQueue.rest()
        code?.hasRun = false
        for (number, deadline) in sleepers.takeNew() {
            let moment = Instant(nanoseconds: start.nanoseconds &+ deadline)
            if code?.application != nil {
                simulated.addTimer(number, at: moment, codePlace)
            } else {
                unattended.insert(number, at: moment)
            }
        }
    }

    private var isBusy: Bool { simulated.apps.indices.contains(where: isBusy) }

    private func isBusy(_ place: Int) -> Bool {
        if simulated.isServiceBusy(place) { return true }
        guard let app = simulated.known(place), let process = simulated.apps[place].process else { return false }
        // It ended by itself, and nobody knows yet.
        if process.status != nil { return true }
        if app.ending != nil || !app.outstanding.isEmpty { return true }
        if !process.requests.isEmpty, !process.isFrozen { return true }
        switch (app.process, app.suspension) {
        case (.none, _): return false
        case (.starting, _), (.connecting, _), (.launching, _): return true
        case (.alive, .preparing), (.alive, .freezing), (.alive, .verifying): return true
        case (.alive, .none), (.alive, .waiting), (.alive, .confirmed): return false
        }
    }
}
