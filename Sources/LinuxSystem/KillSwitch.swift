internal import CLinux
internal import SystemPackage

/// What ends an app, opened before it is needed: nothing is looked up and nothing allocated when it is pulled.
package struct KillSwitch: Sendable {
    private let descriptor: Descriptor
    /// Of a group: the list of its processes.
    private let members: Descriptor?

    /// Everything in the group, those being born included (kernel 5.14). The corresponding file is `cgroup.kill`, which
    /// does not reach a process whose first thread has ended while others go on (`Cgroup.kill`).
    package init(group: String) throws(SystemError) {
        descriptor = try Descriptor.open(group + "/cgroup.kill", .write)
        let members = try Descriptor.open(group + "/cgroup.procs", .read)
        // The kernel makes room for the list when it is read first.
        var list: [UInt8] = []
        _ = try members.read(into: &list, upTo: 16)
        self.members = members
    }

    /// One process.
    package init(_ process: PidFD) {
        descriptor = process.descriptor
        members = nil
    }

    /// Ends nobody: what a rehearsal pulls.
    package static func blank() throws(SystemError) -> KillSwitch {
        let nothing = try Descriptor.open("/dev/null", .readWrite)
        return KillSwitch(descriptor: nothing, members: nothing)
    }

    private init(descriptor: Descriptor, members: Descriptor) {
        self.descriptor = descriptor
        self.members = members
    }

    /// Whether the kernel took it.
    package func pull() -> Bool {
        guard let members else { return gr_pidfd_send_signal(descriptor.rawValue, 9) == 0 }
        let isTaken = gr_cgroup_kill(descriptor.rawValue) == 0
        // Whoever is left is seen to when the Core asks for the end.
        _ = gr_kill_listed(members.rawValue)
        return isTaken
    }
}
