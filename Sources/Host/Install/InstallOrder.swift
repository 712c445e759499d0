internal import Synchronization

/// Keeps in order what tools want of one app. To uninstall it takes until it has ended, or until all apps have been
/// taken over after a start; what is to be installed after that must not come before, or it would be uninstalled.
package final class InstallOrder {
    /// The removals that are still to come, by the app's name. Which app is installed is known when a worker has looked
    /// at it, so that workers ask.
    package final class Removals: Sendable {
        fileprivate let numbers = Mutex<[String: [UInt64]]>([:])

        package func awaits(_ app: String, before number: UInt64) -> Bool {
            numbers.withLock { $0[app]?.contains { $0 < number } ?? false }
        }
    }

    package let removals = Removals()
    private var last: UInt64 = 0
    private var waiting: [(app: String, number: UInt64, body: () -> Void)] = []

    package init() {}

    /// The place of a command that comes now.
    package func next() -> UInt64 {
        last += 1
        return last
    }

    package func beginRemoval(of app: String) -> UInt64 {
        let number = next()
        removals.numbers.withLock { $0[app, default: []].append(number) }
        return number
    }

    /// What the app had is out of the way, or the removal was refused. Not earlier: a worker that is about to install
    /// asks at some moment of its work, and what was to be removed may be behind it on the lane.
    package func endRemoval(of app: String, _ number: UInt64) {
        removals.numbers.withLock { numbers in
            numbers[app]?.removeAll { $0 == number }
            if numbers[app]?.isEmpty == true { numbers[app] = nil }
        }
        let ready = waiting.filter { $0.app == app && !removals.awaits(app, before: $0.number) }
        waiting.removeAll { $0.app == app && !removals.awaits(app, before: $0.number) }
        for one in ready { one.body() }
    }

    /// When no removal that came before is left, which may be at once.
    package func wait(for app: String, before number: UInt64, _ body: @escaping () -> Void) {
        guard removals.awaits(app, before: number) else { return body() }
        waiting.append((app, number, body))
    }
}
