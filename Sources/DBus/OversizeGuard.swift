internal import CSystemd
internal import Glibc
internal import LinuxSystem

/// Throws messages away that are too large, before libsystemd takes memory for them: D-Bus allows every peer 128 MiB.
///
/// libsystemd reads one message at a time and not a byte of the next. So this looks at the header of what waits in the
/// socket, as long as it is certain that a message begins there.
package struct OversizeGuard {
    package enum Finding: Equatable {
        /// Nothing waits.
        case empty
        /// What waits is libsystemd's affair.
        case admitted
        /// The rest of a message that is thrown away has yet to come.
        case discarding
    }

    package static let mostBytes = MessageReader.mostBytes + 1 << 16
    private static let headerBytes = 16

    /// Whether the next byte in the socket is the first of a message.
    private var isBetween = true
    private var rest = 0
    /// How many messages were thrown away.
    package private(set) var discarded = 0

    package init() {}

    /// libsystemd has read a message to its end.
    package mutating func sawMessage() { isBetween = true }

    /// libsystemd has read what there was: perhaps a part of a message.
    package mutating func readSome() { isBetween = false }

    package mutating func look(at socket: CInt) -> Finding {
        while true {
            if rest > 0, !discard(from: socket) { return .discarding }
            guard isBetween else { return .admitted }
            var header = [UInt8](repeating: 0, count: Self.headerBytes)
            let got = unsafe recv(socket, &header, header.count, CInt(MSG_PEEK | MSG_DONTWAIT))
            if got < 0, errno == EAGAIN { return .empty }
            guard got == Self.headerBytes, let size = Self.size(header) else {
                // The end of the stream, a piece of a header, or something else that libsystemd has to judge.
                isBetween = false
                return .admitted
            }
            guard size > Self.mostBytes else {
                isBetween = Descriptor(borrowing: socket).unread >= size
                return .admitted
            }
            rest = size
            discarded += 1
        }
    }

    /// Whether all of it has come. Descriptors that came along are closed by the kernel.
    private mutating func discard(from socket: CInt) -> Bool {
        var scratch = [UInt8](repeating: 0, count: 1 << 16)
        while rest > 0 {
            let got = unsafe recv(socket, &scratch, min(rest, scratch.count), CInt(MSG_DONTWAIT))
            if got < 0, errno == EINTR { continue }
            guard got > 0 else {
                // At the end of the stream libsystemd has to see it.
                if got == 0 || errno != EAGAIN { (rest, isBetween) = (0, false) }
                return rest == 0
            }
            rest -= got
        }
        return true
    }

    /// How long the message is that begins so; `nil` if none does.
    package static func size(_ header: [UInt8]) -> Int? {
        guard header.count >= headerBytes, [UInt8(ascii: "l"), UInt8(ascii: "B")].contains(header[0]),
            (1...4).contains(header[1]), header[3] == 1
        else { return nil }
        func number(at index: Int) -> Int {
            let bytes = header[index..<index + 4]
            let ordered = header[0] == UInt8(ascii: "l") ? Array(bytes.reversed()) : Array(bytes)
            return ordered.reduce(0) { $0 << 8 | Int($1) }
        }
        let (body, serial, fields) = (number(at: 4), number(at: 8), number(at: 12))
        guard serial != 0, body <= 1 << 27, fields <= 1 << 26 else { return nil }
        return headerBytes + (fields + 7) / 8 * 8 + body
    }
}
