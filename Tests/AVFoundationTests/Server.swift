import Foundation
import Glibc
import Synchronization

/// A server of HTTP on loopback that has one file, and does what the test says.
final class Server: Sendable {
    struct Behaviour: Sendable {
        var body = Data()
        var type = "audio/wav"
        var takesRanges = true
        var saysLength = true
        var status = 200
        /// The connection ends after so many bytes, so many times.
        var breaksAfter: Int?
        var breaks = 0
        /// Nothing more comes from there on until it is let go.
        var holdsAt: Int?
        var redirects = false
    }

    private let listener: CInt
    let port: UInt16
    private let behaviour: Mutex<Behaviour>
    private let seen = Mutex<[String]>([])
    private let hold = NSCondition()
    private let isHeld = Mutex(true)
    private let isClosed = Mutex(false)

    init(_ behaviour: Behaviour) throws {
        self.behaviour = Mutex(behaviour)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let number = listener
        let port = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard unsafe bind(number, pointer, size) == 0, listen(number, 16) == 0 else { return 0 as UInt16 }
                unsafe getsockname(number, pointer, &size)
                return UInt16(bigEndian: unsafe UnsafeRawPointer(pointer).load(fromByteOffset: 2, as: UInt16.self))
            }
        }
        self.port = port
        guard port != 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        Thread { [self] in accept() }.start()
    }

    deinit { close() }

    var url: URL { URL(string: "http://127.0.0.1:\(port)/sound") ?? URL(fileURLWithPath: "/") }

    /// The head of each request so far.
    var requests: [String] { seen.withLock { $0 } }

    func letGo() {
        isHeld.withLock { $0 = false }
        hold.withLock { hold.broadcast() }
    }

    func close() {
        let closes = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        guard closes else { return }
        letGo()
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        while case let connection = Glibc.accept(listener, nil, nil), connection >= 0 {
            Thread { [self] in serve(connection) }.start()
        }
        // Here, so that its number is not another one's while this thread still uses it.
        Glibc.close(listener)
    }

    private func serve(_ connection: CInt) {
        defer { Glibc.close(connection) }
        var head = ""
        while !head.hasSuffix("\r\n\r\n") {
            var byte: UInt8 = 0
            guard unsafe recv(connection, &byte, 1, 0) == 1 else { return }
            head.unicodeScalars.append(Unicode.Scalar(byte))
        }
        seen.withLock { $0.append(head) }
        answer(head, connection)
    }

    private func answer(_ head: String, _ connection: CInt) {
        let behaviour = behaviour.withLock { $0 }
        if behaviour.redirects, head.hasPrefix("GET /sound ") {
            _ = send(Data("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n".utf8), connection)
            return
        }
        let wanted = head.lowercased().components(separatedBy: "range: bytes=").dropFirst().first
        let asked = wanted.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        let start = behaviour.takesRanges ? min(asked, behaviour.body.count) : 0
        let body = behaviour.body.dropFirst(start)
        let isPart = behaviour.takesRanges && wanted != nil && behaviour.status == 200
        var lines = [
            "HTTP/1.1 \(isPart ? 206 : behaviour.status) OK", "Content-Type: \(behaviour.type)", "Connection: close",
        ]
        if behaviour.saysLength { lines.append("Content-Length: \(body.count)") }
        if isPart {
            lines.append("Content-Range: bytes \(start)-\(behaviour.body.count - 1)/\(behaviour.body.count)")
        }
        guard send(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8), connection) else { return }
        let breaks = self.behaviour.withLock { behaviour in
            guard behaviour.breaks > 0 else { return nil as Int? }
            behaviour.breaks -= 1
            return behaviour.breaksAfter
        }
        if let breaks {
            _ = send(body.prefix(breaks), connection)
            return
        }
        if let place = behaviour.holdsAt, place >= start {
            guard send(body.prefix(place - start), connection) else { return }
            hold.withLock { while isHeld.withLock({ $0 }) { hold.wait() } }
            _ = send(body.dropFirst(place - start), connection)
        } else {
            _ = send(body, connection)
        }
    }

    private func send(_ data: Data, _ connection: CInt) -> Bool {
        var sent = 0
        let bytes = [UInt8](data)
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe buffer.baseAddress.map {
                    unsafe Glibc.send(
                        connection, $0 + sent, buffer.count - sent, Int32(truncatingIfNeeded: MSG_NOSIGNAL))
                } ?? -1
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
