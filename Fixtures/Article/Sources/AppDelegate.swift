import UIKit
import UIKitNetworking

/// The article's app delegate. A URL stands in for its remote notification: article://notify?content-id=42&at=ADDRESS.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private var completionHandlerDictionary: [String: @Sendable () -> Void] = [:]

    private lazy var backgroundURLSession: URLSession = {
        let identifier = "io.objc.backgroundTransferExample"
        let sessionConfig = URLSessionConfiguration.background(withIdentifier: identifier)
        return URLSession(configuration: sessionConfig, delegate: self, delegateQueue: .main)
    }()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        print("Launched in background \(application.applicationState == .background)")
        application.snapshotProvider = {
            print("Snapshot")
            return .svg("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"/>")
        }
        return true
    }

    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        if url.host == "cache" { return keepAnswers() }
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let userInfo = Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
        guard let contentID = userInfo["content-id"], let downloadURL = userInfo["at"].flatMap({ URL(string: $0) })
        else { return false }
        let task = backgroundURLSession.downloadTask(with: URLRequest(url: downloadURL))
        task.taskDescription = "Podcast Episode \(contentID)"
        task.resume()
        return true
    }

    /// `article://cache`: says what `URLCache.shared` has, and keeps two answers in it, one of them twice.
    private func keepAnswers() -> Bool {
        let cache = URLCache.shared
        print("Cached in memory \(cache.currentMemoryUsage > 0) on disk \(cache.currentDiskUsage > 0)")
        for name in ["first", "second", "first"] {
            guard let url = URL(string: "http://127.0.0.1/\(name)"),
                let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: [:])
            else { return false }
            let answer = CachedURLResponse(response: response, data: Data(count: 500_000))
            print("Found \(cache.cachedResponse(for: URLRequest(url: url))?.data.count ?? 0) bytes")
            cache.storeCachedResponse(answer, for: URLRequest(url: url))
        }
        return true
    }

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    ) {
        // You must re-establish a reference to the background session, or the session's delegate methods will not be
        // called, as no delegate is attached to the session.
        let backgroundSession = backgroundURLSession
        print("Rejoining session with identifier \(backgroundSession.configuration.identifier ?? "")")
        // Store the completion handler to update your UI after processing session events.
        addCompletionHandler(completionHandler, forSession: identifier)
    }

    private func addCompletionHandler(_ handler: @escaping @Sendable () -> Void, forSession identifier: String) {
        if completionHandlerDictionary[identifier] != nil {
            print("Error: Got multiple handlers for a single session identifier.  This should not happen.")
        }
        completionHandlerDictionary[identifier] = handler
    }

    private func callCompletionHandler(forSession identifier: String) {
        guard let handler = completionHandlerDictionary.removeValue(forKey: identifier) else { return }
        print("Calling completion handler for session \(identifier)")
        handler()
    }
}

extension AppDelegate: URLSessionDownloadDelegate {
    nonisolated func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        // Copy file to your app's storage with FileManager: it is gone when this returns.
        let size = (try? Data(contentsOf: location))?.count ?? -1
        print("\(downloadTask.taskDescription ?? "") didFinishDownloadingTo \(size) bytes")
    }

    nonisolated func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {}

    nonisolated func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {}

    nonisolated func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        print("\(task.taskDescription ?? "") didReceive challenge of \(challenge.protectionSpace.host)")
        completionHandler(.useCredential, URLCredential(user: "ada", password: "love", persistence: .forSession))
    }

    nonisolated func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        print("\(task.taskDescription ?? "") didCompleteWithError \(error.map { "\($0)" } ?? "nil")")
    }

    nonisolated func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        print("Background URL session \(session.configuration.identifier ?? "") finished events.")
        guard let identifier = session.configuration.identifier else { return }
        // Call the handler stored in application(_:handleEventsForBackgroundURLSession:completionHandler:); the
        // session's delegate queue is the main one.
        MainActor.assumeIsolated { callCompletionHandler(forSession: identifier) }
    }
}
