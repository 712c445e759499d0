internal import AppProtocol
internal import AppRuntime
internal import Foundation
internal import Model
internal import PolicyCore
internal import Simulation
internal import UIKit
internal import Wire

/// The process of the app that is tested: its delegate in this process, between UIKit and the simulated device.
@MainActor
final class AppCode: Program {
    private let principal: AnyClass
    private let delegate: AnyClass
    private let scenes: SceneManifest?
    private let configure: (any UIApplicationDelegate) -> Void
    typealias Completion = @MainActor @Sendable (Result<JSONValue, RPCError>) -> Void

    private let sleepers: Sleepers
    private let services: [any FrameworkService]
    weak var device: Device?
    /// What the system says first. Known from the beginning, so that threads learn it while the main thread waits for
    /// them.
    nonisolated let greeting: JSONValue?
    private let start: Instant
    var place = 0
    /// How long methods take; those that are not named, no time.
    var durations: [CallbackKind: Span] = [:]

    private(set) var application: UIApplication?
    private var lifecycle: Lifecycle?
    var completions: [RequestID: Completion] = [:]
    /// The ways of its present process to services, by their names.
    var serviceLinks: [String: SimulatedServiceLink] = [:]
    /// The picture that it gave last.
    private(set) var lastSnapshot: UIApplication.Snapshot?
    /// Code of the app has run since somebody waited for it.
    var hasRun = false
    /// How often it ended a task that it did not have.
    var strayEnds = 0

    init(
        principal: AnyClass, delegate: AnyClass, scenes: SceneManifest?, on device: Device, since start: Instant,
        sleepers: Sleepers,
        services: [any FrameworkService], configure: @escaping (any UIApplicationDelegate) -> Void
    ) {
        self.device = device
        greeting = [
            "profile": .string(device.profile.name), "options": ["multitasking": .bool(device.profile.hasMultitasking)],
        ]
        self.start = start
        self.principal = principal
        self.delegate = delegate
        self.scenes = scenes
        self.sleepers = sleepers
        self.services = services
        self.configure = configure
    }

    // MARK: Program

    /// The app's code is about to run; its clock shows what time it is.
    private func enter() {
        hasRun = true
        if let device { sleepers.now = (device.now - start).nanoseconds }
    }

    func call(_ callback: Model.Callback) -> CallbackOutcome {
        enter()
        if application == nil { launch() }
        _ = lifecycle?.handle(message(callback))
        return .returned(after: durations[callback.kind] ?? .zero)
    }

    private func launch() {
        guard let device else { return }
        for service in services {
            let name = service.name
            service.begin(place, on: device) { [weak self] listener in
                SimulatedServiceLink(name, errand: name, listener: listener, code: self)
            }
        }
        // It was tried when the app was installed: the same class can be made again.
        guard
            let (application, lifecycle) = try? ApplicationLauncher.start(
                principal: principal, delegate: delegate, scenes: scenes, self)
        else { return }
        self.application = application
        self.lifecycle = lifecycle
        if let delegate = application.delegate { configure(delegate) }
    }

    func timerFired(_ timer: UInt64) {
        enter()
        sleepers.wake(timer)
    }

    func answered(_ request: RequestID, _ reply: AppReply) {
        guard let completion = completions.removeValue(forKey: request) else { return }
        enter()
        completion(answer(reply))
    }

    func expired(_ expiration: Expiration) {
        enter()
        application?.backgroundTasks.expire(expiration.params)
    }

    func windowExpired(_ window: WindowID) {
        enter()
        BackgroundLaunches.shared.expire(Int(clamping: window.rawValue))
    }

    func told(_ conditions: DeviceConditions) {
        enter()
        if application == nil { launch() }
        guard let application else { return }
        application.systemChanges?.take(conditions.params, for: application)
    }

    func told(_ service: String, _ words: String) {
        enter()
        serviceLinks[service]?.heard(words)
    }

    func takeSnapshot() {
        enter()
        lastSnapshot = application?.snapshots.picture()
    }

    func ended(_ status: ExitStatus) { end() }

    func end() {
        enter()
        sleepers.forget()
        completions = [:]
        lifecycle = nil
        application?.end()
        application = nil
        for service in services { service.end() }
        serviceLinks = [:]
    }

    // MARK: Messages

    private func message(_ callback: Model.Callback) -> AppRuntime.Callback {
        AppRuntime.Callback(
            seq: Int64(callback.number.rawValue), name: name(callback), params: .object(callback.params))
    }

    private func name(_ callback: Model.Callback) -> CallbackName {
        switch callback.kind {
        case .willFinishLaunching: .willFinishLaunching
        case .didFinishLaunching: .didFinishLaunching
        case .didBecomeActive: .didBecomeActive
        case .willResignActive: .willResignActive
        case .didEnterBackground: .didEnterBackground
        case .willEnterForeground: .willEnterForeground
        case .willTerminate: .willTerminate
        case .openURL: .openURL
        case .didReceiveMemoryWarning: .didReceiveMemoryWarning
        case .performFetch: .performFetch
        case .handleEventsForBackgroundURLSession: .handleEventsForBackgroundURLSession
        case .launchBackgroundTask: .launchBackgroundTask
        case .handleServiceEvents: .handleServiceEvents
        case .scene: CallbackName(rawValue: callback.name) ?? .sceneWillConnect
        }
    }
}
