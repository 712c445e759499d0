public import Foundation
public import FoundationNetworking

// What Apple's Foundation has of downloads and Foundation on Linux lacks.

extension URLSessionDownloadTask {
    /// Cancels the download, and returns what `downloadTask(withResumeData:)` goes on with; `nil` where the server does
    /// not let it go on.
    public func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel { continuation.resume(returning: $0) }
        }
    }
}

extension URLSession {
    /// Goes on with a download that was interrupted, and returns its file, which the caller moves or removes.
    ///
    /// - Parameters:
    ///   - resumeData: what the interrupted download left.
    ///   - delegate: hears of challenges, redirections and progress of this task.
    public func download(
        resumeFrom resumeData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        let running = RunningDownload()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = downloadTask(withResumeData: resumeData) { file, response, error in
                    if let file, let response {
                        continuation.resume(returning: (file, response))
                    } else {
                        continuation.resume(throwing: error ?? URLError(.unknown))
                    }
                }
                if let delegate { task.delegate = delegate }
                task.resume()
                running.begin(task)
            }
        } onCancel: {
            running.cancel()
        }
    }
}

@_silgen_name("greenroom_url_session_adopt_foreground")
func adoptForeground(_ session: URLSession) { ForegroundURLSession.adopt(session) }
