internal import Foundation
internal import FoundationNetworking
internal import Synchronization
internal import TransferWire
internal import Wire

/// What a background session is: its tasks, its delegate, and what it has said to the service and heard from it.
// The registry is behind a mutex; the rest is touched on the client's queue only.
final class SessionCore: @unchecked Sendable {
    private struct Registry: Sendable {
        /// Where the numbers of tasks go on; `nil` until the service has said it.
        var nextTask: Int?
        /// In the order in which they were made; the session keeps them until they are over.
        var tasks: [any BackgroundTask] = []
        /// `nil` once the session is invalid: until then the system keeps a background session alive.
        var session: URLSession?
        var delegate: (any URLSessionDelegate)?
        var isInvalid = false
        var isAttached = false
    }

    let identifier: String
    let client: TransferClient
    let delegateQueue: OperationQueue
    private let configuration: BackgroundURLSessionConfiguration
    private let registry: Mutex<Registry>
    /// Left when the service has said where the numbers of tasks go on.
    private let numbering = DispatchGroup()

    // On the queue.
    private var hasBegun = false
    private var hasLeftNumbering = false
    private var backlog: [() -> Void] = []
    private var refusal: (any Error)?
    var delivery = Delivery()

    init(
        _ identifier: String, _ client: TransferClient, _ session: URLSession,
        _ configuration: BackgroundURLSessionConfiguration, _ delegate: (any URLSessionDelegate)?,
        _ delegateQueue: OperationQueue
    ) {
        self.identifier = identifier
        self.client = client
        self.delegateQueue = delegateQueue
        self.configuration = configuration.duplicate()
        registry = Mutex(Registry(session: session, delegate: delegate))
        numbering.enter()
    }

    var delegate: (any URLSessionDelegate)? { registry.withLock { $0.delegate } }
    var session: URLSession? { registry.withLock { $0.session } }
    var requestTimeout: TimeInterval { configuration.timeoutIntervalForRequest }
    var credentials: URLCredentialStorage? { configuration.urlCredentialStorage }

    var settings: TransferSettings {
        TransferSettings(configuration, asksBeforeDelayedRequests: delegate is any URLSessionDelayedRequestDelegate)
    }

    /// The session's object has its class: it is opened at the service, once.
    func attach() {
        let isFirst = registry.withLock { registry in
            defer { registry.isAttached = true }
            return !registry.isAttached
        }
        if isFirst { client.begin(self) }
    }

    /// A second session with the same identifier was made. The first one's delegate stays, if it has one.
    func join(_ delegate: (any URLSessionDelegate)?) {
        guard let delegate else { return }
        registry.withLock { $0.delegate = $0.delegate ?? delegate }
        client.queue.async { self.deliverHeld() }
    }

    // MARK: Tasks

    /// The request as the session sends it: with what its configuration adds. Headers of the configuration are the
    /// service's to add; cookies are in this process.
    func configured(_ request: URLRequest) -> URLRequest {
        var request = request
        guard configuration.httpShouldSetCookies, request.value(forHTTPHeaderField: "Cookie") == nil,
            let url = request.url,
            let cookies = configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty
        else { return request }
        for (field, value) in HTTPCookie.requestHeaderFields(with: cookies) {
            request.setValue(value, forHTTPHeaderField: field)
        }
        return request
    }

    func add<Task: BackgroundTask>(_ task: Task) -> Task {
        let isAdded = registry.withLock { registry in
            guard !registry.isInvalid else { return false }
            registry.tasks.append(task)
            if let number = registry.nextTask {
                task.box.assign(number)
                registry.nextTask = number + 1
            }
            // Within the lock, so that the service hears of tasks in the order of their numbers.
            client.say { self.whenOpen { self.submit(task.box) } }
            return true
        }
        guard isAdded else { refuse(Refusal.invalidated) }
        return task
    }

