internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import Synchronization
internal import TransferWire

/// What a download of this process is, for any thread that asks. What is heard of it, and its file, are on the core's
/// queue (`Download+Loading.swift`).
final class Download: EngineLoad {
    typealias Handler = @Sendable (URL?, URLResponse?, (any Error)?) -> Void

    /// Where it begins.
    enum Origin: Sendable {
        case new(URLRequest)
        case resumed(ForegroundResumeData)
        /// Resume data that is none.
        case unreadable

        var request: URLRequest? {
            switch self {
            case .new(let request): request
            case .resumed(let data): data.request
            case .unreadable: nil
            }
        }

        var isHTTP: Bool {
            guard let request else { return true }
            return ["http", "https"].contains(request.url?.scheme?.lowercased())
        }
    }

    /// What the program may change.
    struct Wishes: Sendable {
        var description: String?
        var earliestBegin: Date?
        var priority = URLSessionTask.defaultPriority
        var clientExpectsToSend = NSURLSessionTransferSizeUnknown
        var clientExpectsToReceive = NSURLSessionTransferSizeUnknown
    }

    struct State: Sendable {
        var phase = URLSessionTask.State.suspended
        /// The download moves when it is zero.
        var suspensions = 1
        var hasBegun = false
        var wishes = Wishes()
        var delegate: (any URLSessionTaskDelegate)?
        var response: URLResponse?
        var currentURL: URL?
        var error: (any Error)?
        var count: Int64 = 0
        var expected: Int64 = 0
        /// Lives as long as the download is not over.
        var session: URLSession?
    }

    /// What only the core's queue touches.
    struct Loading: Sendable {
        var task: URLSessionDataTask?
        var isStopped = false
        var hasEnded = false
        var file: PartialFile?
        /// The file's beginning, while something else comes in its place.
        var kept: PartialFile?
        /// Where the answer that comes goes on, and by what.
        var offset: Int64 = 0
        var validator: Validator?
    }

    let origin: Origin
    let core: ForegroundCore
    let number: Int
    let handler: Handler?
    let progress = Progress(totalUnitCount: -1)
    private let place: URLSessionDownloadTask
    let state: Mutex<State>
    let loading = Mutex(Loading())

    init(
        _ origin: Origin, _ core: ForegroundCore, session: URLSession, place: URLSessionDownloadTask, handler: Handler?
    ) {
        self.origin = origin
        self.core = core
        self.place = place
        self.handler = handler
        number = place.taskIdentifier
        state = Mutex(State(session: session))
    }

    // MARK: What the program reads

    var originalRequest: URLRequest? { origin.request }
    var phase: URLSessionTask.State { state.withLock { $0.phase } }
    var response: URLResponse? { state.withLock { $0.response } }
    var error: (any Error)? { state.withLock { $0.error } }
    var count: Int64 { state.withLock { $0.count } }
    var expected: Int64 { state.withLock { $0.expected } }
    var wishes: Wishes { state.withLock { $0.wishes } }
    var priority: Float { wishes.priority }

    /// The original one, at the address from which the answer came.
    var currentRequest: URLRequest? {
        var request = originalRequest
        if let url = response?.url { request?.url = url }
        return request
    }

    var delegate: (any URLSessionTaskDelegate)? {
        let (own, session) = state.withLock { ($0.delegate, $0.session) }
        return own ?? session?.delegate as? any URLSessionTaskDelegate
    }

    /// Begun and not over.
    var isOutstanding: Bool {
        state.withLock { $0.phase == .running || $0.phase == .suspended && $0.hasBegun }
    }

    // MARK: What the program does

    func change(_ edit: (inout Wishes) -> Void) { state.withLock { edit(&$0.wishes) } }

    func use(_ delegate: (any URLSessionTaskDelegate)?) { state.withLock { $0.delegate = delegate } }

