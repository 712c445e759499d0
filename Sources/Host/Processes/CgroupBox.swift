package import LinuxSystem

/// An app in a cgroup of its own: the freezer stops whole process trees, and the kernel reports it.
package final class CgroupBox: ProcessBox {
    package let mechanism = "cgroup v2 freezer"
    private let group: Cgroup
    private var watch: Loop.Watch?
    /// Whoever is there after that needs more.
    private var wasKilled = false

    package init(path: String) throws(SystemError) { group = try Cgroup(creating: path) }

    package var birthplace: Descriptor? { group.directory }
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
        watch = try loop.watch(group.eventsDescriptor.rawValue, .priority) { [group] _ in
            group.acknowledge()
            changed()
        }
    }

    package func remove() {
        watch = nil
        do throws(SystemError) {
            try Cgroup.remove(at: group.path)
        } catch {
            Diagnostics.write("an empty cgroup could not be removed: \(error)")
        }
    }
}
