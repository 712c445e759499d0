internal import AppRuntime
internal import Foundation
internal import Wire

// What the app is woken for. The handlers that it gets may be called on any thread, at any time, until the window's own
// time is over.
extension Lifecycle {
    func performFetch(_ params: JSONValue) {
        guard let window = params["window"]?.int else { return }
        let (windows, what) = (application.backgroundWindows, "performFetchWithCompletionHandler")
        windows.open(window, for: what)
        application.delegate?.application(
            application,
            performFetchWithCompletionHandler: { windows.complete(window, what, $0.name) })
    }

    func handleEvents(_ params: JSONValue) {
        guard let window = params["window"]?.int else { return }
        let (windows, what) = (application.backgroundWindows, "handleEventsForBackgroundURLSession")
        windows.open(window, for: what)
        let session = params["session"]?.string ?? ""
        if let action = BackgroundLaunches.shared.action(for: session) {
            Task {
                await action(session)
                windows.complete(window, what, "done")
            }
            return
        }
        application.delegate?.application(
            application, handleEventsForBackgroundURLSession: session
        ) { windows.complete(window, what, "done") }
    }

    func launchTask(_ params: JSONValue) {
        guard let window = params["window"]?.int, let identifier = params["identifier"]?.string else { return }
        let launch = BackgroundLaunches.Launch(
            identifier: identifier, kind: params["kind"]?.string ?? "refresh", window: window)
        guard BackgroundLaunches.shared.launch(launch) else {
            ApplicationLauncher.complain(
                "no handler is registered for the task \(identifier): call BGTaskScheduler.register before "
                    + "didFinishLaunching returns")
            return
        }
    }

    /// What no framework in the app asked for is over at once.
    func handleServiceEvents(_ params: JSONValue) {
        guard let window = params["window"]?.int else { return }
        let event = ServiceEvents.Event(
            service: params["service"]?.string ?? "", kind: params["kind"]?.string ?? "",
            payload: params["payload"]?.string ?? "")
        let (windows, what) = (application.backgroundWindows, "handleServiceEvents")
        windows.open(window, for: what)
        let done: @Sendable (ServiceEvents.Result) -> Void = { windows.complete(window, what, $0.rawValue) }
        if !ServiceEvents.shared.handle(event, done) { done(.done) }
    }
}
