internal import AppRuntime
internal import Foundation
internal import FoundationNetworking
internal import Glibc
internal import TransferWire
internal import Wire

/// The class of background sessions. It has no stored properties: an object of Foundation's class becomes one of this
/// class after it was made (`URLSession+Background.swift`); what it needs hangs on its copy of the configuration.
// All its state is SessionCore's, which is safe to share.
final class BackgroundURLSession: URLSession, @unchecked Sendable {
    private var own: BackgroundURLSessionConfiguration? { super.configuration as? BackgroundURLSessionConfiguration }

    private var core: SessionCore {
        guard let core = own?.core else {
            // It is set before the object gets this class.
            fatalError("a background session without a core")
        }
        return core
    }

    /// A copy: a session's own configuration does not change.
    override var configuration: URLSessionConfiguration { own?.duplicate() ?? super.configuration }

    override var delegate: (any URLSessionDelegate)? { core.delegate }

    override func finishTasksAndInvalidate() { core.invalidate(cancels: false) }

    override func invalidateAndCancel() { core.invalidate(cancels: true) }

    override func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        core.withTasks(completionHandler)
    }

    override func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) -> Void
    ) {
        core.withTasks { tasks in
            completionHandler(
                [], tasks.compactMap { $0 as? URLSessionUploadTask },
                tasks.compactMap { $0 as? URLSessionDownloadTask })
        }
    }

    // MARK: Downloads

    override func downloadTask(with url: URL) -> URLSessionDownloadTask { downloadTask(with: URLRequest(url: url)) }

    override func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        check(request, "downloads")
        return core.add(BackgroundDownloadTask(TaskBox(.download, core, request: request)))
    }

    override func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        core.add(BackgroundDownloadTask(TaskBox(.download, core, resumeData: resumeData)))
    }

    // MARK: Uploads

    override func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        check(request, "uploads")
        guard fileURL.isFileURL else { refuse(Refusal.uploadFromStream) }
        let number = unsafe open(fileURL.path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { refuse(Refusal.unreadable(fileURL)) }
        let file = OwnedDescriptor(number)
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            refuse(Refusal.unreadable(fileURL))
        }
        let box = TaskBox(.upload, core, request: request, file: file, length: Int64(status.st_size))
        return core.add(BackgroundUploadTask(box))
    }

    private func check(_ request: URLRequest, _ verb: String) {
        guard ["http", "https"].contains(request.url?.scheme?.lowercased()) else {
            refuse(Refusal.scheme(request.url, verb))
        }
    }

    // MARK: What background sessions do not have

    override func dataTask(with request: URLRequest) -> URLSessionDataTask { refuse(Refusal.dataTask) }

    override func dataTask(with url: URL) -> URLSessionDataTask { refuse(Refusal.dataTask) }

    override func dataTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask { refuse(Refusal.completionHandler) }

    override func dataTask(
        with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask { refuse(Refusal.completionHandler) }

    override func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        refuse(Refusal.uploadFromData)
    }

    override func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        refuse(Refusal.uploadFromStream)
    }

    override func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask { refuse(Refusal.completionHandler) }

    override func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask { refuse(Refusal.completionHandler) }

    override func downloadTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask { refuse(Refusal.completionHandler) }

    override func downloadTask(
        with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask { refuse(Refusal.completionHandler) }

    override func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask { refuse(Refusal.completionHandler) }

    override func webSocketTask(with url: URL) -> URLSessionWebSocketTask { refuse(Refusal.webSocketTask) }

    override func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask {
        refuse(Refusal.webSocketTask)
    }

    override func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask { refuse(Refusal.webSocketTask) }
}
