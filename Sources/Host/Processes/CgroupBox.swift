internal import LinuxSystem

/// An app in a cgroup of its own: the freezer stops whole process trees, and the kernel reports it.
final class CgroupBox: ProcessBox {
    let mechanism = "cgroup v2 freezer"
    private let group: Cgroup
    private var watch: Loop.Watch?

    init(path: String) throws(SystemError) { group = try Cgroup(creating: path) }

    var birthplace: Descriptor? { group.directory }
    func processes() -> [CInt] { group.processes() }
    var isFrozen: Bool { group.readEvents().isFrozen }
    var isPopulated: Bool { group.readEvents().isPopulated }
    func freeze() throws(SystemError) { try group.setFrozen(true) }
    func thaw() throws(SystemError) { try group.setFrozen(false) }
    func kill() throws(SystemError) { try group.kill() }

    func signal(_ number: CInt) {
        for pid in processes() { try? PidFD(pid).send(number) }
    }

    var processorTime: Int64? { group.processorMicroseconds().map { $0 * 1000 } }

    func watch(_ loop: Loop, _ changed: @escaping () -> Void) throws(SystemError) {
        watch = try loop.watch(group.eventsDescriptor.rawValue, .priority) { _ in changed() }
    }

    func remove() {
        watch = nil
        do throws(SystemError) {
            try Cgroup.remove(at: group.path)
        } catch {
            Diagnostics.write("an empty cgroup could not be removed: \(error)")
        }
    }
}
