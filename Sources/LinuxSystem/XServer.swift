internal import Glibc

/// An X server, asked over its socket by the four requests that are needed. A library would wait for a server that does
/// not answer for as long as that takes.
package struct XServer: Sendable {
    package enum Failure: Error, Hashable, Sendable {
        case refused
        /// An app, or something that is gone, listens at the path: it could say what it wants.
        case untrusted
        case noAnswer
        case unreadable
    }

    /// For people: “:0”.
    package let display: String
    private let socket: Descriptor
    private let until: Int64
    private var root: UInt32 = 0
    private var window: UInt32 = 0

    /// The display whose server listens at this path; `nil`: it is no such path.
    package static func display(at path: String) -> String? {
        let marker = "/.X11-unix/X"
        guard let place = path.firstRange(of: marker) else { return nil }
        let number = path[place.upperBound...]
        return UInt16(number).map { ":\($0)" }
    }

    /// Connects, and waits for answers no longer than this altogether.
    package init(at path: String, display: String, cookie: [UInt8]?, milliseconds: Int32) throws {
        self.display = display
        until = Clock.monotonic() + Int64(milliseconds) * 1_000_000
        // A server that listens at an abstract address listens at the same path of the file system.
        let file = path.hasPrefix("@") ? String(path.dropFirst()) : path
        socket = try UnixSocket.connect(to: file, milliseconds: milliseconds)
        guard let server = PeerProcess(of: socket), !server.isOfApp else { throw Failure.untrusted }
        try begin(cookie)
    }

    // MARK: Connecting

    private static let protocolName = Array("MIT-MAGIC-COOKIE-1".utf8)

    private mutating func begin(_ cookie: [UInt8]?) throws {
        var request: [UInt8] = [UInt8(ascii: "l"), 0]
        let name = cookie == nil ? [] : Self.protocolName
        let data = cookie ?? []
        request.add16(11, 0, UInt16(name.count), UInt16(clamping: data.count), 0)
        request.add(padded: name)
        request.add(padded: data)
        try send(request)
        let head = try receive(8)
        let body = try receive(Int(head.uint16(at: 6)) * 4)
        guard head[0] == 1 else { throw Failure.refused }
        guard body.count >= 32 else { throw Failure.unreadable }
        window = body.uint32(at: 4)
        // Behind the vendor's name and the formats of pictures, the first screen.
        let screen = 32 + (Int(body.uint16(at: 16)) + 3) / 4 * 4 + Int(body[21]) * 8
        guard body.count >= screen + 4 else { throw Failure.unreadable }
        root = body.uint32(at: screen)
    }

    // MARK: Asking

    /// Whether another client has grabbed the keyboard or the pointer. The window for which a grab is asked is not
    /// shown, so none begins, and no window loses its focus.
    package func hasGrab() throws -> Bool {
        let (createWindow, grabPointer, grabKeyboard): (UInt8, UInt8, UInt8) = (1, 26, 31)
        let inputOnly: UInt16 = 2
        var request = [createWindow, 0]
        request.add16(8)
        request.add32(window, root, 0)
        // One pixel, without a border.
        request.add16(1, 1, 0, inputOnly)
        request.add32(0, 0)
        request += [grabKeyboard, 0]
        request.add16(4)
        request.add32(window, 0)
        request += [1, 1, 0, 0, grabPointer, 0]
        request.add16(6)
        request.add32(window)
        request += [0, 0, 1, 1]
        request.add32(0, 0, 0)
        try send(request)
        let (keyboard, pointer) = (try answer(), try answer())
        let alreadyGrabbed: UInt8 = 1
        return keyboard == alreadyGrabbed || pointer == alreadyGrabbed
    }

    /// The state in the next answer; what else the server tells is passed over.
    private func answer() throws -> UInt8 {
        let (failed, reply): (UInt8, UInt8) = (0, 1)
        while true {
            let packet = try receive(32)
            switch packet[0] {
            case reply:
                // These answers have nothing behind them.
                guard packet.uint32(at: 4) == 0 else { throw Failure.unreadable }
                return packet[1]
            case failed: throw Failure.refused
            default: continue
            }
        }
    }

    // MARK: Bytes

    private func send(_ bytes: [UInt8]) throws {
        // A few bytes, for which every socket has room.
        guard case .bytes(bytes.count) = try socket.send(bytes[...]) else { throw Failure.noAnswer }
    }

    private func receive(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let left = (until - Clock.monotonic()) / 1_000_000
            var entry = pollfd(fd: socket.rawValue, events: Int16(POLLIN), revents: 0)
            guard left > 0, unsafe poll(&entry, 1, CInt(clamping: left)) == 1 else { throw Failure.noAnswer }
            guard case .bytes = try socket.read(into: &bytes, upTo: count - bytes.count) else {
                throw Failure.noAnswer
            }
        }
        return bytes
    }
}

// MARK: The user's key

extension XServer {
    /// The key for a display in a file of `xauth`; `nil`: it has none.
    package static func cookie(for display: String, in file: [UInt8]) -> [UInt8]? {
        let number = Array(display.dropFirst().utf8)
        var rest = file[...]
        func field() -> [UInt8]? {
            guard rest.count >= 2, let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
            let count = Int(high) << 8 | Int(low)
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        while rest.count > 2 {
            // The family and the address: all entries of this machine have the same displays.
            rest = rest.dropFirst(2)
            guard field() != nil, let display = field(), let name = field(), let data = field() else { return nil }
            if display == number || display.isEmpty, name == protocolName { return data }
        }
        return nil
    }
}

extension [UInt8] {
    fileprivate mutating func add16(_ values: UInt16...) {
        for value in values { self += [UInt8(value & 0xff), UInt8(value >> 8)] }
    }

    fileprivate mutating func add32(_ values: UInt32...) {
        for value in values { add16(UInt16(value & 0xffff), UInt16(value >> 16)) }
    }

    fileprivate mutating func add(padded bytes: [UInt8]) {
        self += bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    fileprivate func uint16(at place: Int) -> UInt16 { UInt16(self[place]) | UInt16(self[place + 1]) << 8 }

    fileprivate func uint32(at place: Int) -> UInt32 {
        UInt32(uint16(at: place)) | UInt32(uint16(at: place + 2)) << 16
    }
}
