internal import Model
internal import PolicyCore
internal import Simulation

/// An app on a simulated device, as the system sees it.
@MainActor
public class InstalledApp {
    let device: TestDevice
    let place: Int

    /// The name by which log and reports call it.
    public let name: String

    private var takenCalls = 0

    init(_ device: TestDevice, place: Int, name: String) {
        self.device = device
        self.place = place
        self.name = name
    }

    private var app: SimulatedApp { device.simulated.apps[place] }

    /// What the system lets it do now.
    public var state: State { State(device.simulated.state(place)) }

    /// Whether it is on the screen, and not hidden by the lock screen or a call.
    public var isVisible: Bool { app.index.map { device.simulated.system.isVisible($0) } ?? false }

    /// The delegate's methods that were called since it was installed, in their order.
    public var callbacks: [Callback] { app.calls.map { Callback($0.kind) } }

    /// The delegate's methods that were called since this was last used.
    public func takeCallbacks() -> [Callback] {
        defer { takenCalls = app.calls.count }
        return app.calls.dropFirst(takenCalls).map { Callback($0.kind) }
    }

    /// How often its process was launched.
    public var launches: Int { app.launches }

    /// What lets it run in the background now.
    public var assertions: [Assertion] {
        (device.simulated.known(place)?.heldAssertions ?? []).map { held in
            // That of a service that is a program of its own is called by the service and what it does.
            let service = held.claim == nil ? nil : held.name.split(separator: ".").first.map(String.init)
            return Assertion(name: service ?? held.kind.name, reason: held.reason)
        }
    }

    /// Why it is in its state: the sentence that says so, then what that came from, back to the first cause.
    public var why: [String] { device.chain(place).map(\.reason.sentence) }

    /// What the system wrote down about it.
    public var reports: [TestDevice.Report] { device.reports.filter { $0.app == name } }

    // MARK: Misbehaviour

    /// Its process crashes.
    ///
    /// - Parameter signal: 11 (SIGSEGV) unless said otherwise.
    /// - Throws: `TestDeviceError` if it does not run.
    public func crash(signal: Int32 = 11) async throws(TestDeviceError) {
        try requireProcess()
        try await device.inject(.crash(name, signal: signal))
    }

    /// From now on this method does not return: the app's code is not called, and its limit passes. `recover()` ends
    /// that.
    public func hang(in callback: Callback) async throws(TestDeviceError) {
        try await device.inject(.hang(name, callback.kind))
    }

    /// Its main thread answers nothing any more.
    ///
    /// - Throws: `TestDeviceError` if it does not run.
    public func blockMainThread() async throws(TestDeviceError) {
        try requireProcess()
        try await device.inject(.freezeMainThread(name))
    }

    /// It behaves again.
    public func recover() async throws(TestDeviceError) { try await device.inject(.recover(name)) }

    private func requireProcess() throws(TestDeviceError) {
        guard state != .notRunning else { throw .notRunning("\(name) is not running: open it first") }
    }
}

/// An app without code: it says what it does in words, and stands in for the others of a device.
@MainActor
public final class ScriptedApp: InstalledApp {
    /// Does something by itself. Nothing happens if it does not run; if it is suspended, once it runs again.
    public func perform(_ action: Action) async throws(TestDeviceError) {
        for action in action.models { try await device.perform(.app(name, action)) }
    }

    /// What a scripted app does.
    public indirect enum Action: Hashable, Sendable {
        /// Starts to play audio, as a player of music does: others are interrupted. Needs `audio` among the background
        /// modes to go on in the background.
        case beginAudio
        /// Speaks, as a navigator does: others go on, and are softer meanwhile.
        case beginVoice
        /// Plays something that mixes with what others play.
        case beginMixedAudio
        /// Ends its audio, whichever of these it was; those that it interrupted may go on.
        case endAudio
        /// Asks for location updates, or ends that. Needs `location` to go on in the background.
        case beginLocation, endLocation
        /// Begins a background task of this name, or ends the one that it has had longest.
        case beginTask(String), endTask(String)
        /// Opens a URL with whichever app is registered for its scheme.
        case open(url: String)
        /// Does nothing else for so long, not even answer.
        case block(Duration)
        /// Ends by itself.
        case exit(status: Int32)
        /// Crashes.
        case crash(signal: Int32)
        /// Does something later.
        case after(Duration, Action)

        var models: [AppAction] {
            switch self {
            case .beginAudio: Self.plays("playback")
            case .beginVoice: Self.plays("playback duck")
            case .beginMixedAudio: Self.plays("playback mix")
            case .endAudio: [.ask(AudioService.name, "pause"), .ask(AudioService.name, "deactivate notify")]
            case .beginLocation:
                [.ask(LocationService.name, "ask in use"), .ask(LocationService.name, "updates background keep")]
            case .endLocation: [.ask(LocationService.name, "stop updates")]
            case .beginTask(let name): [.beginTask(name)]
            case .endTask(let name): [.endTask(name)]
            case .open(let url): [.openURL(url)]
            case .block(let duration): [.block(duration.span)]
            case .exit(let status): [.exit(status)]
            case .crash(let signal): [.crash(signal: signal)]
            case .after(let duration, let action): action.models.map { .after(duration.span, $0) }
            }
        }

        private static func plays(_ session: String) -> [AppAction] {
            [.ask(AudioService.name, "session \(session)"), .ask(AudioService.name, "play")]
        }
    }
}
