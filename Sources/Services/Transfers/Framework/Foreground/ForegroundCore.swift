internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// What a task of the engine loads.
protocol EngineLoad: AnyObject, Sendable {
    // All on the core's queue.
    func received(_ response: URLResponse)
    func received(_ data: Data)
    func loaded(_ error: (any Error)?)
    /// Has a delegate of the program's answer, on the session's queue. False if there is none.
    @discardableResult
    func ask(_ body: @escaping @Sendable (URLSession, URLSessionTask, any URLSessionTaskDelegate) -> Void) -> Bool
}

/// What a session of this process has beside Foundation's: its downloads and streams of bytes, and the session of
/// Foundation's own that loads them as data. That one has the same configuration, so it has the same gate, cookies and
/// credentials.
final class ForegroundCore: Sendable {
    private struct State {
        var tasks: [ForegroundDownloadTask] = []
        var engine: URLSession?
        /// By the numbers of the engine's tasks.
        var loads: [Int: any EngineLoad] = [:]
    }

    /// Everything that is heard of downloads, and every change of their files, is in turn here.
    let queue: OperationQueue
    private let configuration: URLSessionConfiguration
    private let state = Mutex(State())

    init(_ configuration: ForegroundURLSessionConfiguration) {
        queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let copy = configuration.copy() as? URLSessionConfiguration ?? .default
        // As Foundation's: downloads are not kept in a cache.
        copy.urlCache = nil
        // Foundation's own ends the program when a task stops and goes on at once; the gate does not let it.
        (copy as? ForegroundURLSessionConfiguration)?.isGated = true
        self.configuration = copy
    }

    deinit { state.withLock { $0.engine }?.finishTasksAndInvalidate() }

    // MARK: Tasks

    func add(_ task: ForegroundDownloadTask) { state.withLock { $0.tasks.append(task) } }

    func remove(_ download: Download) { state.withLock { $0.tasks.removeAll { $0.download === download } } }

    func task(of download: Download) -> ForegroundDownloadTask? {
        state.withLock { $0.tasks.first { $0.download === download } }
    }

    /// Those that were begun, as Foundation tells them.
    var outstanding: [URLSessionDownloadTask] { state.withLock { $0.tasks }.filter(\.download.isOutstanding) }

    /// What their delegates are told is on the session's queue when this returns.
    func cancelAll() {
        let (tasks, loads) = state.withLock { ($0.tasks, $0.loads.values) }
        for task in tasks { task.cancel() }
        for case let load as ByteLoad in loads { load.cancel() }
        // No code of the program's runs there.
        queue.waitUntilAllOperationsAreFinished()
    }

    // MARK: Loads

    /// Begins to load what a request asks for. On the queue.
    func load(_ request: URLRequest, for load: any EngineLoad, priority: Float) -> URLSessionDataTask {
        let task = engine.dataTask(with: request)
        task.priority = priority
        state.withLock { $0.loads[task.taskIdentifier] = load }
        return task
    }

    /// Nothing more is heard of it.
    func drop(_ load: URLSessionTask) {
        state.withLock { _ = $0.loads.removeValue(forKey: load.taskIdentifier) }
        load.cancel()
    }

    func load(of task: URLSessionTask) -> (any EngineLoad)? { state.withLock { $0.loads[task.taskIdentifier] } }

    private var engine: URLSession {
        if let engine = state.withLock({ $0.engine }) { return engine }
        let engine = URLSession(configuration: configuration, delegate: LoadEngine(self), delegateQueue: queue)
        // Two would have numbers in common; only the queue comes here.
        state.withLock { $0.engine = engine }
        return engine
    }
}

/// What the engine's session is told of its tasks, on the core's queue.
// The core is weak, and set once.
final class LoadEngine: NSObject, URLSessionDataDelegate, URLSessionConnectivityDelegate, @unchecked Sendable {
    private weak let core: ForegroundCore?

    init(_ core: ForegroundCore) { self.core = core }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        core?.load(of: dataTask)?.received(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        core?.load(of: dataTask)?.received(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let core, let load = core.load(of: task) else { return }
        core.drop(task)
        load.loaded(error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let isAsked = core?.load(of: task)?.ask { session, task, delegate in
            delegate.urlSession(
                session, task: task, willPerformHTTPRedirection: response, newRequest: request,
                completionHandler: completionHandler)
        }
        if isAsked != true { completionHandler(request) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let isAsked = core?.load(of: task)?.ask { session, task, delegate in
            delegate.urlSession(session, task: task, didReceive: challenge, completionHandler: completionHandler)
        }
        if isAsked != true { completionHandler(.performDefaultHandling, nil) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        let isAsked = core?.load(of: task)?.ask { session, task, delegate in
            delegate.urlSession(session, task: task, needNewBodyStream: completionHandler)
        }
        if isAsked != true { completionHandler(nil) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        core?.load(of: task)?.ask { session, task, delegate in
            delegate.urlSession(session, task: task, didFinishCollecting: metrics)
        }
    }

    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        core?.load(of: task)?.ask { session, task, delegate in
            (delegate as? any URLSessionConnectivityDelegate)?.urlSession(session, taskIsWaitingForConnectivity: task)
        }
    }
}
