internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// A download of a session of this process: Foundation's class with everything overridden.
// All its state is Download's, which is safe to share.
final class ForegroundDownloadTask: URLSessionDownloadTask, @unchecked Sendable {
    let download: Download

    init(_ download: Download) {
        self.download = download
        super.init()
        download.progress.cancellationHandler = { [weak self] in self?.cancel() }
    }

    override var taskIdentifier: Int { download.number }
    override var originalRequest: URLRequest? { download.originalRequest }
    override var currentRequest: URLRequest? { download.currentRequest }
    override var response: URLResponse? { download.response }
    override var error: (any Error)? { download.error }
    override var state: URLSessionTask.State { download.phase }
    override var progress: Progress { download.progress }
    override var countOfBytesReceived: Int64 { download.count }
    override var countOfBytesSent: Int64 { 0 }
    override var countOfBytesExpectedToReceive: Int64 { download.expected }
    override var countOfBytesExpectedToSend: Int64 { 0 }

    override var taskDescription: String? {
        get { download.wishes.description }
        set { download.change { $0.description = newValue } }
    }

    override var earliestBeginDate: Date? {
        get { download.wishes.earliestBegin }
        set { download.change { $0.earliestBegin = newValue } }
    }

    override var priority: Float {
        get { download.wishes.priority }
        set { download.change { $0.priority = newValue } }
    }

    override var countOfBytesClientExpectsToSend: Int64 {
        get { download.wishes.clientExpectsToSend }
        set { download.change { $0.clientExpectsToSend = newValue } }
    }

    override var countOfBytesClientExpectsToReceive: Int64 {
        get { download.wishes.clientExpectsToReceive }
        set { download.change { $0.clientExpectsToReceive = newValue } }
    }

    /// The task's own, else the session's, as Foundation has it.
    override var delegate: (any URLSessionTaskDelegate)? {
        get { download.delegate }
        set { download.use(newValue) }
    }

    override func resume() { download.resume() }
    override func suspend() { download.suspend() }
    override func cancel() { download.cancel(producing: nil) }

    override func cancel(byProducingResumeData completionHandler: @escaping (Data?) -> Void) {
        download.cancel(producing: UncheckedHandler(completionHandler))
    }
}

/// A task that an asynchronous function waits for, which may be cancelled before there is one.
final class RunningDownload: Sendable {
    private struct State {
        var task: URLSessionTask?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func begin(_ task: URLSessionTask) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
