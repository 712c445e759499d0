internal import LinuxSystem
internal import SystemPackage

/// Lets peers in on a listening socket: a bounded number a turn, and without a descriptor left none, instead of being
/// woken for ever for those who wait.
final class Acceptor {
    private let listener: Descriptor
    private let loop: Loop
    private let accepted: (Descriptor) -> Void
    /// Given up for a moment, to turn a peer away that could not be let in.
    private var reserve: Descriptor?
    private var watch: Loop.Watch?

    /// Whoever connects in a loop does not keep others waiting.
    private static let perTurn = 16
    private static let rest: Int64 = 100_000_000

    init(_ listener: Descriptor, _ loop: Loop, _ accepted: @escaping (Descriptor) -> Void) throws(SystemError) {
        self.listener = listener
        self.loop = loop
        self.accepted = accepted
        reserve = Self.spare()
        watch = try loop.watch(listener.rawValue, .readable) { [weak self] _ in self?.ready() }
    }

    private static func spare() -> Descriptor? { try? Descriptor.open("/dev/null", .path) }

    private func ready() {
        for _ in 0..<Self.perTurn {
            do throws(SystemError) {
                guard let socket = try UnixSocket.accept(listener) else { return }
                accepted(socket)
            } catch {
                guard [.tooManyOpenFiles, .tooManyOpenFilesInSystem].contains(error.errno), turnAway() else {
                    return pause()
                }
            }
        }
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
        watch?.change([])
        loop.after(nanoseconds: Self.rest) { [weak self] in self?.watch?.change(.readable) }
    }
}