    private func submit(_ box: TaskBox) {
        if let refusal { return fail(box, refusal) }
        guard let (create, file) = box.submit() else { return }
        if let length = create.request.body?.count, length > 65_536 {
            let sentence = "The body of a background download is longer than 64 KiB; upload it from a file instead."
            return fail(
                box, TransferFailure.make(NSURLErrorDataLengthExceedsMaximum, sentence, box.originalRequest?.url))
        }
        client.request(.create, create.json, identifier, with: file) { result in
            switch result {
            case .success: box.becomeKnown()
            case .failure(let error):
                self.fail(box, TransferFailure.make(NSURLErrorUnknown, error.message, box.originalRequest?.url))
            }
        }
    }

    /// Ends a task that the service does not have.
    private func fail(_ box: TaskBox, _ error: any Error) {
        guard box.complete(error) else { return }
        callDelegate { session, delegate in
            guard let task = self.task(of: box) else { return }
            (delegate as? any URLSessionTaskDelegate)?.urlSession(session, task: task, didCompleteWithError: error)
        } then: {
            self.remove(box)
        }
    }

    /// Waits a moment for the service to say where numbers go on. A program can ask for a number before any service
    /// ever ran; then they go on at a place where no earlier number can have been.
    func number(of box: TaskBox) -> Int {
        _ = numbering.wait(timeout: .now() + 2)
        return registry.withLock { registry in
            if let number = box.assignedNumber { return number }
            let microseconds = Int(Date().timeIntervalSince1970 * 1_000_000)
            return Self.assign(&registry, from: max(microseconds, registry.nextTask ?? 0), box)
        }
    }

    /// Numbers every task that has none.
    @discardableResult
    private static func assign(_ registry: inout Registry, from first: Int, _ asked: TaskBox?) -> Int {
        var next = first
        for task in registry.tasks where task.box.assignedNumber == nil {
            task.box.assign(next)
            next += 1
        }
        registry.nextTask = next
        return asked?.assignedNumber ?? 0
    }

    func withTasks(_ handler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        client.queue.async {
            self.whenOpen {
                let tasks = self.registry.withLock { $0.tasks.filter { $0.box.phase != .completed } }
                self.delegateQueue.addOperation { handler(tasks) }
            }
        }
    }

    func task(of box: TaskBox) -> (any BackgroundTask)? {
        registry.withLock { $0.tasks.first { $0.box === box } }
    }

    func task(_ number: Int64?) -> (any BackgroundTask)? {
        guard let number = number.map(Int.init) else { return nil }
        return registry.withLock { $0.tasks.first { $0.box.assignedNumber == number } }
    }

    func remove(_ box: TaskBox) { registry.withLock { $0.tasks.removeAll { $0.box === box } } }

    // MARK: Telling the service

    func tell(_ method: TransferClientMethod, _ box: TaskBox) {
        client.say {
            self.whenOpen {
                guard self.refusal == nil else { return self.ended(method, box) }
                guard let number = box.assignedNumber else { return }
                let parameters = TransferTaskParameters(session: self.identifier, task: Int64(number))
                self.client.request(method, parameters.json, self.identifier)
            }
        }
    }

    func tell(_ method: TransferClientMethod, _ parameters: JSONValue) {
        client.say { self.whenOpen { self.client.request(method, parameters, self.identifier) } }
    }

    func cancel(_ box: TaskBox, producing handler: UncheckedHandler) {
        client.say {
            self.whenOpen {
                guard let number = box.assignedNumber, self.refusal == nil else {
                    return self.call { handler.call(nil) }
                }
                let parameters = TransferTaskParameters(
                    session: self.identifier, task: Int64(number), producesResumeData: true)
                self.client.request(.cancel, parameters.json, self.identifier) { result in
                    let answer = (try? result.get()).flatMap { try? TransferCancelled(json: $0) }
                    let data = answer?.resumeData.map {
                        ResumeData.wrap($0, box.originalRequest, self.requestTimeout)
                    }
                    self.call { handler.call(data) }
                }
            }
        }
    }

    func invalidate(cancels: Bool) {
        let (isFirst, tasks) = registry.withLock { registry in
            defer { registry.isInvalid = true }
            return (!registry.isInvalid, registry.tasks)
        }
        if cancels { for task in tasks { _ = task.box.beginCancelling() } }
        guard isFirst || cancels else { return }
        let parameters = TransferInvalidate(session: identifier, cancels: cancels).json
        client.say {
            self.whenOpen {
                if self.refusal != nil { return self.invalidated() }
                self.client.request(.invalidate, parameters, self.identifier)
            }
        }
    }

