import AppRuntime
import Foundation
import NotificationsWire
import Synchronization
import UserNotifications
import Wire

/// The notification service as an app sees it: what it answers, asks and outlives, the test says.
final class ScriptedService: Sendable {
    struct Call: Sendable {
        let method: String
        let params: JSONValue
    }

    struct State: Sendable {
        fileprivate(set) var calls: [Call] = []
        /// What it got to what it asked, in the order in which that came; for one number perhaps several times.
        fileprivate(set) var answers: [(seq: Int64, answer: Result<JSONValue, RPCError>)] = []
        fileprivate var connection: RawSocket?
        fileprivate var scripts: [String: [Result<JSONValue, RPCError>]] = [:]
        /// Requests that are not answered when their turn comes, as when the service dies at that moment.
        fileprivate var unanswered: Set<String> = []
        fileprivate var diesAtAnswer = false
    }

    private struct Waiting: Sendable {
        var state = State()
        var waiters: [@Sendable (State) -> Bool] = []
    }

    private let state = Mutex(Waiting())
    private let permission = DispatchSemaphore(value: 0)
    private let refusal: RPCError?
    /// Of this service's clients only: what other tests say meanwhile is not heard here, and they do not hear of these.
    let errands = ServiceErrands()

    static let settings = NotificationSettingsInfo(
        authorization: .authorized, options: [.alert, .sound], alert: .enabled, sound: .enabled, badge: .disabled,
        list: .enabled, lockScreen: .enabled, alertStyle: .banner)

    /// - Parameters:
    ///   - connections: how many connections are accepted before `accept` is called.
    ///   - refusal: what an attempt to connect comes to instead.
    init(connections: Int = 1, refusal: RPCError? = nil) {
        self.refusal = refusal
        for _ in 0..<connections { permission.signal() }
    }

    /// A client of its own, whose app this process is.
    func client() -> NotificationClient {
        NotificationClient { [errands] listener in
            ServiceClient("notifications", errand: "tests", keeper: errands, listener: listener) { self.attempt() }
        }
    }

    // MARK: As the test wants it

    /// Accepts one connection more.
    func accept() { permission.signal() }

    /// It dies: what it did not answer it does not know of.
    func die() { state.withLock { $0.state.connection?.shutDown() } }

    /// It dies when an answer of the app comes, and has not heard it.
    func dieAtAnswer() { state.withLock { $0.state.diesAtAnswer = true } }

    /// It answers the next request with this method so.
    func answer(_ method: NotificationClientMethod, _ answers: Result<JSONValue, RPCError>...) {
        state.withLock { $0.state.scripts[method.rawValue, default: []] += answers }
    }

    func leaveUnanswered(_ methods: NotificationClientMethod...) {
        state.withLock { $0.state.unanswered = Set(methods.map(\.rawValue)) }
    }

    /// Asks the app for something, perhaps again.
    func ask(_ method: NotificationClientMessage, _ seq: Int64, _ params: JSONValue) {
        send(.request(id: .int(seq), method: method.rawValue, params: params))
    }

    func send(_ message: RPCMessage) { state.withLock { _ = $0.state.connection?.send(message.encoded()) } }

    // MARK: What it sees

    /// The `count`-th request with the method, when it has come.
    func call(_ method: NotificationClientMethod, _ count: Int = 1) async -> JSONValue {
        await first { state in
            state.calls.filter { $0.method == method.rawValue }.dropFirst(count - 1).first?.params
        }
    }

    /// The `count`-th answer to what it asked under this number.
    func answer(_ seq: Int64, _ count: Int = 1) async -> Result<JSONValue, RPCError> {
        await first { state in
            state.answers.filter { $0.seq == seq }.dropFirst(count - 1).first?.answer
        }
    }

    var methods: [String] { state.withLock { $0.state.calls.map(\.method) } }
    var answered: [Int64] { state.withLock { $0.state.answers.map(\.seq) } }

