internal import Foundation
internal import FoundationNetworking

/// The class of sessions that run in this process. Everything is Foundation's but the downloads, which can be resumed.
/// It has no stored properties: an object of Foundation's class becomes one of this class after it was made; what its
/// downloads need hangs on its copy of the configuration, and is made with the first of them.
// It adds nothing that could be shared; ForegroundCore is safe to share.
final class ForegroundURLSession: URLSession, @unchecked Sendable {
    /// Makes a session of Foundation's one of this class. Subclasses of the program's own stay what they are.
    static func adopt(_ session: URLSession) {
        guard type(of: session) == URLSession.self else { return }
        // Also for what single requests say of networks.
        guard ForegroundURLSessionConfiguration.adopt(session.configuration) != nil else { return }
        ObjectClass.replace(of: session, by: ForegroundURLSession.self)
    }

    private var own: ForegroundURLSessionConfiguration? { configuration as? ForegroundURLSessionConfiguration }

    /// `nil` before the first download.
    private var core: ForegroundCore? { own?.presentCore }

    // MARK: Downloads

    override func downloadTask(with url: URL) -> URLSessionDownloadTask { downloadTask(with: URLRequest(url: url)) }

    override func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        add(.new(request), nil) ?? super.downloadTask(with: request)
    }

    override func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        add(ForegroundResumeData.origin(resumeData), nil) ?? super.downloadTask(withResumeData: resumeData)
    }

    override func downloadTask(
        with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    override func downloadTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        add(.new(request), completionHandler) ?? super.downloadTask(with: request, completionHandler: completionHandler)
    }

    override func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        add(ForegroundResumeData.origin(resumeData), completionHandler)
            ?? super.downloadTask(withResumeData: resumeData, completionHandler: completionHandler)
    }

    /// `nil` for what Foundation has to do itself: other schemes than HTTP.
    private func add(_ origin: Download.Origin, _ handler: Download.Handler?) -> URLSessionDownloadTask? {
        guard origin.isHTTP, let core = own?.core, let place = makePlace() else { return nil }
        let task = ForegroundDownloadTask(Download(origin, core, session: self, place: place, handler: handler))
        core.add(task)
        return task
    }

    // MARK: Streams of bytes

    /// Something that loads bytes; `nil` where this is not a session of this process.
    func byteLoad(delegate: (any URLSessionTaskDelegate)?) -> ByteLoad? {
        guard let core = own?.core, let place = makePlace() else { return nil }
        return ByteLoad(core, session: self, place: place, delegate: delegate)
    }

    /// A task of Foundation's that never runs: it has the number, and keeps the session from ending.
    private func makePlace() -> URLSessionDownloadTask? {
        guard let url = URL(string: "\(PlaceHolder.scheme):download") else { return nil }
        return super.downloadTask(with: URLRequest(url: url)) { _, _, _ in }
    }

    // MARK: The session

    override func invalidateAndCancel() {
        // Their delegate hears of it before it hears that the session is over. The shared session has no end.
        if self !== URLSession.shared { core?.cancelAll() }
        super.invalidateAndCancel()
    }

    override func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        let core = core
        super.getAllTasks { completionHandler($0 + (core?.outstanding ?? [])) }
    }

    override func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) -> Void
    ) {
        let core = core
        super.getTasksWithCompletionHandler { completionHandler($0, $1, $2 + (core?.outstanding ?? [])) }
    }
}
