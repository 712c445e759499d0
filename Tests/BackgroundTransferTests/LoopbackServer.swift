import Foundation
import Glibc
import Synchronization

/// An HTTP server on the loopback interface that answers as a test says, one request a connection.
final class LoopbackServer: Sendable {
    struct Request: Sendable {
        let line: String
        /// Names in small letters.
        let headers: [String: String]

        /// Where a range begins that is asked for.
        var rangeStart: Int? {
            guard let range = headers["range"], range.hasPrefix("bytes=") else { return nil }
            return Int(range.dropFirst("bytes=".count).prefix { $0 != "-" })
        }
    }

    struct Reply: Sendable {
        enum End: Sendable {
            /// All of the body comes.
            case whole
            /// The connection ends after so many bytes of it.
            case cut(Int)
            /// Nothing comes after so many bytes, until the client ends the connection.
            case hold(Int)
        }

        var status = 200
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        var end = End.whole

        /// A part of a file, as a server answers that knows ranges.
        static func part(_ file: [UInt8], from start: Int, tag: String) -> Reply {
            Reply(
                status: 206,
                headers: ["ETag": tag, "Content-Range": "bytes \(start)-\(file.count - 1)/\(file.count)"],
                body: Array(file[start...]))
        }
    }

    private let listener: CInt
    let port: Int
    private let answer: @Sendable (Request) -> Reply
    private let whenHeldEnds: @Sendable () -> Void
    private let seen = Mutex<[Request]>([])

    /// - Parameter whenHeldEnds: called when a client has ended a connection on which nothing more comes.
    init(whenHeldEnds: @escaping @Sendable () -> Void = {}, _ answer: @escaping @Sendable (Request) -> Reply) {
        self.answer = answer
        self.whenHeldEnds = whenHeldEnds
        listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = unsafe bind(descriptor, pointer, size)
                _ = listen(descriptor, 16)
                _ = unsafe getsockname(descriptor, pointer, &size)
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                guard let server = self else {
                    close(connection)
                    return
                }
                Thread.detachNewThread { server.serve(connection) }
            }
        }
    }

    deinit {
        shutdown(listener, CInt(SHUT_RDWR))
        close(listener)
    }

    var requests: [Request] { seen.withLock { $0 } }

    func url(_ path: String = "file") -> URL {
        URL(string: "http://127.0.0.1:\(port)/\(path)") ?? URL(fileURLWithPath: "/")
    }

    private func serve(_ connection: CInt) {
        defer { close(connection) }
        guard let request = Self.read(connection) else { return }
        seen.withLock { $0.append(request) }
        let reply = answer(request)
        var head = "HTTP/1.1 \(reply.status) Answer\r\nConnection: close\r\nContent-Length: \(reply.body.count)\r\n"
        for (name, value) in reply.headers { head += "\(name): \(value)\r\n" }
        Self.write(connection, Array((head + "\r\n").utf8))
        switch reply.end {
        case .whole: Self.write(connection, reply.body)
        case .cut(let count): Self.write(connection, Array(reply.body.prefix(count)))
        case .hold(let count):
            Self.write(connection, Array(reply.body.prefix(count)))
            var byte: UInt8 = 0
            while unsafe recv(connection, &byte, 1, 0) > 0 {}
            whenHeldEnds()
        }
    }

    private static func read(_ connection: CInt) -> Request? {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual(Array("\r\n\r\n".utf8)) {
            var byte: UInt8 = 0
            guard unsafe recv(connection, &byte, 1, 0) == 1 else { return nil }
            bytes.append(byte)
        }
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...]
            headers[line[..<colon].lowercased()] = value.trimmingCharacters(in: .whitespaces)
        }
        return Request(line: lines.first ?? "", headers: headers)
    }

    private static func write(_ connection: CInt, _ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe send(connection, buffer.baseAddress, buffer.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
