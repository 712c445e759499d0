internal import CLinux
internal import Glibc

/// The process at the other end of a socket, identified while it runs.
package struct PeerProcess: Sendable {
    package let process: PidFD
    package let uid: UInt32
    /// Its path in the v2 hierarchy; `nil`: the machine has none.
    package let cgroup: String?

    /// Fails if the process has ended, because another process may have its number.
    package init?(of socket: Descriptor) {
        guard let peer = try? UnixSocket.peer(of: socket), let process = Self.process(peer.pid, of: socket) else {
            return nil
        }
        let procfs = ProcFS()
        guard let began = procfs.stat(peer.pid)?.startTime else { return nil }
        let cgroup = procfs.cgroup(peer.pid)
        // The process still runs, so the number was not reused before these reads.
        guard !process.isDead, procfs.stat(peer.pid)?.startTime == began, procfs.cgroup(peer.pid) == cgroup else {
            return nil
        }
        self.process = process
        self.cgroup = cgroup
        uid = peer.uid
    }

    private static func process(_ pid: CInt, of socket: Descriptor) -> PidFD? {
        let fd = gr_peer_pidfd(socket.rawValue)
        if fd >= 0 { return PidFD(pid: pid, owning: fd) }
        // Kernels before 6.5 only have the number. If the process has ended, this fails, and the peer is refused.
        return Glibc.errno == ENOPROTOOPT ? try? PidFD(pid) : nil
    }

    /// It is the user's or root's, and no app's: on an ordinary user's system apps are the same user. What runs inside
    /// an app's group is an app, whatever it says.
    package var isTool: Bool { (uid == CurrentProcess.uid || uid == 0) && !isOfApp }

    package var isOfApp: Bool { cgroup.map(Self.isOfApp) ?? false }

    /// Whether a group is one of those that a system makes: they are below one that is named after its home.
    package static func isOfApp(_ group: String) -> Bool {
        let names = group.split(separator: "/")
        return zip(names, names.dropFirst()).contains { $0.hasPrefix("greenroom-") && $1.hasPrefix("app-") }
    }

    /// A peer that is gone is no tool.
    package static func isTool(_ socket: Descriptor) -> Bool { PeerProcess(of: socket)?.isTool ?? false }
}
