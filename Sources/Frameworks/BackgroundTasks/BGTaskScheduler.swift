internal import AppRuntime
@_exported public import Foundation
internal import Wire

/// Has the system launch the app's tasks in the background: for half a minute to refresh its content, or for some
/// minutes to work.
///
/// Every launch handler is registered before `application(_:didFinishLaunchingWithOptions:)` returns. A request
/// outlives the process that submitted it; it is used up when its task is launched.
///
/// `@unchecked Sendable`, since a class that can be subclassed cannot be proven to be so: it has no state.
open class BGTaskScheduler: NSObject, @unchecked Sendable {
    private static let only = BGTaskScheduler()
    /// The system is given so long to answer, which it does in microseconds unless it is being restarted.
    private static let answerTime = 2.0
    /// Seconds, twenty centuries: what begins then never does.
    private static let distantFuture = 63_115_200_000.0

    private override init() { super.init() }

    /// The scheduler of this app.
    open class var shared: BGTaskScheduler { only }

    /// A handler as the app gives it, which says nothing of threads, as Apple's does not: it is called on the queue
    /// that the app names, or on the main queue. `@unchecked`, since it is only carried there.
    private struct Handler: @unchecked Sendable {
        let call: (BGTask) -> Void
    }

    /// Says what to call when a task of this identifier is launched.
    ///
    /// - Parameters:
    ///   - identifier: one of `BGTaskSchedulerPermittedIdentifiers` in `Info.plist`.
    ///   - queue: where the handler is called; `nil`: on the main queue.
    ///   - launchHandler: does the work, and calls `setTaskCompleted(success:)` at its end.
    /// - Returns: false, with a sentence on standard error, if `Info.plist` does not name the identifier, the app has
    ///   been launched already, or somebody is registered for it. On iOS the last two end the app.
    @discardableResult
    open func register(
        forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool {
        guard Self.isPermitted(identifier, in: AppInformation.substitute ?? Bundle.main.infoDictionary ?? [:])
        else {
            Self.complain(identifier, "is not in BGTaskSchedulerPermittedIdentifiers of Info.plist: add it")
            return false
        }
        let handler = Handler(call: launchHandler)
        let registration = BackgroundLaunches.shared.register(identifier) { launch in
            let task: BGTask = launch.kind == "processing" ? BGProcessingTask(launch) : BGAppRefreshTask(launch)
            (queue ?? .main).async { handler.call(task) }
        }
        switch registration {
        case .registered: return true
        case .tooLate:
            Self.complain(identifier, "is registered too late: register it before didFinishLaunching returns")
        case .twice: Self.complain(identifier, "is registered twice: register it once")
        }
        return false
    }

    /// Whether an app's `Info.plist` names the task. What is no app, such as a program of tests, has none.
    package static func isPermitted(_ identifier: String, in info: [String: Any]) -> Bool {
        guard info["CFBundleIdentifier"] != nil else { return true }
        let named = info["BGTaskSchedulerPermittedIdentifiers"]
        return (named as? [Any] ?? named.map { [$0] } ?? []).contains { $0 as? String == identifier }
    }

    private static func complain(_ identifier: String, _ what: String) {
        // Where there is no standard error nobody misses it.
        try? FileHandle.standardError.write(contentsOf: Data("BGTaskScheduler: the task \(identifier) \(what)\n".utf8))
    }

    /// Asks for a task. One that waits under the same identifier is replaced.
    ///
    /// - Throws: `Error.notPermitted` if `Info.plist` does not name the identifier or lacks the background mode,
    ///   `Error.tooManyPendingTaskRequests`, or `Error.unavailable` where nothing runs in the background: on a device
    ///   without multitasking, outside Greenroom, and when the user does not want it.
    open func submit(_ taskRequest: BGTaskRequest) throws {
        guard let link = BackgroundLaunches.shared.link else { throw Error(code: .unavailable) }
        var params: JSONObject = [
            "identifier": .string(taskRequest.identifier), "kind": .string(taskRequest.kind),
        ]
        // JSON has no infinity, and null would mean now.
        if let earliest = taskRequest.earliestBeginDate {
            params["after"] = .double(min(earliest.timeIntervalSinceNow, Self.distantFuture))
        }
        if let processing = taskRequest as? BGProcessingTaskRequest {
            params["network"] = .bool(processing.requiresNetworkConnectivity)
            params["power"] = .bool(processing.requiresExternalPower)
        }
        // Who does not answer is being restarted, and will: it is asked again then.
        guard case .failure(let error)? = link.requestAndWait(.submitTask, .object(params), seconds: Self.answerTime)
        else { return }
        switch error.data["code"]?.string {
        case "notPermitted": throw Error(code: .notPermitted)
        case "tooManyPendingTaskRequests": throw Error(code: .tooManyPendingTaskRequests)
        default: throw Error(code: .unavailable)
        }
    }

    /// Takes a request back. A task that was launched goes on.
    open func cancel(taskRequestWithIdentifier identifier: String) {
        BackgroundLaunches.shared.link?.request(.cancelTask, ["identifier": .string(identifier)]) { _ in }
    }

    /// Takes all requests back.
    open func cancelAllTaskRequests() { BackgroundLaunches.shared.link?.request(.cancelTask, [:]) { _ in } }

    /// The requests that wait. The handler is called on the main queue.
    open func getPendingTaskRequests(completionHandler: @escaping @Sendable ([BGTaskRequest]) -> Void) {
        // The app may be on its way into the background, and would be suspended before it hears.
        let errand = "its pending background tasks"
        ServiceErrands.shared.begin(errand)
        // It is answered at once, so that a test in virtual time need not let time pass to hear it.
        let answer = BackgroundLaunches.shared.link?.requestAndWait(.pendingTasks, [:], seconds: Self.answerTime)
        var requests: [BGTaskRequest] = []
        if case .success(let found)? = answer, case .array(let tasks)? = found["tasks"] {
            requests = tasks.compactMap(Self.request)
        }
        DispatchQueue.main.async { [requests] in
            completionHandler(requests)
            ServiceErrands.shared.settle(errand)
        }
    }

    /// The requests that wait.
    open func pendingTaskRequests() async -> [BGTaskRequest] {
        await withCheckedContinuation { continuation in
            getPendingTaskRequests { continuation.resume(returning: $0) }
        }
    }

    private static func request(_ message: JSONValue) -> BGTaskRequest? {
        guard let identifier = message["identifier"]?.string else { return nil }
        let request: BGTaskRequest
        if message["kind"]?.string == "processing" {
            let processing = BGProcessingTaskRequest(identifier: identifier)
            processing.requiresNetworkConnectivity = message["network"]?.bool ?? false
            processing.requiresExternalPower = message["power"]?.bool ?? false
            request = processing
        } else {
            request = BGAppRefreshTaskRequest(identifier: identifier)
        }
        request.earliestBeginDate = message["after"]?.number.map { after in
            after < distantFuture ? Date(timeIntervalSinceNow: after) : .distantFuture
        }
        return request
    }

    /// Why a request is refused.
    public struct Error: Swift.Error, Hashable, Sendable {
        /// Apple's numbers.
        public enum Code: Int, Sendable {
            /// Nothing runs in the background here, or the user does not want it.
            case unavailable = 1
            /// As many as may wait, wait.
            case tooManyPendingTaskRequests
            /// `Info.plist` does not name the identifier, or lacks the background mode.
            case notPermitted
            /// Not used here.
            case immediateRunIneligible

            /// So that `catch BGTaskScheduler.Error.notPermitted` finds it.
            public static func ~= (code: Code, error: any Swift.Error) -> Bool {
                (error as? BGTaskScheduler.Error)?.code == code
            }
        }

        /// Which it is.
        public let code: Code

        /// Creates an error.
        public init(code: Code) { self.code = code }

        /// Nothing runs in the background here, or the user does not want it.
        public static var unavailable: Code { .unavailable }
        /// As many as may wait, wait.
        public static var tooManyPendingTaskRequests: Code { .tooManyPendingTaskRequests }
        /// `Info.plist` does not name the identifier, or lacks the background mode.
        public static var notPermitted: Code { .notPermitted }
    }
}
