import DBus
import LinuxSystem

/// A peer that writes its messages byte by byte, and so can write what libsystemd would not.
final class RawClient {
    private let socket: Descriptor
    private var serial: UInt32 = 0

    /// Connects and is greeted.
    init(_ path: String) throws {
        socket = try UnixSocket.connect(to: path)
        let user = String(CurrentProcess.uid).utf8.map { String($0, radix: 16) }.joined()
        try write(Array("\0AUTH EXTERNAL \(user)\r\n".utf8))
        _ = try line()
        try write(Array("BEGIN\r\n".utf8))
        try send(to: "org.freedesktop.DBus", "Hello", "", [])
        // The answer begins with an `l`, as all that little machines send.
        var bytes: [UInt8] = []
        _ = try socket.read(into: &bytes, upTo: 1)
    }

    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard case .bytes(let count) = try socket.send(rest) else { continue }
            rest = rest.dropFirst(count)
        }
    }

    private func line() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.last != UInt8(ascii: "\n"), case .bytes = try socket.read(into: &bytes, upTo: 1) {}
        return bytes
    }

    /// Calls a method of the echo, or another one, with a body of these bytes.
    func send(to destination: String, _ method: String, _ signature: String, _ body: [UInt8]) throws {
        serial += 1
        try write(Self.message(serial, to: destination, method, signature, body))
    }

    static func message(
        _ serial: UInt32, to destination: String, _ method: String, _ signature: String, _ body: [UInt8]
    ) -> [UInt8] {
        let isBus = destination == "org.freedesktop.DBus"
        var fields: [UInt8] = []
        func add(_ code: UInt8, _ type: String, _ value: [UInt8]) {
            while fields.count % 8 != 0 { fields.append(0) }
            fields += [code, 1] + Array(type.utf8) + [0] + value
        }
        func text(_ text: String) -> [UInt8] { number(UInt32(text.utf8.count)) + Array(text.utf8) + [0] }
        add(1, "o", text(isBus ? "/org/freedesktop/DBus" : Echo.path.text))
        add(2, "s", text(isBus ? "org.freedesktop.DBus" : Echo.interface))
        add(3, "s", text(method))
        add(6, "s", text(destination))
        if !signature.isEmpty { add(8, "g", [UInt8(signature.utf8.count)] + Array(signature.utf8) + [0]) }
        var message: [UInt8] = [UInt8(ascii: "l"), 1, 0, 1]
        message += number(UInt32(body.count)) + number(serial) + number(UInt32(fields.count)) + fields
        while message.count % 8 != 0 { message.append(0) }
        return message + body
    }

    static func number(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }

    /// A body of one array of bytes.
    static func bytes(_ count: Int, of byte: UInt8 = 0) -> [UInt8] {
        number(UInt32(count)) + [UInt8](repeating: byte, count: count)
    }
}
