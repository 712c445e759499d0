internal import LinuxSystem
internal import Model
internal import SystemPackage
internal import Wire

/// One connection to the control socket; it ends when the daemon does.
final class ControlConnection {
    /// The daemon went away, or says what nobody understands.
    struct Broken: Error {}

    private let descriptor: Descriptor
    private var framer = LineFramer()
    private var lastIdentifier: Int64 = 0

    private static let piece = 65_536
    /// Room for a request is there at once, or the daemon reads nothing any more.
    private static let sendLimit = Span.seconds(10)

    init(path: String, atMost time: Span = .seconds(5)) throws(SystemError) {
        descriptor = try UnixSocket.connect(to: path, milliseconds: Poll.milliseconds(time))
    }

    /// For `poll`.
    var number: Int32 { descriptor.rawValue }

    /// Sends a request and returns its number.
    func send(_ method: ControlMethod, _ params: JSONObject) throws(Broken) -> RPCID {
        lastIdentifier += 1
        let request = RPCMessage.request(id: .int(lastIdentifier), method: method.rawValue, params: .object(params))
        var rest = request.encoded()[...]
        while !rest.isEmpty {
            switch try? descriptor.send(rest) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .wouldBlock: guard Poll.waitToWrite(number, atMost: Self.sendLimit) else { throw Broken() }
            case .end, nil: throw Broken()
            }
        }
        return .int(lastIdentifier)
    }

    /// Waits for the next message.
    func receive() throws(Broken) -> RPCMessage {
        while true {
            if let message = try buffered() { return message }
            try fill()
        }
    }

    /// The next message, `nil` when not a byte has come for so long.
    func receive(silentAtMost time: Span) throws(Broken) -> RPCMessage? {
        while true {
            if let message = try buffered() { return message }
            guard waitToRead(atMost: time) else { return nil }
            try fill()
        }
    }

    /// A signal may end a wait before its time.
    private func waitToRead(atMost time: Span) -> Bool {
        let limit = TimeLimit(in: time)
        while true {
            if Poll.wait(for: number, atMost: limit.left) { return true }
            if limit.isOver { return false }
        }
    }

    /// A message that has arrived already. After `fill`, several may have.
    func buffered() throws(Broken) -> RPCMessage? {
        do {
            guard let line = try framer.next() else { return nil }
            return try RPCMessage.parse(line, limits: .answer)
        } catch {
            throw Broken()
        }
    }

    /// One `read`, which waits if nothing is there.
    func fill() throws(Broken) {
        let file = FileDescriptor(rawValue: number)
        guard let bytes = try? Files.read(file, atMost: Self.piece), !bytes.isEmpty else { throw Broken() }
        framer.append(bytes)
    }
}
