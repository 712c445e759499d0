internal import AppRuntime
internal import CBackgroundTransfer
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// Stands in front of Foundation's own way into the network: a task waits here, or ends, while there is no network that
/// it may use. Behind it is an object of Foundation's class, which then does everything. It reaches every task of a
/// session, also those of the asynchronous conveniences, which cannot be overridden.
///
/// Foundation calls it on the task's queue.
class ConnectivityGate: URLProtocol {
    private var inner: URLProtocol?
    /// One that did not reach the network. It may still be at work when the next one comes.
    private var former: URLProtocol?
    private var wait: ConnectivityWait?
    /// When a wait has lasted too long, counted from the first.
    private var deadline: DispatchTime?
    private var isOver = false

    override class func canInit(with request: URLRequest) -> Bool {
        ["http", "https"].contains(request.url?.scheme?.lowercased()) && FoundationHTTP.type != nil
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Also called when a task goes on after a pause, and by a wait that is over.
    override func startLoading() {
        if let inner { return inner.startLoading() }
        guard let task, !isOver else { return }
        guard let session = task.owner, let own = session.configuration as? ForegroundURLSessionConfiguration else {
            return pass(task)
        }
        if wait?.isTimedOut == true { return fail(task, NSURLErrorTimedOut, "The request timed out.", nil) }
        let access = NetworkAccess(own, request)
        switch access.verdict(own.view.network(for: request.url)) {
        case .allowed: pass(task)
        case .unavailable where access.waits:
            if wait == nil { begin(waiting: task, session, own) }
            // It may have come before anything was watched.
            if access.verdict(own.view.network(for: request.url)) == .allowed { pass(task) }
        case .unavailable(let reason):
            fail(task, NSURLErrorNotConnectedToInternet, "The Internet connection appears to be offline.", reason)
        }
    }

    override func stopLoading() {
        switch task?.state {
        // It was stopped and went on before this was called; Foundation's own would take it for the end.
        case .running: return
        case .suspended: inner?.stopLoading()
        case .canceling, .completed, nil:
            isOver = true
            wait?.end()
            if task?.error != nil { inner?.stopLoading() }
        }
    }

    private func pass(_ task: URLSessionTask) {
        guard let type = FoundationHTTP.type else { return }
        wait?.end()
        wait = nil
        let inner = type.init(task: task, cachedResponse: cachedResponse, client: client.map { GateClient($0, self) })
        self.inner = inner
        inner.startLoading()
    }

    private func begin(
        waiting task: URLSessionTask, _ session: URLSession, _ configuration: ForegroundURLSessionConfiguration
    ) {
        let isFirst = deadline == nil
        let end = deadline ?? .now() + min(max(configuration.timeoutIntervalForResource, 0), Self.longest)
        deadline = end
        wait = ConnectivityWait(task, configuration.view, until: end)
        if isFirst { tellOfWait(task, session) }
    }

    /// A wait of many years is one without an end.
    private static let longest: TimeInterval = 10 * 365 * 86_400

    /// The network went before the server was reached: the task waits again, where it waits at all.
    fileprivate func waitsAgain() -> Bool {
        guard let task, task.state == .running, task.response == nil, !isOver, let session = task.owner,
            let own = session.configuration as? ForegroundURLSessionConfiguration
        else { return false }
        let access = NetworkAccess(own, request)
        guard access.waits, access.verdict(own.view.network(for: request.url)) != .allowed else { return false }
        former = inner
        inner = nil
        TaskError.set(nil, of: task)
        begin(waiting: task, session, own)
        // A network may have come before the watch began. Where none has come, `knock` would show the app a suspended
        // task for a moment.
        if access.verdict(own.view.network(for: request.url)) == .allowed { wait?.knock() }
        return true
    }

    private func fail(_ task: URLSessionTask, _ code: Int, _ sentence: String, _ reason: NetworkAccess.Reason?) {
        isOver = true
        wait?.end()
        let error = TransferFailure.make(code, sentence, request.url, unavailable: reason)
        TaskError.set(error, of: task)
        client?.urlProtocol(self, didFailWithError: error)
    }

    private func tellOfWait(_ task: URLSessionTask, _ session: URLSession) {
        session.delegateQueue.addOperation {
            let delegate = (task.delegate ?? session.delegate) as? any URLSessionConnectivityDelegate
            guard let delegate = delegate ?? session.delegate as? any URLSessionConnectivityDelegate else { return }
            delegate.urlSession(session, taskIsWaitingForConnectivity: task)
        }
    }
}

/// What Foundation's own way into the network tells of a request goes to Foundation, but for an end that is none.
// The gate is used where Foundation calls this, on the task's queue.
private final class GateClient: NSObject, URLProtocolClient, @unchecked Sendable {
    private let client: any URLProtocolClient
    private weak let gate: ConnectivityGate?