    func resume() {
        let moves = state.withLock { state in
            guard state.phase == .suspended else { return false }
            if state.suspensions > 0 { state.suspensions -= 1 }
            guard state.suspensions == 0 else { return false }
            state.phase = .running
            state.hasBegun = true
            return true
        }
        if moves { core.queue.addOperation { self.follow() } }
    }

    func suspend() {
        let stops = state.withLock { state in
            guard state.phase == .suspended || state.phase == .running else { return false }
            state.suspensions += 1
            guard state.phase == .running else { return false }
            state.phase = .suspended
            return true
        }
        if stops { core.queue.addOperation { self.follow() } }
    }

    /// - Parameter handler: called with what the download can be resumed by, if it can.
    func cancel(producing handler: UncheckedHandler?) {
        let isFirst = state.withLock { state in
            guard state.phase == .suspended || state.phase == .running else { return false }
            state.phase = .canceling
            return true
        }
        core.queue.addOperation { isFirst ? self.cancelled(producing: handler) : self.give(handler, nil) }
    }

    /// Calls a program's handler on its session's queue, or, when that is no longer known, on another.
    func give(_ handler: UncheckedHandler?, _ data: Data?) {
        guard let handler else { return }
        guard let session = state.withLock({ $0.session }) else {
            return DispatchQueue.global().async { handler.call(data) }
        }
        session.delegateQueue.addOperation { handler.call(data) }
    }

    // MARK: What the program is told

    /// Calls the session's or the task's delegate on the session's queue. False if there is none, or a handler in its
    /// place, which hears of nothing but the end, and of challenges and redirections.
    @discardableResult
    func ask(
        _ body: @escaping @Sendable (URLSession, URLSessionTask, any URLSessionTaskDelegate) -> Void
    ) -> Bool {
        askOfTask(body)
    }

    @discardableResult
    private func askOfTask(
        _ body: @escaping @Sendable (URLSession, ForegroundDownloadTask, any URLSessionTaskDelegate) -> Void
    ) -> Bool {
        guard let session = state.withLock({ $0.session }), let task = core.task(of: self), let delegate else {
            return false
        }
        session.delegateQueue.addOperation { body(session, task, delegate) }
        return true
    }

    func tell(
        _ body: @escaping @Sendable (URLSession, ForegroundDownloadTask, any URLSessionDownloadDelegate) -> Void
    ) {
        guard handler == nil else { return }
        askOfTask { session, task, delegate in
            let delegate = delegate as? any URLSessionDownloadDelegate
            guard let delegate = delegate ?? session.delegate as? any URLSessionDownloadDelegate else { return }
            body(session, task, delegate)
        }
    }

    /// The last thing that is told. With a file, the download succeeded.
    func end(_ file: URL?, _ error: (any Error)?) {
        let session = state.withLock { state in
            state.error = error
            return state.session
        }
        let task = core.task(of: self)
        session?.delegateQueue.addOperation { [self] in
            if let handler {
                handler(file, error == nil ? response : nil, error)
            } else if let session, let task {
                let delegate = delegate
                let ofDownloads = delegate as? any URLSessionDownloadDelegate
                let receiver = ofDownloads ?? session.delegate as? any URLSessionDownloadDelegate
                if let file {
                    receiver?.urlSession(session, downloadTask: task, didFinishDownloadingTo: file)
                    // Nothing else knows where it is.
                    if receiver == nil { try? FileManager.default.removeItem(at: file) }
                }
                delegate?.urlSession(session, task: task, didCompleteWithError: error)
            }
            state.withLock { state in
                state.phase = .completed
                state.session = nil
            }
            showProgress()
            core.remove(self)
            place.cancel()
        }
    }

    func showProgress() {
        let (isOver, count, expected) = state.withLock { ($0.phase == .completed, $0.count, $0.expected) }
        progress.totalUnitCount = isOver ? max(count, 1) : expected > 0 ? expected : -1
        progress.completedUnitCount = isOver ? max(count, 1) : count
    }
}
