public import FoundationNetworking

/// What Apple's `URLSessionDelegate` has and Foundation's on Linux lacks. In an app that imports UIKit and not
/// FoundationNetworking, every session delegate is one; elsewhere a delegate says so.
public protocol URLSessionBackgroundDelegate: URLSessionDelegate {
    /// All events that waited for this session have been delivered. This is the place to call the completion handler
    /// that `application(_:handleEventsForBackgroundURLSession:completionHandler:)` was given.
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

extension URLSessionBackgroundDelegate {
    /// Does nothing.
    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}

/// A delegate that implements `urlSession(_:task:willBeginDelayedRequest:completionHandler:)` and wants to be asked. On
/// Apple's systems implementing it is enough, here nobody can see that from outside; and an app is woken to be asked.
public protocol URLSessionDelayedRequestDelegate: URLSessionTaskDelegate {}

/// What Apple's `URLSessionTaskDelegate` has and Foundation's on Linux lacks. In an app that imports UIKitNetworking
/// and not FoundationNetworking, every task delegate is one; elsewhere a delegate says so.
public protocol URLSessionConnectivityDelegate: URLSessionTaskDelegate {
    /// The task waits for a network that it may use, since its session's configuration says `waitsForConnectivity`.
    /// Called once for a task, if at all.
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)
}

extension URLSessionConnectivityDelegate {
    /// Does nothing.
    public func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {}
}
