import AppRuntime
import CoreLocation
import Dispatch
import Foundation
import LocationClient
import LocationModel
import LocationWire
import Synchronization
import Wire

/// The location service as an app sees it, in the same process: what it refuses and tells, the test says.
final class FakeLocationService: ServiceLink {
    private struct State: Sendable {
        weak var listener: (any ServiceListener)?
        var isStarted = false
        var isAbsent = false
        var calls: [(method: LocationClientMethod, params: JSONValue)] = []
        var refusals: [LocationClientMethod: RPCError] = [:]
        var unanswered: Set<LocationClientMethod> = []
        var surroundings = LocationSurroundings(
            authorization: .always, hasSignificantChanges: true, hasRegions: true, hasHeading: true)
        var granted: (LocationAuthorization, isReduced: Bool)?
        var fix: Fix?
        var waitsForFix = false
        var requests: [Answered] = []
        var states: [String: RegionState] = [:]
        var seq: Int64 = 0
    }

    private let state = Mutex(State())
    /// Of its own: others may be taken by those that wait for it.
    private let queue = DispatchQueue(label: "fake location service")
    /// What the app has dealt with.
    let answers = Bell<Int64>()

    /// An app's end of the wire to it.
    func client() -> LocationClient { LocationClient { [self] listener in attach(listener) } }

    func attach(_ listener: any ServiceListener) -> any ServiceLink {
        state.withLock { $0.listener = listener }
        return self
    }

    // MARK: As the test wants it

    /// There is no system.
    func leave() { state.withLock { $0.isAbsent = true } }

    func refuse(_ method: LocationClientMethod, _ code: LocationFailure, _ sentence: String = "not now") {
        state.withLock { $0.refusals[method] = .location(code, sentence) }
    }

    /// Takes it, and never answers.
    func leaveUnanswered(_ method: LocationClientMethod) { _ = state.withLock { $0.unanswered.insert(method) } }

    func allow(_ method: LocationClientMethod) { state.withLock { $0.refusals[method] = nil } }

    /// What it answers when it is asked for more than the app may know.
    func grant(_ authorization: LocationAuthorization, isReduced: Bool = false) {
        state.withLock { $0.granted = (authorization, isReduced) }
    }

    /// Where it says that the device is in relation to a region.
    func place(_ state: RegionState, _ region: String) { self.state.withLock { $0.states[region] = state } }

    /// The answer to the next `once`; `nil`: it waits for `find`.
    func setFix(_ fix: Fix?) { state.withLock { ($0.fix, $0.waitsForFix) = (fix, fix == nil) } }

    /// Answers each `once` that waits.
    func find(_ fix: Fix) {
        let requests = state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
        for request in requests { queue.async { request(.success(["fix": fix.json])) } }
    }

    func surround(_ change: (inout LocationSurroundings) -> Void) {
        let (listener, news) = state.withLock { state in
            change(&state.surroundings)
            return (state.isStarted ? state.listener : nil, state.surroundings)
        }
        listener?.told(LocationClientMessage.surroundings.rawValue, news.json)
    }

    /// Tells the app something numbered.
    @discardableResult
    func tell(_ news: LocationNews) -> Int64 {
        let (listener, seq) = state.withLock { state in
            state.seq += 1
            return (state.listener, state.seq)
        }
        let told = LocationTold(seq: seq, news: news)
        listener?.called(
            ServiceCall(seq: seq, method: told.message.rawValue, params: told.json) { [answers] result in
                if case .success = result { answers.ring(seq) }
            })
        return seq
    }

    func tell(_ fixes: Fix...) { tell(.fixes, LocationFixes(fixes: fixes).json) }
    func tell(_ failure: LocationFailure) { tell(.failed, LocationFailed(code: failure, message: "gone").json) }
    func tell(_ heading: Heading) { tell(.heading, heading.json) }

    private func tell(_ message: LocationClientMessage, _ params: JSONValue) {
        state.withLock { $0.listener }?.told(message.rawValue, params)
    }

    /// What was asked so far has been answered, and the main thread has done what followed from that.
    func settle() async {
        for _ in 0..<3 {
            await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
            await mainThreadIsDone()
        }
    }

    // MARK: What it sees

    var methods: [LocationClientMethod] { state.withLock { $0.calls.map(\.method) } }

    func params(_ method: LocationClientMethod) -> [JSONValue] {
        state.withLock { $0.calls.filter { $0.method == method }.map(\.params) }
    }

    func updates() throws -> [UpdateSettings] { try params(.update).map { try UpdateSettings(json: $0) } }

    func flags(_ method: LocationClientMethod) -> [Bool] { params(method).compactMap { $0["on"]?.bool } }

    func hello() throws -> LocationHello {
        let listener = state.withLock { $0.listener }
        return try LocationHello(json: listener?.hello(running: []) ?? [:])
    }

    // MARK: ServiceLink

    func start() {
        let news = state.withLock { state in
            defer { state.isStarted = true }
            return state.isStarted || state.isAbsent ? nil : (state.listener, state.surroundings)
        }
        guard let (listener, surroundings) = news else { return }
        queue.async { listener?.greeted(surroundings.json) }
    }

    func request(_ method: String, _ params: JSONValue, isErrand: Bool, completion: @escaping Answered) {
        start()
        let answer = state.withLock { Self.answer(method, params, &$0, completion) }
        if let answer { queue.async { completion(answer) } }
    }

