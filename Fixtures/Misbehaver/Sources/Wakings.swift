import BackgroundTasks
import UIKit

/// What the app is woken for, and what it says to that, in the words of scenarios.
@MainActor
enum Wakings {
    private static var fetches: [(UIBackgroundFetchResult) -> Void] = []
    private static var sessions: [() -> Void] = []
    private static var tasks: [BGTask] = []
    /// The handlers that were called last, to be called once more.
    private static var lastFetch: ((UIBackgroundFetchResult) -> Void)?

    static func keep(_ handler: @escaping (UIBackgroundFetchResult) -> Void) { fetches.append(handler) }

    static func keep(_ handler: @escaping () -> Void) { sessions.append(handler) }

    static func register() {
        let identifiers = Bundle.main.object(forInfoDictionaryKey: "BGTaskSchedulerPermittedIdentifiers") as? [String]
        for identifier in identifiers ?? [] {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
                MainActor.assumeIsolated { launch(task) }
            }
        }
    }

    private static func launch(_ task: BGTask) {
        tasks.append(task)
        task.expirationHandler = {
            MainActor.assumeIsolated {
                say("expired \(task.identifier)")
                Script.given.run("expiration")
            }
        }
        (UIApplication.shared.delegate as? AppDelegate)?.launched(task.identifier)
    }

    static func perform(_ action: String) {
        let words = action.split(separator: " ").map(String.init)
        switch (words[0], words.dropFirst().first ?? "") {
        case ("complete", "fetch"): complete(words.last ?? "")
        case ("complete", "service"): Services.complete()
        case ("complete", "transferEvents"): if !sessions.isEmpty { sessions.removeFirst()() }
        case ("complete", _): if !tasks.isEmpty { tasks.removeFirst().setTaskCompleted(success: words.last == "done") }
        case ("fetch", "never"):
            UIApplication.shared.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalNever)
        case ("fetch", _):
            let seconds = Double(Script.milliseconds(words.last ?? "")) / 1000
            UIApplication.shared.setMinimumBackgroundFetchInterval(seconds)
        case ("submit", let kind): submit(kind, action, words)
        case ("pending", _): askForPending(then: words.dropFirst(2).joined(separator: " "))
        case ("cancel", "all"): BGTaskScheduler.shared.cancelAllTaskRequests()
        case ("cancel", _): BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: Script.quoted(action))
        default: say("cannot \(action)")
        }
    }

    /// `pending then submit refresh "x"`: as an app does that asks for a task only if it has not asked yet.
    private static func askForPending(then action: String) {
        BGTaskScheduler.shared.getPendingTaskRequests { requests in
            say("pending \(requests.count)")
            MainActor.assumeIsolated { perform(action) }
        }
    }

    private static func complete(_ word: String) {
        let result: UIBackgroundFetchResult = word == "newData" ? .newData : word == "noData" ? .noData : .failed
        if !fetches.isEmpty { lastFetch = fetches.removeFirst() }
        lastFetch?(result)
    }

    private static func submit(_ kind: String, _ action: String, _ words: [String]) {
        let identifier = Script.quoted(action)
        let request: BGTaskRequest
        if kind == "processing" {
            let processing = BGProcessingTaskRequest(identifier: identifier)
            processing.requiresNetworkConnectivity = words.last == "network"
            processing.requiresExternalPower = words.last == "power"
            request = processing
        } else {
            request = BGAppRefreshTaskRequest(identifier: identifier)
        }
        if let place = words.firstIndex(of: "after"), place + 1 < words.count {
            request.earliestBeginDate = Date(timeIntervalSinceNow: Double(Script.milliseconds(words[place + 1])) / 1000)
        }
        do {
            try BGTaskScheduler.shared.submit(request)
            say("submitted \(identifier)")
        } catch BGTaskScheduler.Error.notPermitted {
            say("not permitted \(identifier)")
        } catch {
            say("refused \(identifier) \(error)")
        }
    }
}
