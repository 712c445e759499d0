internal import AppRuntime

/// What the system may do in the background with an app's scene.
public struct BackgroundTask<Request, Response>: Sendable {
    enum Kind: Sendable {
        case refresh(String)
        /// Of one URL session, or of all.
        case urlSession(String?)
    }

    let kind: Kind
}

extension BackgroundTask where Request == Void, Response == Void {
    /// Brings the app's content up to date, as `BGAppRefreshTaskRequest` of this identifier asked for.
    ///
    /// - Parameter identifier: one of `BGTaskSchedulerPermittedIdentifiers` in `Info.plist`.
    public static func appRefresh(_ identifier: String) -> BackgroundTask<Void, Void> {
        BackgroundTask(kind: .refresh(identifier))
    }

    /// Takes the events of a background URL session.
    ///
    /// - Parameter identifier: that of the session.
    public static func urlSession(_ identifier: String) -> BackgroundTask<Void, Void> {
        BackgroundTask(kind: .urlSession(identifier))
    }
}

extension BackgroundTask where Request == String, Response == Void {
    /// Takes the events of every background URL session that no other action takes; the action is given its identifier.
    public static var urlSession: BackgroundTask<String, Void> { BackgroundTask(kind: .urlSession(nil)) }
}

extension Scene {
    /// Does something when the system launches a task of the app in the background, or a URL session of it has events.
    ///
    /// The action is known before the launch has ended, as with `BGTaskScheduler.register`. It is cancelled shortly
    /// before its time is over. The app may be suspended when it has returned.
    ///
    /// - Parameters:
    ///   - task: what it is for.
    ///   - action: does it, on no particular thread.
    public func backgroundTask<Request: Sendable, Response: Sendable>(
        _ task: BackgroundTask<Request, Response>, action: @escaping @Sendable (Request) async -> Response
    ) -> some Scene {
        switch task.kind {
        case .refresh(let identifier):
            guard let request = () as? Request else { break }
            BackgroundActions.register(identifier) { _ = await action(request) }
        case .urlSession(let identifier):
            BackgroundLaunches.shared.take(session: identifier) { name in
                guard let request = (identifier == nil ? name as Any : () as Any) as? Request else { return }
                _ = await action(request)
            }
        }
        return self
    }
}

enum BackgroundActions {
    static func register(_ identifier: String, _ action: @escaping @Sendable () async -> Void) {
        _ = BackgroundLaunches.shared.register(identifier) { launch in
            let work = Task {
                await action()
                BackgroundLaunches.shared.complete(launch.window, success: !Task.isCancelled)
            }
            BackgroundLaunches.shared.setExpiration(launch.window) { work.cancel() }
        }
    }
}
