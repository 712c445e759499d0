internal import AppRuntime
internal import Foundation
internal import FoundationNetworking
internal import Synchronization
internal import TransferWire
internal import Wire

/// A task of a background session: Foundation's class with everything overridden.
protocol BackgroundTask: URLSessionTask {
    var box: TaskBox { get }
}

/// What a task is, for whoever asks from whatever thread. Its session's core tells the service what changes.
final class TaskBox: Sendable {
    /// What the program may change.
    struct Wishes: Sendable {
        var description: String?
        var earliestBegin: Date?
        var priority = URLSessionTask.defaultPriority
        var clientExpectsToSend = NSURLSessionTransferSizeUnknown
        var clientExpectsToReceive = NSURLSessionTransferSizeUnknown
    }

    private struct State: Sendable {
        var number: Int?
        var phase = URLSessionTask.State.suspended
        /// The task moves when it is zero.
        var suspensions = 1
        var wishes = Wishes()
        /// The service is being told of the task: what changes from here on it has to be told.
        var isSubmitted = false
        /// The service has answered that it has the task.
        var isKnown = false
        var request: URLRequest?
        /// In its place, from a delegate that was asked.
        var newRequest: URLRequest?
        var response: URLResponse?
        var error: (any Error)?
        var received: Int64 = 0
        /// How long the server's answer to an upload is, which was handed over.
        var answer: Int64?
        var sent: Int64 = 0
        var expectedToReceive: Int64 = 0
        var expectedToSend: Int64 = 0
        /// Bytes that the delegate was not told of yet; `nil` when it has been told of all.
        var untold: Int64?
        var file: OwnedDescriptor?
        var resumeData: [UInt8]?
    }

    let kind: TransferKindName
    let core: SessionCore
    let progress = Progress(totalUnitCount: -1)
    private let state: Mutex<State>

    init(_ kind: TransferKindName, _ core: SessionCore, request: URLRequest) {
        self.kind = kind
        self.core = core
        state = Mutex(State(request: core.configured(request)))
    }

    init(_ kind: TransferKindName, _ core: SessionCore, resumeData: Data) {
        self.kind = kind
        self.core = core
        let (words, request) = ResumeData.unwrap(resumeData)
        state = Mutex(State(request: request, resumeData: words))
    }

    init(_ kind: TransferKindName, _ core: SessionCore, request: URLRequest, file: OwnedDescriptor, length: Int64) {
        self.kind = kind
        self.core = core
        state = Mutex(State(request: core.configured(request), expectedToSend: length, file: file))
    }

    /// A task that an earlier run of the program made.
    init(_ info: TransferTaskInfo, _ core: SessionCore) {
        kind = info.kind
        self.core = core
        state = Mutex(
            State(
                number: Int(info.task), phase: info.state.phase, suspensions: info.state == .suspended ? 1 : 0,
                wishes: Wishes(
                    description: info.description,
                    earliestBegin: info.earliestBegin.map(Date.init(timeIntervalSince1970:)),
                    priority: Float(info.priority)),
                isSubmitted: true, isKnown: true, request: URLRequest(info)))
        take(info)
    }

    // MARK: What the program reads

    /// Counted by the session. Waits a moment for the service if it has not said yet where its numbers go on.
    var number: Int { assignedNumber ?? core.number(of: self) }
    var assignedNumber: Int? { state.withLock { $0.number } }
    var phase: URLSessionTask.State { state.withLock { $0.phase } }
    var originalRequest: URLRequest? { state.withLock { $0.request } }
    var response: URLResponse? { state.withLock { $0.response } }
    var error: (any Error)? { state.withLock { $0.error } }
    var received: Int64 { state.withLock { $0.received } }
    var sent: Int64 { state.withLock { $0.sent } }
    var expectedToReceive: Int64 { state.withLock { $0.expectedToReceive } }
    var expectedToSend: Int64 { state.withLock { $0.expectedToSend } }
    var description: String? { state.withLock { $0.wishes.description } }
    var earliestBegin: Date? { state.withLock { $0.wishes.earliestBegin } }
    var priority: Float { state.withLock { $0.wishes.priority } }
    var clientExpectsToSend: Int64 { state.withLock { $0.wishes.clientExpectsToSend } }
    var clientExpectsToReceive: Int64 { state.withLock { $0.wishes.clientExpectsToReceive } }

    /// The original one, or the delegate's, at the address from which the response came.
    var currentRequest: URLRequest? {
        state.withLock { state in
            var request = state.newRequest ?? state.request
            if let url = state.response?.url { request?.url = url }
            return request
        }
    }

    // MARK: What the program does

    func resume() {
        let moves = state.withLock { state in
            guard state.phase == .suspended else { return false }
            if state.suspensions > 0 { state.suspensions -= 1 }
            guard state.suspensions == 0 else { return false }
            state.phase = .running
            return true
        }
        if moves { core.tell(.resume, self) }
    }

    func suspend() {
        let stops = state.withLock { state in
            guard state.phase == .suspended || state.phase == .running else { return false }
            state.suspensions += 1
            guard state.phase == .running else { return false }
            state.phase = .suspended
            return true
        }
        if stops { core.tell(.suspend, self) }
    }

    func cancel() {
        if beginCancelling() { core.tell(.cancel, self) }
    }

    func cancel(producing handler: UncheckedHandler) {
        guard beginCancelling() else { return core.call { handler.call(nil) } }
        core.cancel(self, producing: handler)
    }

