import Synchronization
import UIKit
import UIKitNetworking

/// The episodes on their way: a background session, which outlives the app.
final class Downloads: NSObject, URLSessionDownloadDelegate {
    private static let identifier = "org.greenroom.examples.podcasts.episodes"

    private struct State {
        var session: URLSession?
        var completionHandler: (@Sendable () -> Void)?
    }

    private let library: Library
    private let announcements: Announcements
    private let state = Mutex(State())

    init(library: Library, announcements: Announcements) {
        self.library = library
        self.announcements = announcements
    }

    /// The one session of this identifier; there must not be two.
    private var session: URLSession {
        state.withLock { state in
            if let session = state.session { return session }
            let configuration = URLSessionConfiguration.background(withIdentifier: Self.identifier)
            let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
            state.session = session
            return session
        }
    }

    /// Hears from now on what becomes of downloads, also of those that an earlier launch began.
    func join(then completionHandler: (@Sendable () -> Void)? = nil) {
        if let completionHandler { state.withLock { $0.completionHandler = completionHandler } }
        _ = session
    }

    func begin(_ episode: Episode) {
        let task = session.downloadTask(with: episode.audio)
        task.taskDescription = episode.id
        task.resume()
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        // The file is there until this returns.
        guard let id = downloadTask.taskDescription, isSuccess(downloadTask) else { return }
        do {
            let title = try library.keep(location, as: id)
            print("· downloaded \(id)")
            announcements.announce(id, title)
        } catch {
            print("· \(id) cannot be kept: \(error.localizedDescription)")
        }
    }

    private func isSuccess(_ task: URLSessionTask) -> Bool {
        (task.response as? HTTPURLResponse).map { (200..<300).contains($0.statusCode) } ?? false
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let id = task.taskDescription, error != nil || !isSuccess(task) else { return }
        // The next fetch finds it anew.
        library.forget(id)
        print("· \(id) could not be downloaded")
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        print("· finished the events of \(session.configuration.identifier ?? "")")
        let handler = state.withLock { state in
            defer { state.completionHandler = nil }
            return state.completionHandler
        }
        handler?()
    }
}
