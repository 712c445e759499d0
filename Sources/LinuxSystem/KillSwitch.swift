internal import CLinux
internal import SystemPackage

/// What ends an app, opened before it is needed: nothing is looked up and nothing allocated when it is pulled.
package struct KillSwitch: Sendable {
    private let descriptor: Descriptor
    private let isGroup: Bool

    /// Everything in the group, those being born included (kernel 5.14). The corresponding file is `cgroup.kill`.
    package init(group: String) throws(SystemError) {
        descriptor = try Descriptor.open(group + "/cgroup.kill", .write)
        isGroup = true
    }

    /// One process.
    package init(_ process: PidFD) {
        descriptor = process.descriptor
        isGroup = false
    }

    /// Ends nobody: what a rehearsal pulls.
    package static func blank() throws(SystemError) -> KillSwitch {
        KillSwitch(descriptor: try Descriptor.open("/dev/null", .write), isGroup: true)
    }

    private init(descriptor: Descriptor, isGroup: Bool) {
        self.descriptor = descriptor
        self.isGroup = isGroup
    }

    /// Whether the kernel took it.
    package func pull() -> Bool {
        isGroup
            ? gr_cgroup_kill(descriptor.rawValue) == 0 : gr_pidfd_send_signal(descriptor.rawValue, 9) == 0
    }
}
