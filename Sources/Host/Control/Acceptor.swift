package import LinuxSystem
internal import SystemPackage

/// Lets peers in on a listening socket: a bounded number a turn, and without a descriptor left none, instead of being
/// woken for ever for those who wait. A socket that takes nobody any more ends the loop, and with it the daemon: one
/// that heard nobody would never be replaced, and nobody would learn why.
package final class Acceptor {
    private let listener: Descriptor
    private let loop: Loop
    private let accepted: (Descriptor) -> Void
    /// Given up for a moment, to turn a peer away that could not be let in.
    private var reserve: Descriptor?
    private var watch: Loop.Watch?

    /// Whoever connects in a loop does not keep others waiting.
    private static let perTurn = 16
    private static let rest: Int64 = 100_000_000

    /// What another attempt may not meet again.
    private static let passing: Set<Errno> = [
        .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .noBufferSpace, .connectionAbort, .notPermitted,
        .permissionDenied,
    ]

    package init(
        _ listener: Descriptor, _ loop: Loop, _ accepted: @escaping (Descriptor) -> Void
    ) throws(SystemError) {
        self.listener = listener
        self.loop = loop
        self.accepted = accepted
        reserve = Self.spare()
        watch = try loop.watch(listener.rawValue, .readable) { [weak self] in self?.ready($0) }
    }

    private static func spare() -> Descriptor? { try? Descriptor.open("/dev/null", .path) }

    private func ready(_ events: Epoll.Events) {
        for _ in 0..<Self.perTurn {
            do throws(SystemError) {
                guard let socket = try UnixSocket.accept(listener) else { return nobody(events) }
                accepted(socket)
            } catch {
                guard Self.passing.contains(error.errno) else { return fail(error) }
                guard [.tooManyOpenFiles, .tooManyOpenFilesInSystem].contains(error.errno), turnAway() else {
                    return pause()
                }
            }
        }
    }

    /// A socket that was shut down is ready for ever, and says that there is nobody.
    private func nobody(_ events: Epoll.Events) {
        if !events.isDisjoint(with: [.hangUp, .error]) { fail(SystemError("accept4", .socketShutdown)) }
    }

    /// It sees the connection end and can come again; false when even that is impossible.
    private func turnAway() -> Bool {
        guard reserve != nil else {
            reserve = Self.spare()
            return reserve != nil
        }
        reserve = nil
        let isGone = (try? UnixSocket.accept(listener)) != nil
        reserve = Self.spare()
        return isGone
    }

    private func pause() {
        do throws(SystemError) {
            try watch?.change([])
        } catch {
            return fail(error)
        }
        loop.after(nanoseconds: Self.rest) { [weak self] in self?.goOn() }
    }

    private func goOn() {
        do throws(SystemError) {
            try watch?.change(.readable)
        } catch {
            fail(error)
        }
    }

    private func fail(_ error: SystemError) {
        watch = nil
        loop.fail(error)
    }
}
