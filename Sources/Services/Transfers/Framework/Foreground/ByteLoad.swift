internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// What one request asks for, as it comes. The server waits while the program takes nothing.
final class ByteLoad: EngineLoad {
    /// More than so much does not wait here: the task stops until it is taken.
    private static let mostWaiting = 1 << 18

    private struct State {
        var session: URLSession?
        var task: URLSessionDataTask?
        var waiting = Data()
        var end: Result<Void, any Error>?
        var isStopped = false
        var awaitsResponse: CheckedContinuation<URLResponse, any Error>?
        var awaitsBytes: CheckedContinuation<Data?, any Error>?
    }

    private let core: ForegroundCore
    private let place: URLSessionDownloadTask
    private let delegate: (any URLSessionTaskDelegate)?
    private let state: Mutex<State>

    /// - Parameter delegate: in place of the session's.
    init(
        _ core: ForegroundCore, session: URLSession, place: URLSessionDownloadTask,
        delegate: (any URLSessionTaskDelegate)?
    ) {
        self.core = core
        self.place = place
        self.delegate = delegate
        state = Mutex(State(session: session))
    }

    // MARK: What the program does

    /// Begins, and returns when the answer begins.
    func response(to request: URLRequest) async throws -> (URLSessionDataTask, URLResponse) {
        let response = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.awaitsResponse = continuation }
                core.queue.addOperation { self.begin(request) }
            }
        } onCancel: {
            cancel()
        }
        guard let task = state.withLock({ $0.task }) else { throw URLError(.cancelled) }
        return (task, response)
    }

    /// What has come and was not taken; `nil` at the end.
    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (answer, task) = state.withLock { state -> (Result<Data?, any Error>?, URLSessionDataTask?) in
                    guard let answer = Self.take(&state) else {
                        state.awaitsBytes = continuation
                        return (nil, nil)
                    }
                    defer { state.isStopped = false }
                    return (answer, state.isStopped && state.end == nil ? state.task : nil)
                }
                if let task { core.queue.addOperation { task.resume() } }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            cancel()
        }
    }

    private static func take(_ state: inout State) -> Result<Data?, any Error>? {
        if !state.waiting.isEmpty {
            defer { state.waiting = Data() }
            return .success(state.waiting)
        }
        return state.end.map { $0.map { nil } }
    }

    /// Ends it, unless it is over.
    func cancel() {
        core.queue.addOperation { [self] in
            if let task = state.withLock({ $0.task }) { core.drop(task) }
            finish(.failure(URLError(.cancelled)))
        }
    }

    // MARK: On the core's queue

    private func begin(_ request: URLRequest) {
        // It may have been cancelled before it began, even before anything awaited its answer.
        let (isOver, awaiting) = state.withLock { state in
            guard state.end != nil else { return (false, nil as CheckedContinuation<URLResponse, any Error>?) }
            defer { state.awaitsResponse = nil }
            return (true, state.awaitsResponse)
        }
        awaiting?.resume(throwing: URLError(.cancelled))
        if isOver { return }
        let task = core.load(request, for: self, priority: URLSessionTask.defaultPriority)
        state.withLock { $0.task = task }
        task.resume()
    }

    func received(_ response: URLResponse) {
        let awaiting = state.withLock { state in
            defer { state.awaitsResponse = nil }
            return state.awaitsResponse
        }
        awaiting?.resume(returning: response)
    }

    func received(_ data: Data) {
        let (awaiting, stopped) = state.withLock { state in
            let awaiting = state.awaitsBytes
            state.awaitsBytes = nil
            if awaiting == nil { state.waiting.append(data) }
            let stops = state.waiting.count > Self.mostWaiting && !state.isStopped
            if stops { state.isStopped = true }
            return (awaiting, stops ? state.task : nil)
        }
        stopped?.suspend()
        awaiting?.resume(returning: data)
    }

    func loaded(_ error: (any Error)?) { finish(error.map { .failure($0) } ?? .success(())) }

    private func finish(_ end: Result<Void, any Error>) {
        let (response, bytes) = state.withLock { state in
            guard state.end == nil else {
                return (nil, nil)
                    as (CheckedContinuation<URLResponse, any Error>?, CheckedContinuation<Data?, any Error>?)
            }
            defer { (state.session, state.awaitsResponse, state.awaitsBytes) = (nil, nil, nil) }
            state.end = end
            return (state.awaitsResponse, state.awaitsBytes)
        }
        // An end without an answer is none that succeeded.
        response?.resume(with: end.flatMap { .failure(URLError(.badServerResponse)) })
        bytes?.resume(with: end.map { nil })
        place.cancel()
    }

    @discardableResult
    func ask(_ body: @escaping @Sendable (URLSession, URLSessionTask, any URLSessionTaskDelegate) -> Void) -> Bool {
        let (session, task) = state.withLock { ($0.session, $0.task) }
        guard let session, let task, let delegate = delegate ?? session.delegate as? any URLSessionTaskDelegate else {
            return false
        }
        session.delegateQueue.addOperation { body(session, task, delegate) }
        return true
    }
}
