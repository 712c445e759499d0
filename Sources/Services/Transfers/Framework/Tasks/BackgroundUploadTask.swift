internal import Foundation
internal import FoundationNetworking
internal import TransferWire
internal import Wire

/// An upload of a background session.
///
/// Its overrides are those of `BackgroundDownloadTask`: subclasses of two classes cannot share them.
// All its state is TaskBox's, which is safe to share.
final class BackgroundUploadTask: URLSessionUploadTask, BackgroundTask, @unchecked Sendable {
    let box: TaskBox

    init(_ box: TaskBox) {
        self.box = box
        super.init()
        box.progress.cancellationHandler = { [weak self] in self?.cancel() }
    }

    override var taskIdentifier: Int { box.number }
    override var originalRequest: URLRequest? { box.originalRequest }
    override var currentRequest: URLRequest? { box.currentRequest }
    override var response: URLResponse? { box.response }
    override var error: (any Error)? { box.error }
    override var state: URLSessionTask.State { box.phase }
    override var progress: Progress { box.progress }
    override var countOfBytesReceived: Int64 { box.received }
    override var countOfBytesSent: Int64 { box.sent }
    override var countOfBytesExpectedToReceive: Int64 { box.expectedToReceive }
    override var countOfBytesExpectedToSend: Int64 { box.expectedToSend }

    override var taskDescription: String? {
        get { box.description }
        set { box.change(\.description, newValue) { $0.description = newValue ?? "" } }
    }

    override var earliestBeginDate: Date? {
        get { box.earliestBegin }
        set { box.change(\.earliestBegin, newValue) { $0.earliestBegin = newValue?.timeIntervalSince1970 ?? 0 } }
    }

    override var priority: Float {
        get { box.priority }
        set { box.change(\.priority, min(max(newValue, 0), 1)) { $0.priority = Double(min(max(newValue, 0), 1)) } }
    }

    override var countOfBytesClientExpectsToSend: Int64 {
        get { box.clientExpectsToSend }
        set { box.change(\.clientExpectsToSend, newValue) { $0.expectsToSend = newValue } }
    }

    override var countOfBytesClientExpectsToReceive: Int64 {
        get { box.clientExpectsToReceive }
        set { box.change(\.clientExpectsToReceive, newValue) { $0.expectsToReceive = newValue } }
    }

    /// Tasks of background sessions have none of their own: it would be gone after a relaunch.
    override var delegate: (any URLSessionTaskDelegate)? {
        get { nil }
        set {}
    }

    override func resume() { box.resume() }
    override func suspend() { box.suspend() }
    override func cancel() { box.cancel() }
}
