package import LinuxSystem

/// Tells when a cgroup is frozen, thawed or empty, of all groups by one descriptor: with one each, ten thousand apps
/// would take half of what a process may have open.
package final class GroupEvents {
    /// May be asked for watches by workers too.
    package let inotify: Inotify
    private weak var loop: Loop?
    private var watch: Loop.Watch?
    private var handlers: [CInt: (claim: UInt64, changed: () -> Void)] = [:]
    private var claims: UInt64 = 0
    /// Those with news that nobody has claimed yet.
    private var early: Set<CInt> = []

    /// Ends the watch when it is let go.
    package final class Watch {
        private let number: CInt
        private let claim: UInt64
        private weak var events: GroupEvents?

        fileprivate init(_ number: CInt, _ claim: UInt64, _ events: GroupEvents) {
            self.number = number
            self.claim = claim
            self.events = events
        }

        deinit { events?.end(number, claim) }
    }

    package init(_ loop: Loop) throws(SystemError) {
        self.loop = loop
        inotify = try Inotify()
        watch = try loop.watch(inotify.descriptor.rawValue, .readable) { [weak self] _ in self?.read() }
    }

    /// Begins to watch a group. What changes before the watch is claimed is told in the turn after it is.
    package static func begin(_ group: String, _ inotify: Inotify) throws(SystemError) -> CInt {
        try inotify.watch(group + "/cgroup.events", for: .modified)
    }

    package func claim(_ number: CInt, _ changed: @escaping () -> Void) -> Watch {
        claims += 1
        handlers[number] = (claims, changed)
        if early.remove(number) != nil { loop?.soon(changed) }
        return Watch(number, claims, self)
    }

    /// The kernel gives one number to all watches of a group: somebody else may have claimed it since.
    private func end(_ number: CInt, _ claim: UInt64) {
        guard handlers[number]?.claim == claim else { return }
        handlers[number] = nil
        inotify.stop(number)
    }

    private func read() {
        guard let changes = try? inotify.read() else { return }
        let isOverflow = changes.contains { $0.changes.contains(.overflow) }
        let modified = changes.filter { $0.changes.contains(.modified) }.map(\.watch)
        for number in (isOverflow ? Set(handlers.keys).union(modified) : Set(modified)).sorted() {
            if let known = handlers[number] { known.changed() } else { early.insert(number) }
        }
        for change in changes where change.changes.contains(.ignored) { early.remove(change.watch) }
    }
}
