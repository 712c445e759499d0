package import LinuxSystem

/// The process at the other end of a socket for tools.
package enum ToolPeer {
    /// It is the user's or root's, and no app: on an ordinary user's system apps are the same user. What runs inside an
    /// app's group is an app, whatever it says.
    package static func isTool(_ socket: Descriptor) -> Bool {
        guard let peer = try? UnixSocket.peer(of: socket), peer.uid == CurrentProcess.uid || peer.uid == 0 else {
            return false
        }
        // A process that is gone by now says nothing either.
        guard let group = ProcFS().cgroup(peer.pid) else { return true }
        return !isOfApp(group)
    }

    /// A system's groups are named after its home, and each app has one of them.
    package static func isOfApp(_ group: String) -> Bool {
        let names = group.split(separator: "/")
        return zip(names, names.dropFirst()).contains { $0.hasPrefix("greenroom-") && $1.hasPrefix("app-") }
    }
}
