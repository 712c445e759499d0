import Foundation
import Glibc

/// A server of HTTP on this machine, as simple as can be. It ends with the process.
final class LoopbackServer: Sendable {
    private let port: UInt16

    struct Failure: Error {
        let code = errno
    }

    init() throws {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Failure() }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(socket, address, size) == 0 && getsockname(socket, address, &size) == 0
            }
        }
        guard isBound, listen(socket, 16) == 0 else { throw Failure() }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            while true {
                let connection = accept(socket, nil, nil)
                guard connection >= 0 else { continue }
                Thread.detachNewThread { Self.serve(connection) }
            }
        }
    }

    /// An address whose answer are these words; `silent` is answered by nothing.
    func url(_ words: String) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)/\(words)") else { throw Failure() }
        return url
    }

    private static func serve(_ connection: Int32) {
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !request.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let count = unsafe recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else {
                close(connection)
                return
            }
            request += buffer.prefix(count)
        }
        let words = String(decoding: request, as: UTF8.self).split(separator: " ").dropFirst().first?.dropFirst() ?? ""
        if words == "silent" { return }
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(words.utf8.count)\r\nConnection: close\r\n\r\n\(words)"
        _ = unsafe send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
        close(connection)
    }
}