    /// On the session's delegate queue.
    func call(_ body: @escaping @Sendable () -> Void) { delegateQueue.addOperation(body) }

    /// Something waits for the service to open the session. On the queue.
    var hasBacklog: Bool { !backlog.isEmpty }

    /// Runs at once, or when the service has opened the session for the first time.
    private func whenOpen(_ body: @escaping () -> Void) {
        if hasBegun { body() } else { backlog.append(body) }
    }

    // MARK: Hearing from the service, on the queue

    /// The service has opened the session, now or again: tasks of earlier runs of this program come back.
    func opened(_ answer: TransferOpened) {
        refusal = nil
        let lost = registry.withLock { registry -> [TaskBox] in
            let numbered = registry.tasks.compactMap { task in task.box.assignedNumber.map { ($0, task.box) } }
            let known = Dictionary(numbered, uniquingKeysWith: { first, _ in first })
            for info in answer.tasks {
                if let box = known[Int(info.task)] {
                    box.take(info)
                } else {
                    let box = TaskBox(info, self)
                    let task: any BackgroundTask =
                        info.kind == .upload ? BackgroundUploadTask(box) : BackgroundDownloadTask(box)
                    registry.tasks.append(task)
                }
            }
            Self.assign(&registry, from: max(registry.nextTask ?? 0, Int(answer.nextTask)), nil)
            let present = Set(answer.tasks.map { Int($0.task) })
            return registry.tasks.map(\.box).filter { box in
                box.isKnown && box.phase != .completed && !(box.assignedNumber.map(present.contains) ?? true)
            }
        }
        leaveNumbering()
        for box in lost {
            let sentence = "Lost connection to background transfer service"
            fail(
                box,
                TransferFailure.make(NSURLErrorBackgroundSessionWasDisconnected, sentence, box.originalRequest?.url))
        }
    }

    /// Says what the program wanted before the session was open.
    func begin() {
        hasBegun = true
        let bodies = backlog
        backlog = []
        for body in bodies { body() }
    }

    /// The service does not open the session: another process has it, or it is not as the service wants it.
    func refused(_ error: RPCError) {
        let isTaken = error.code == .refused
        TransferClient.complain(
            isTaken
                ? "A background URLSession with identifier \(identifier) is in use by another process"
                : "The background URLSession with identifier \(identifier) was refused: \(error.message)")
        let code = isTaken ? NSURLErrorBackgroundSessionInUseByAnotherProcess : NSURLErrorUnknown
        let failure = TransferFailure.make(code, error.message, nil)
        refusal = failure
        registry.withLock { registry in _ = Self.assign(&registry, from: registry.nextTask ?? 1, nil) }
        leaveNumbering()
        for task in registry.withLock({ $0.tasks }) { fail(task.box, failure) }
        begin()
    }

    private func leaveNumbering() {
        if !hasLeftNumbering { numbering.leave() }
        hasLeftNumbering = true
    }

    /// What becomes of a request for a task of a session that was refused.
    private func ended(_ method: TransferClientMethod, _ box: TaskBox) {
        if let refusal { fail(box, refusal) }
    }

    /// The session is over: the delegate is told, and let go.
    func invalidated() {
        callDelegate { session, delegate in
            delegate.urlSession(session, didBecomeInvalidWithError: nil)
        } then: {
            self.client.forget(self)
            self.registry.withLock { registry in
                registry.session = nil
                registry.delegate = nil
                registry.tasks = []
                registry.isInvalid = true
            }
        }
    }

    /// Calls the delegate on its queue, and goes on when it has returned. Without a delegate it goes on at once.
    func callDelegate(
        _ body: @escaping @Sendable (URLSession, any URLSessionDelegate) -> Void,
        then: @escaping @Sendable () -> Void = {}
    ) {
        delegateQueue.addOperation {
            let (session, delegate) = self.registry.withLock { ($0.session, $0.delegate) }
            if let session, let delegate { body(session, delegate) }
            self.client.queue.async(execute: then)
        }
    }
}
