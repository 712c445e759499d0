import BackgroundTransfer
import Foundation
import Synchronization

/// A delegate of a session of this process, which keeps what it is told, and lets a test wait for it.
final class Witness: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, URLSessionConnectivityDelegate {
    struct Notes: Sendable {
        /// What happened, without the pieces, of which there are any number.
        var words: [String] = []
        /// The totals after each piece.
        var totals: [Int64] = []
        var expected: Int64 = 0
        var received = Data()
        var file: Data?
        var error: (any Error)?
    }

    private struct State: Sendable {
        var notes = Notes()
        var waiters: [(isReached: @Sendable (Notes) -> Bool, continuation: CheckedContinuation<Notes, Never>)] = []
    }

    private let state = Mutex(State())
    let credential: URLCredential?
    /// Called before a redirection is followed.
    let atRedirection: @Sendable () -> Void

    init(credential: URLCredential? = nil, atRedirection: @escaping @Sendable () -> Void = {}) {
        self.credential = credential
        self.atRedirection = atRedirection
    }

    var notes: Notes { state.withLock { $0.notes } }

    /// The notes, as soon as they are like that.
    @discardableResult
    func until(_ isReached: @escaping @Sendable (Notes) -> Bool) async -> Notes {
        await withCheckedContinuation { continuation in
            let notes = state.withLock { state -> Notes? in
                if isReached(state.notes) { return state.notes }
                state.waiters.append((isReached, continuation))
                return nil
            }
            if let notes { continuation.resume(returning: notes) }
        }
    }

    /// The notes, as soon as a task is over.
    @discardableResult
    func end() async -> Notes { await until { $0.words.contains { $0.hasPrefix("completed") } } }

    func until(_ word: String) async { await until { $0.words.contains(word) } }

    private func note(_ edit: (inout Notes) -> Void) {
        let (ready, notes) = state.withLock { state in
            edit(&state.notes)
            let ready = state.waiters.filter { $0.isReached(state.notes) }.map(\.continuation)
            state.waiters = state.waiters.filter { !$0.isReached(state.notes) }
            return (ready, state.notes)
        }
        for continuation in ready { continuation.resume(returning: notes) }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        note { $0.words.append("resumed at \(fileOffset) of \(expectedTotalBytes)") }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        note {
            $0.totals.append(totalBytesWritten)
            $0.expected = totalBytesExpectedToWrite
        }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let content = try? Data(contentsOf: location)
        note {
            $0.file = content
            $0.words.append("finished")
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note { $0.received += data }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        note { $0.words.append("challenge of \(challenge.protectionSpace.realm ?? "")") }
        completionHandler(credential == nil ? .performDefaultHandling : .useCredential, credential)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @Sendable @escaping (URLRequest?) -> Void
    ) {
        note { $0.words.append("redirected to \(request.url?.lastPathComponent ?? "")") }
        atRedirection()
        completionHandler(request)
    }

    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        note { $0.words.append("waits") }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        note {
            $0.error = error
            $0.words.append("completed \((error as NSError?).map { "with \($0.code)" } ?? "well")")
        }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        note { $0.words.append("invalid") }
    }
}