    /// - Returns: `nil`: it is answered later.
    private static func answer(
        _ method: String, _ params: JSONValue, _ state: inout State, _ completion: @escaping Answered
    ) -> Result<JSONValue, RPCError>? {
        if state.isAbsent { return .failure(RPCError(.unknown, "there is no service here")) }
        guard let method = LocationClientMethod(rawValue: method) else { return .failure(.methodNotFound(method)) }
        let region = params["identifier"]?.string ?? ""
        // That question is only asked to see the greeting.
        if method == .state, region.isEmpty { return .success(["state": "unknown"]) }
        state.calls.append((method, params))
        if let refusal = state.refusals[method] { return .failure(refusal) }
        if state.unanswered.contains(method) { return nil }
        switch method {
        case .once:
            guard !state.waitsForFix, let fix = state.fix else {
                state.requests.append(completion)
                return nil
            }
            return .success(["fix": fix.json])
        case .state: return .success(LocationStateAnswer(state: state.states[region] ?? .unknown).json)
        case .authorize:
            if let granted = state.granted {
                (state.surroundings.authorization, state.surroundings.isReduced) = granted
            }
            return .success([
                "authorization": .string(state.surroundings.authorization.rawValue),
                "reduced": .bool(state.surroundings.isReduced),
            ])
        case .hello, .update, .stopUpdates, .significant, .visits, .heading, .monitor, .unmonitor:
            return .success([:])
        }
    }

    func stop() { state.withLock { ($0.isStarted, $0.listener) = (false, nil) } }
    func settle(_ done: @escaping @Sendable () -> Void) { done() }
}

/// An app's location with a service and a folder of its own.
final class AppLocation: Sendable {
    let service = FakeLocationService()
    let home: LocationHome
    let complaints = Bell<String>()
    let folder: URL
    /// The process before it, which has the same folder.
    private let before: AppLocation?

    init(modes: [String] = ["location"], after before: AppLocation? = nil) {
        let name = "location-\(UUID().uuidString)"
        let folder = before?.folder ?? FileManager.default.temporaryDirectory.appendingPathComponent(name)
        let complaints = complaints
        (self.folder, self.before) = (folder, before)
        home = LocationHome(
            service.client(),
            .init(backgroundModes: { modes }, complain: { complaints.ring($0) }, folder: { folder }))
    }

    deinit { if before == nil { try? FileManager.default.removeItem(at: folder) } }

    /// The app's next process.
    static func second(of app: AppLocation) -> AppLocation { AppLocation(after: app) }

    var client: LocationClient { home.client }

    /// What is made within belongs to it.
    func use<Value>(_ body: () throws -> Value) rethrows -> Value {
        try LocationHome.$current.withValue(home) { try body() }
    }

    func use<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        try await LocationHome.$current.withValue(home) { try await body() }
    }

    func manager() -> CLLocationManager { use { CLLocationManager() } }

    /// A manager that has said what the app may know.
    func heardManager() async -> (CLLocationManager, Recorder) {
        let (manager, recorder) = (manager(), Recorder())
        manager.delegate = recorder
        _ = await recorder.authorizations.first(1)
        return (manager, recorder)
    }
}

/// The main thread is not the process's first one in a test that is asynchronous; its queue is what counts.
private enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

/// What a delegate hears, as words.
// What changes is behind the bells' mutexes.
final class Recorder: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
    let words = Bell<String>()
    let locations = Bell<[CLLocation]>()
    let errors = Bell<any Error>()
    let visits = Bell<CLVisit>()
    let headings = Bell<CLHeading>()
    let regions = Bell<CLRegion>()
    let authorizations = Bell<CLAuthorizationStatus>()

    private func hear(_ word: String) { words.ring(MainQueue.isCurrent ? word : "\(word) elsewhere") }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        hear("locations \(locations.map { String(format: "%.3f", $0.coordinate.latitude) }.joined(separator: " "))")
        self.locations.ring(locations)
    }
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        hear("failed \((error as NSError).code)")
        errors.ring(error)
    }
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        hear("entered \(region.identifier)")
        regions.ring(region)
    }
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        hear("exited \(region.identifier)")
    }
    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
        hear("state \(region.identifier) \(state.rawValue)")
    }
    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
        hear("monitors \(region.identifier)")
    }
    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {
        hear("monitoring failed \(region?.identifier ?? "-") \((error as NSError).code)")
        errors.ring(error)
    }
    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
        hear("visit")
        visits.ring(visit)
    }
    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
        hear("status \(status.rawValue)")
        authorizations.ring(status)
    }
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        hear("authorization \(manager.authorizationStatus.rawValue) \(manager.accuracyAuthorization.rawValue)")
    }
    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { hear("paused") }
    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) { hear("resumed") }
    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        hear("heading \(Int(newHeading.magneticHeading))")
        headings.ring(newHeading)
    }
    func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
        error: any Error
    ) { hear("ranging failed \((error as NSError).code)") }
    func locationManager(
        _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error
    ) { hear("ranging failed \(region.identifier) \((error as NSError).code)") }
    func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?) {
        hear("deferred \((error as NSError?)?.code ?? 0)")
    }

    /// What was heard but for what the app may know.
    var news: [String] { words.all.filter { !$0.hasPrefix("authorization") && !$0.hasPrefix("status") } }
}
