import Synchronization
import UIKit

/// What a scenario has the app do by itself: `GRScript` of `Info.plist` is a JSON object from delegate methods (and
/// `expiration`) to lists of actions in the words of scenarios.
final class Script: Sendable {
    @MainActor static let given = Script(UIApplication.shared)

    private struct Task: Sendable {
        var name: String
        var id: UIBackgroundTaskIdentifier
    }

    private let application: UIApplication
    private let actions: [String: [String]]
    private let tasks = Mutex<[Task]>([])
    /// The handlers of one round were all called when this has run.
    private let isExpiring = Mutex(false)

    @MainActor private init(_ application: UIApplication) {
        self.application = application
        let text = Bundle.main.object(forInfoDictionaryKey: "GRScript") as? String ?? "{}"
        actions = (try? JSONDecoder().decode([String: [String]].self, from: Data(text.utf8))) ?? [:]
    }

    func run(_ occasion: String) { actions[occasion]?.forEach { perform($0) } }

    func perform(_ action: String) {
        let words = action.split(separator: " ", maxSplits: 2).map(String.init)
        switch (words.first, words.dropFirst().first) {
        case ("begin", "task"): begin(Self.quoted(action))
        case ("end", "task"): end(Self.quoted(action))
        case ("end", "invalid"): application.endBackgroundTask(.invalid)
        case ("ask", _): say("remaining \(application.backgroundTimeRemaining)")
        case ("crash", _): Deed.crash()
        case ("exit", let status?): exit(Int32(status) ?? 3)
        case ("block", let time?): Deed.wait(milliseconds: Self.milliseconds(time))
        case ("after", let time?):
            let rest = words.count == 3 ? words[2] : ""
            DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(Self.milliseconds(time))) { [self] in
                perform(rest)
            }
        case ("provide", "snapshots"): provideSnapshots(!action.hasSuffix("off"))
        case ("activate", _), ("destroy", _):
            DispatchQueue.main.async { MainActor.assumeIsolated { SceneSteps.perform(action) } }
        case ("use", let part?): Services.shared.perform("use", part)
        case ("leave", let part?): Services.shared.perform("leave", part)
        case ("complete", _), ("fetch", _), ("submit", _), ("cancel", _):
            DispatchQueue.main.async { MainActor.assumeIsolated { Wakings.perform(action) } }
        // At once, and not in the queue's turn: the app may be suspended by then.
        case ("pending", _): MainActor.assumeIsolated { Wakings.perform(action) }
        default: say("cannot \(action)")
        }
    }

    private func provideSnapshots(_ isOn: Bool) {
        DispatchQueue.main.async { [application] in
            MainActor.assumeIsolated { application.snapshotProvider = isOn ? Self.picture : nil }
        }
    }

    @MainActor private static func picture() -> UIApplication.Snapshot {
        say("snapshot")
        return .svg(#"<svg xmlns="http://www.w3.org/2000/svg" width="16" height="9"/>"#)
    }

    private func begin(_ name: String) {
        let id = application.beginBackgroundTask(withName: name) { [self] in expire(name) }
        say("began \(name) \(id == .invalid ? "invalid" : "\(id.rawValue)")")
        if id != .invalid { tasks.withLock { $0.append(Task(name: name, id: id)) } }
    }

    private func end(_ name: String) {
        let id = tasks.withLock { tasks in
            tasks.firstIndex { $0.name == name }.map { tasks.remove(at: $0).id }
        }
        if let id { application.endBackgroundTask(id) }
    }

    private nonisolated func expire(_ name: String) {
        say("expired \(name)\(Thread.isMainThread ? "" : " elsewhere")")
        // Several handlers are called one after another; what the script says is done once.
        let isFirst = isExpiring.withLock { isExpiring in
            defer { isExpiring = true }
            return !isExpiring
        }
        guard isFirst else { return }
        DispatchQueue.main.async { [self] in isExpiring.withLock { $0 = false } }
        run("expiration")
    }

    static func quoted(_ action: String) -> String {
        let parts = action.split(separator: "\"", omittingEmptySubsequences: false)
        return parts.count > 1 ? String(parts[1]) : ""
    }

    /// `1.5s`, `200ms`, `20us`, `2m`.
    static func milliseconds(_ text: String) -> Int {
        let units: [(String, Double)] = [
            ("ms", 1), ("us", 0.001), ("ns", 0.000001), ("s", 1000), ("m", 60_000), ("h", 3_600_000),
        ]
        for (unit, length) in units where text.hasSuffix(unit) {
            return Double(text.dropLast(unit.count)).map { Int($0 * length) } ?? 0
        }
        return 0
    }
}
