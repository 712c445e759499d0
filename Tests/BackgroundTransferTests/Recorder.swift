import BackgroundTransfer
import Foundation
import Synchronization

/// A delegate that writes down what it is told, in words.
final class Recorder: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, URLSessionBackgroundDelegate {
    private struct Notes: Sendable {
        var words: [String] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<[String], Never>)] = []
        var files: [String] = []
        var errors: [any Error] = []
        var tasks: [URLSessionTask] = []
    }

    private let notes = Mutex(Notes())
    /// What it answers to a challenge.
    let credential: URLCredential?
    /// Held by a test that wants a method of the delegate to take its time.
    let gate: DispatchSemaphore?

    init(credential: URLCredential? = nil, gate: DispatchSemaphore? = nil) {
        self.credential = credential
        self.gate = gate
    }

    var words: [String] { notes.withLock { $0.words } }
    var files: [String] { notes.withLock { $0.files } }
    var errors: [any Error] { notes.withLock { $0.errors } }
    /// The tasks that it was called with.
    var tasks: [URLSessionTask] { notes.withLock { $0.tasks } }

    /// The first words, when there are that many.
    func first(_ count: Int) async -> [String] {
        await withCheckedContinuation { continuation in
            let found = notes.withLock { notes -> [String]? in
                if notes.words.count >= count { return Array(notes.words.prefix(count)) }
                notes.waiters.append((count, continuation))
                return nil
            }
            if let found { continuation.resume(returning: found) }
        }
    }

    private func note(_ word: String, _ task: URLSessionTask? = nil) {
        let ready = notes.withLock { notes -> [(CheckedContinuation<[String], Never>, [String])] in
            notes.words.append(word)
            if let task { notes.tasks.append(task) }
            let reached = notes.waiters.filter { $0.count <= notes.words.count }
            notes.waiters.removeAll { $0.count <= notes.words.count }
            return reached.map { ($0.continuation, Array(notes.words.prefix($0.count))) }
        }
        for (continuation, words) in ready { continuation.resume(returning: words) }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        note("resumed at \(fileOffset) of \(expectedTotalBytes)", downloadTask)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        note("wrote \(bytesWritten), \(totalBytesWritten) of \(totalBytesExpectedToWrite)", downloadTask)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        gate?.wait()
        notes.withLock { $0.files.append(location.path) }
        note("finished", downloadTask)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        note("sent \(bytesSent), \(totalBytesSent) of \(totalBytesExpectedToSend)", task)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let count = dataTask.countOfBytesReceived
        gate?.wait()
        note("heard \(String(decoding: data, as: UTF8.self)), \(count) bytes", dataTask)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        note("challenge \(challenge.protectionSpace.realm ?? "") \(challenge.previousFailureCount)", task)
        completionHandler(credential == nil ? .performDefaultHandling : .useCredential, credential)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        note("metrics of \(metrics.taskInterval.duration) s", task)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error { notes.withLock { $0.errors.append(error) } }
        note("completed \((error as NSError?).map { "with \($0.code)" } ?? "well")", task)
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { note("finished events") }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { note("invalid") }
}
