internal import Glibc
internal import LinuxSystem
package import SystemPackage

/// A PipeWire daemon, by the socket where it listens.
package struct AudioServer: Hashable, Sendable {
    package let socket: String

    package init(socket: String) { self.socket = socket }

    /// The daemon of the user's session, as PipeWire's own programs find it.
    package static var ofSession: AudioServer {
        let name = environment("PIPEWIRE_REMOTE") ?? "pipewire-0"
        if name.hasPrefix("/") { return AudioServer(socket: name) }
        let folder =
            environment("PIPEWIRE_RUNTIME_DIR") ?? environment("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())"
        return AudioServer(socket: "\(folder)/\(name)")
    }

    private static func environment(_ name: String) -> String? {
        CurrentProcess.environment(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    var folder: String { String(socket.prefix(upTo: socket.lastIndex(of: "/") ?? socket.startIndex)) }
    var name: String { String(socket.split(separator: "/").last ?? "") }
}

/// Why something with sound did not happen.
package enum AudioError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No daemon listens there.
    case noServer(AudioServer, Errno)
    /// The library, or the stream's memory, could not be made ready.
    case cannotBegin(Errno)
    case invalid(String)
    case closed

    package var description: String {
        switch self {
        case .noServer(let server, let errno): "no PipeWire daemon answers at \(server.socket): \(errno)"
        case .cannotBegin(let errno): "PipeWire could not be started in this process: \(errno)"
        case .invalid(let what): "\(what) is not allowed in a stream"
        case .closed: "the stream is closed"
        }
    }
}
