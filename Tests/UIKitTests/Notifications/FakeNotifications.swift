import AppRuntime
import Dispatch
import NotificationsWire
import Synchronization
import UIKit
import UserNotifications
import Wire

/// The notification service in this process: what it answers is what it was asked to keep.
final class FakeNotifications: ServiceLink {
    private struct State {
        var listener: (any ServiceListener)?
        var isStarted = false
        var calls: [(method: String, params: JSONValue)] = []
        var pending: [NotificationRequestInfo] = []
        var delivered: [NotificationInfo] = []
        var categories: JSONValue = NotificationCategories(categories: []).json
        var badge: Int64 = 2
        var registration: Result<JSONValue, RPCError> = .success(NotificationToken(token: "0102").json)
        var isGranted = true
        var answers: [Int64: JSONValue] = [:]
        var waiters: [Int64: CheckedContinuation<JSONValue, Never>] = [:]
    }

    private let state = Mutex(State())

    /// The service of the process's app from now on.
    static func install() -> FakeNotifications {
        let service = FakeNotifications()
        NotificationClient.shared.use { listener in
            service.state.withLock { $0.listener = listener }
            return service
        }
        return service
    }

    static func uninstall() {
        NotificationClient.shared.use { ServiceClient("notifications", errand: "notifications", listener: $0) }
    }

    // MARK: As the test wants it

    func register(_ result: Result<JSONValue, RPCError>) { state.withLock { $0.registration = result } }
    func grant(_ isGranted: Bool) { state.withLock { $0.isGranted = isGranted } }
    func deliver(_ info: NotificationInfo) { state.withLock { $0.delivered.append(info) } }

    /// Asks the app, and has its answer.
    func ask(_ method: NotificationClientMessage, _ seq: Int64, _ params: JSONValue) async -> JSONValue {
        send(method, seq, params)
        return await answer(seq)
    }

    func send(_ method: NotificationClientMessage, _ seq: Int64, _ params: JSONValue) {
        let call = ServiceCall(seq: seq, method: method.rawValue, params: params) { [self] result in
            let answer = (try? result.get()) ?? .null
            state.withLock { state in
                state.answers[seq] = answer
                state.waiters.removeValue(forKey: seq)?.resume(returning: answer)
            }
        }
        state.withLock { $0.listener }?.called(call)
    }

    func answer(_ seq: Int64) async -> JSONValue {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if let answer = state.answers[seq] { return continuation.resume(returning: answer) }
                state.waiters[seq] = continuation
            }
        }
    }

    // MARK: What it saw

    var isStarted: Bool { state.withLock { $0.isStarted } }
    var methods: [String] { state.withLock { $0.calls.map(\.method) } }
    var pending: [NotificationRequestInfo] { state.withLock { $0.pending } }
    var delivered: [NotificationInfo] { state.withLock { $0.delivered } }
    var badge: Int64 { state.withLock { $0.badge } }

    func params(_ method: NotificationClientMethod) -> JSONValue? {
        state.withLock { $0.calls.last { $0.method == method.rawValue }?.params }
    }

    // MARK: ServiceLink

    func start() {
        let (listener, badge) = state.withLock { state in
            defer { state.isStarted = true }
            return (state.isStarted ? nil : state.listener, state.badge)
        }
        listener?.greeted(NotificationGreeting(settings: Self.settings, badge: badge, registered: "ff").json)
    }

    func stop() {}
    func settle(_ done: @escaping @Sendable () -> Void) { done() }

    func request(_ method: String, _ params: JSONValue, isErrand: Bool, completion: @escaping Answered) {
        start()
        let answer = state.withLock { state in
            state.calls.append((method, params))
            return Self.answer(method, params, &state)
        }
        DispatchQueue.global().async { completion(answer) }
    }

    private static let settings = NotificationSettingsInfo(
        authorization: .authorized, options: [.alert, .badge], alert: .enabled, badge: .enabled, alertStyle: .banner)

    private static func answer(
        _ method: String, _ params: JSONValue, _ state: inout State
    ) -> Result<JSONValue, RPCError> {
        let identifiers = (try? NotificationRemoval(json: params))?.identifiers
        switch NotificationClientMethod(rawValue: method) {
        case .authorize: return .success(NotificationGranted(granted: state.isGranted).json)
        case .settings: return .success(settings.json)
        case .add:
            guard let request = try? NotificationRequestParameters(json: params).request else { break }
            if request.trigger == nil {
                state.delivered.append(NotificationInfo(date: 1, request: request))
            } else {
                state.pending.append(request)
            }
            return .success(NotificationAdded().json)
        case .pending: return .success(NotificationPendingPage(requests: state.pending).json)
        case .removePending:
            state.pending.removeAll { identifiers?.contains($0.identifier) ?? true }
            return .success([:])
        case .delivered: return .success(NotificationDeliveredPage(notifications: state.delivered).json)
        case .removeDelivered:
            state.delivered.removeAll { identifiers?.contains($0.request.identifier) ?? true }
            return .success([:])
        case .setCategories:
            state.categories = params
            return .success([:])
        case .categories: return .success(state.categories)
        case .setBadge:
            state.badge = (try? NotificationBadge(json: params))?.count ?? -1
            return .success([:])
        case .register: return state.registration
        case .unregister: return .success([:])
        case .opening: return .success(NotificationOpening(told: nil).json)
        case .hello, nil: break
        }
        return .failure(.methodNotFound(method))
    }
}

/// A daemon in this process that writes down what it is asked.
final class NotedLink: AppLink {
    private let state = Mutex<(completions: [JSONValue], waiters: [CheckedContinuation<JSONValue, Never>])>(([], []))
    let greeting: JSONValue? = nil

    func request(
        _ method: AppMethod, _ params: JSONValue,
        completion: @escaping @MainActor @Sendable (Result<JSONValue, RPCError>) -> Void
    ) {
        guard method == .complete else { return }
        state.withLock { state in
            if state.waiters.isEmpty {
                state.completions.append(params)
            } else {
                state.waiters.removeFirst().resume(returning: params)
            }
        }
    }

    /// The next window that the app completes.
    func completed() async -> JSONValue {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if state.completions.isEmpty {
                    state.waiters.append(continuation)
                } else {
                    continuation.resume(returning: state.completions.removeFirst())
                }
            }
        }
    }

    func requestAndWait(_ method: AppMethod, _ params: JSONValue, seconds: Double) -> Result<JSONValue, RPCError>? {
        nil
    }

    func stop() {}
}
