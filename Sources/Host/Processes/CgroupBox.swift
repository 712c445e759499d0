package import LinuxSystem

/// An app in a cgroup of its own: the freezer stops whole process trees, and the kernel reports it.
package final class CgroupBox: ProcessBox {
    package let mechanism = "cgroup v2 freezer"
    private let group: Cgroup
    private var watch: Loop.Watch?
    private var groupWatch: GroupEvents.Watch?
    /// The number of a watch that is under way already.
    private var begun: CInt?
    /// Whoever is there after that needs more.
    private var wasKilled = false

    package init(path: String) throws(SystemError) { group = try Cgroup(creating: path) }

    /// A group that somebody looked at, and has watched since if there is room for a watch.
    init(path: String, begun: CInt?) {
        group = Cgroup(path: path)
        self.begun = begun
    }

    package var birthplace: Descriptor? { try? group.directory }
    package func processes() -> [CInt] { group.processes() }
    package var census: @Sendable () -> [CInt] { { [path = group.path] in Cgroup.processes(at: path) } }
    package var isFrozen: Bool { group.readEvents().isFrozen }
    package var isPopulated: Bool { group.readEvents().isPopulated }
    package func freeze() throws(SystemError) { try group.setFrozen(true) }
    package func thaw() throws(SystemError) { try group.setFrozen(false) }
    package func kill() throws(SystemError) {
        defer { wasKilled = true }
        try group.kill(again: wasKilled)
    }
    package var reclaimFile: String? {
        let file = group.path + "/memory.reclaim"
        return FileSystem.exists(file) ? file : nil
    }
    package var memoryFile: String? {
        let file = group.path + "/memory.stat"
        return FileSystem.exists(file) ? file : nil
    }
    package var killSwitch: KillSwitch? { try? KillSwitch(group: group.path) }

    package func signal(_ number: CInt) {
        for pid in processes() { try? PidFD(pid).send(number) }
    }

    package var processorTime: Int64? { group.processorMicroseconds().map { $0 * 1000 } }

    package func watch(_ loop: Loop, _ changed: @escaping () -> Void) throws(SystemError) {
        if let events = loop.groupEvents, let number = begun ?? (try? GroupEvents.begin(group.path, events.inotify)) {
            groupWatch = events.claim(number, changed)
            return
        }
        // The kernel has no room for more such watches (fs.inotify.max_user_watches).
        watch = try loop.watch(try group.eventsDescriptor.rawValue, .priority) { [group] _ in
            group.acknowledge()
            changed()
        }
        // What was found before nothing told of changes may have changed.
        group.acknowledge()
        loop.soon(changed)
    }

    package func rest() { group.rest() }

    package func remove() {
        watch = nil
        groupWatch = nil
        do throws(SystemError) {
            try Cgroup.remove(at: group.path)
        } catch {
            Diagnostics.write("an empty cgroup could not be removed: \(error)")
        }
    }
}