    private func first<Value: Sendable>(_ isThere: @escaping @Sendable (State) -> Value?) async -> Value {
        await withCheckedContinuation { continuation in
            state.withLock { waiting in
                if let value = isThere(waiting.state) { return continuation.resume(returning: value) }
                waiting.waiters.append { state in
                    guard let value = isThere(state) else { return false }
                    continuation.resume(returning: value)
                    return true
                }
            }
        }
    }

    private func note(_ change: (inout State) -> Void) {
        state.withLock { waiting in
            change(&waiting.state)
            let state = waiting.state
            waiting.waiters.removeAll { $0(state) }
        }
    }

    // MARK: As a service

    private func attempt() -> ServiceStream.Attempt? {
        if let refusal { return .never(refusal) }
        permission.wait()
        guard let (near, far) = RawSocket.pair() else { return .notNow }
        state.withLock { $0.state.connection = far }
        let thread = Thread { [self] in serve(far) }
        thread.start()
        return .connected(near)
    }

    private func serve(_ socket: RawSocket) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var framer = LineFramer()
        var passengers: [OwnedDescriptor] = []
        while let count = socket.receive(into: &buffer, &passengers) {
            framer.append(Array(buffer[..<count]))
            while let line = try? framer.next() {
                if let message = try? RPCMessage.parse(line) { take(message, socket) }
            }
        }
    }

    private func take(_ message: RPCMessage, _ socket: RawSocket) {
        switch message {
        case .request(let id, let method, let params):
            // Answered first: a test that has seen the request sees what follows from the answer soon.
            let answer = state.withLock { Self.answer(method, &$0.state) }
            switch answer {
            case .success(let result)?: socket.send(RPCMessage.response(id: id, result: result).encoded())
            case .failure(let error)?: socket.send(RPCMessage.failure(id: id, error).encoded())
            case nil: break
            }
            note { $0.calls.append(Call(method: method, params: params)) }
        case .response(.int(let seq), let result): hear(seq, .success(result))
        case .failure(.int(let seq)?, let error): hear(seq, .failure(error))
        default: break
        }
    }

    private func hear(_ seq: Int64, _ answer: Result<JSONValue, RPCError>) {
        note { state in
            guard !state.diesAtAnswer else {
                state.diesAtAnswer = false
                state.connection?.shutDown()
                return
            }
            state.answers.append((seq, answer))
        }
    }

    private static func answer(_ method: String, _ state: inout State) -> Result<JSONValue, RPCError>? {
        guard !state.unanswered.contains(method) else { return nil }
        if let script = state.scripts[method]?.first {
            state.scripts[method]?.removeFirst()
            return script
        }
        return switch NotificationClientMethod(rawValue: method) {
        case .hello: .success(NotificationGreeting(settings: settings, badge: 3, registered: "00ff").json)
        case .authorize: .success(NotificationGranted(granted: true).json)
        case .settings: .success(settings.json)
        case .pending: .success(NotificationPendingPage(requests: []).json)
        case .delivered: .success(NotificationDeliveredPage(notifications: []).json)
        case .categories: .success(NotificationCategories(categories: []).json)
        case .register: .success(NotificationToken(token: "0a1B").json)
        case .add: .success(NotificationAdded().json)
        case .removePending, .removeDelivered, .setCategories, .setBadge, .unregister: .success([:])
        case .opening: .success(NotificationOpening(told: nil).json)
        case nil: .failure(.methodNotFound(method))
        }
    }
}

/// What happens in a test, in its order.
final class Bell<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<[Value], Never>)] = []
    }

    private let state = Mutex(State())

    func ring(_ value: Value) {
        state.withLock { state in
            state.values.append(value)
            let values = state.values
            state.waiters.removeAll { waiter in
                guard values.count >= waiter.count else { return false }
                waiter.continuation.resume(returning: values)
                return true
            }
        }
    }

    /// All of it, when so much has happened.
    func first(_ count: Int) async -> [Value] {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                guard state.values.count < count else { return continuation.resume(returning: state.values) }
                state.waiters.append((count, continuation))
            }
        }
    }
}