    /// False if it was cancelled before, or is over.
    func beginCancelling() -> Bool {
        state.withLock { state in
            guard state.phase == .suspended || state.phase == .running else { return false }
            state.phase = .canceling
            return true
        }
    }

    /// Remembers a wish, and tells the service if it already has the task.
    func change<Value: Sendable>(
        _ wish: any WritableKeyPath<Wishes, Value> & Sendable, _ value: Value,
        _ edit: @Sendable (inout TransferChangeParameters) -> Void
    ) {
        let isSubmitted = state.withLock { state in
            state.wishes[keyPath: wish] = value
            return state.isSubmitted && state.phase != .completed
        }
        guard isSubmitted, let number = assignedNumber else { return }
        var parameters = TransferChangeParameters(session: core.identifier, task: Int64(number))
        edit(&parameters)
        core.tell(.change, parameters.json)
    }
}

// MARK: What the core does

extension TaskBox {
    /// Gives it its number, once.
    func assign(_ number: Int) { state.withLock { $0.number = $0.number ?? number } }

    /// What the service is told of a new task, and the file that goes with it. From here on it is told of changes.
    func submit() -> (TransferCreate, OwnedDescriptor?)? {
        state.withLock { state in
            guard let number = state.number, !state.isSubmitted else { return nil }
            state.isSubmitted = true
            let wishes = state.wishes
            let create = TransferCreate(
                session: core.identifier, task: Int64(number), kind: kind,
                request: TransferRequestInfo(state.request, core.requestTimeout),
                description: wishes.description, earliestBegin: wishes.earliestBegin?.timeIntervalSince1970,
                priority: Double(wishes.priority), expectsToSend: known(wishes.clientExpectsToSend),
                expectsToReceive: known(wishes.clientExpectsToReceive), resumeData: state.resumeData)
            defer {
                state.file = nil
                state.resumeData = nil
            }
            return (create, state.file)
        }
    }

    private func known(_ count: Int64) -> Int64? { count == NSURLSessionTransferSizeUnknown ? nil : count }

    func becomeKnown() { state.withLock { $0.isKnown = true } }
    var isKnown: Bool { state.withLock { $0.isKnown } }

    /// What the service says of a task that it has.
    func take(_ info: TransferTaskInfo) {
        let response = info.response.flatMap(HTTPURLResponse.make)
        state.withLock { state in
            state.isKnown = true
            if state.request == nil { state.request = URLRequest(info) }
            // The answer to an upload is counted when it is handed over, of which the service hears later.
            state.received = max(info.received, state.answer ?? 0)
            state.sent = info.sent
            state.expectedToReceive = info.expectedReceive ?? state.answer ?? NSURLSessionTransferSizeUnknown
            state.expectedToSend = info.expectedSend ?? (kind == .upload ? state.expectedToSend : 0)
            state.response = response ?? state.response
        }
        showProgress()
    }

    func take(_ response: TransferResponseInfo?) {
        guard let response = response.flatMap(HTTPURLResponse.make) else { return }
        state.withLock { $0.response = response }
    }

    func use(_ request: URLRequest?) { state.withLock { $0.newRequest = request } }

    /// So many bytes are the server's answer to the upload.
    func answered(_ count: Int64) {
        state.withLock { state in
            state.answer = count
            state.received = count
            state.expectedToReceive = count
        }
    }

    /// True if the delegate has to be told; otherwise it will be told of these bytes together with earlier ones.
    func note(_ news: TransferProgress) -> Bool {
        defer { showProgress() }
        return state.withLock { state in
            if let received = news.received {
                state.received = received
                state.expectedToReceive = news.expected ?? NSURLSessionTransferSizeUnknown
            }
            if let sent = news.sent {
                state.sent = sent
                state.expectedToSend = news.expected ?? state.expectedToSend
            }
            guard state.phase != .completed else { return false }
            defer { state.untold = (state.untold ?? 0) + news.bytes }
            return state.untold == nil
        }
    }

    /// The bytes that the delegate is told of now; `nil` if the task ended in the meantime.
    func takeUntold() -> Int64? {
        state.withLock { state in
            defer { state.untold = nil }
            return state.phase == .completed ? nil : state.untold
        }
    }

    /// It is over. False if it was before.
    func complete(_ error: (any Error)?, received: Int64? = nil, sent: Int64? = nil) -> Bool {
        let isNew = state.withLock { state in
            defer {
                state.phase = .completed
                state.error = error ?? state.error
                state.received = received ?? state.received
                state.sent = sent ?? state.sent
                state.file = nil
            }
            return state.phase != .completed
        }
        showProgress()
        return isNew
    }

    private func showProgress() {
        let (done, total) = state.withLock { state -> (Int64, Int64) in
            let done = kind == .upload ? state.sent : state.received
            let total = kind == .upload ? state.expectedToSend : state.expectedToReceive
            return state.phase == .completed ? (max(done, 1), max(done, 1)) : (done, total > 0 ? total : -1)
        }
        progress.totalUnitCount = total
        progress.completedUnitCount = done
    }
}

extension TransferTaskState {
    var phase: URLSessionTask.State {
        switch self {
        case .suspended: .suspended
        case .running: .running
        case .canceling: .canceling
        // As long as its delegate has not been told, a task is not over for the program.
        case .completed: .running
        }
    }
}