    init(_ client: any URLProtocolClient, _ gate: ConnectivityGate) {
        self.client = client
        self.gate = gate
    }

    func urlProtocol(_ inner: URLProtocol, didFailWithError error: any Error) {
        if gate?.waitsAgain() != true { client.urlProtocol(inner, didFailWithError: error) }
    }

    func urlProtocol(
        _ inner: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse
    ) {
        client.urlProtocol(inner, wasRedirectedTo: request, redirectResponse: redirectResponse)
    }

    func urlProtocol(_ inner: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
        client.urlProtocol(inner, cachedResponseIsValid: cachedResponse)
    }

    func urlProtocol(
        _ inner: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        client.urlProtocol(inner, didReceive: response, cacheStoragePolicy: policy)
    }

    func urlProtocol(_ inner: URLProtocol, didLoad data: Data) { client.urlProtocol(inner, didLoad: data) }

    func urlProtocolDidFinishLoading(_ inner: URLProtocol) { client.urlProtocolDidFinishLoading(inner) }

    func urlProtocol(_ inner: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        client.urlProtocol(inner, didReceive: challenge)
    }

    func urlProtocol(_ inner: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {
        client.urlProtocol(inner, didCancel: challenge)
    }
}

/// The gate of sessions that say nothing of networks: for requests that do.
final class RequestGate: ConnectivityGate {
    override class func canInit(with request: URLRequest) -> Bool {
        !request.allowsCellularAccess && super.canInit(with: request)
    }
}

/// A task that waits for a network. When there may be one, or when the time is over, the gate is called again.
// The timer is set before anything else knows of the object, and then only cancelled, which any thread may do.
final class ConnectivityWait: @unchecked Sendable {
    private struct State {
        var isOver = false
        var isTimedOut = false
        var stop: (@Sendable () -> Void)?
    }

    private let task: URLSessionTask
    private let state = Mutex(State())
    private var timer: DispatchWorkItem?

    init(_ task: URLSessionTask, _ view: NetworkView, until end: DispatchTime) {
        self.task = task
        let timer = DispatchWorkItem { [weak self] in self?.timeOut() }
        self.timer = timer
        let stop = view.observe { [weak self] in self?.knock() }
        state.withLock { $0.stop = stop }
        DispatchQueue.global().asyncAfter(deadline: end, execute: timer)
    }

    deinit { end() }

    var isTimedOut: Bool { state.withLock { $0.isTimedOut } }

    func end() {
        let stop = state.withLock { state in
            defer {
                state.isOver = true
                state.stop = nil
            }
            return state.stop
        }
        timer?.cancel()
        stop?()
    }

    private func timeOut() {
        state.withLock { $0.isTimedOut = true }
        knock()
    }

    /// Has the gate called on the task's queue, to which nothing else leads. The task is as it was afterwards; the gate
    /// does not heed that it was stopped in between.
    func knock() {
        // The one that tells of a network must not wait for the task's queue.
        DispatchQueue.global().async {
            guard !self.state.withLock({ $0.isOver }) else { return }
            self.task.suspend()
            self.task.resume()
        }
    }
}

/// Keeps a place for a download of ours in Foundation's list of a session's tasks: its number, and the session's life
/// for as long. It never loads anything.
final class PlaceHolder: URLProtocol {
    static let scheme = "greenroom-place"

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == scheme }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {}

    override func stopLoading() {}
}

extension URLSessionTask {
    /// Its session, which Foundation keeps for itself. It is not read by its place in memory: where a later Foundation
    /// calls it by another name, there is none, and the gate lets everything pass.
    var owner: URLSession? {
        var mirror: Mirror? = Mirror(reflecting: self)
        while let part = mirror {
            if let session = part.children.first(where: { $0.label == "session" })?.value as? URLSession {
                return session
            }
            mirror = part.superclassMirror
        }
        return nil
    }
}

/// `URLSessionTask.error`, which only Foundation's own protocols set.
enum TaskError {
    static func set(_ error: (any Error)?, of task: URLSessionTask) {
        // The optional is the box itself; of an error, the cast would see what is in it.
        unsafe cbt_set_task_error(
            Unmanaged.passUnretained(task).toOpaque(), unsafeBitCast(error, to: UnsafeMutableRawPointer?.self))
    }
}
