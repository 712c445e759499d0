import Dispatch
import LinuxSystem
import Synchronization
import TestBus

/// Speaks gpsd's protocol as a test wants it, on a socket in a folder of its own.
///
/// Unchecked: what changes is changed on its queue.
final class FakeGPSD: @unchecked Sendable {
    static let version = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
    static let devices = #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyS0","activated":"x"}]}"#
    private static let count = Atomic<Int>(0)

    /// Someone who has connected.
    final class Guest: Sendable {
        let socket: Descriptor

        init(_ socket: Descriptor) throws {
            self.socket = socket
            try socket.setNonblocking(false)
        }

        func say(_ lines: String...) throws { try say(Array((lines.joined(separator: "\n") + "\n").utf8)) }

        func say(_ bytes: [UInt8]) throws { try socket.writeAll(bytes) }

        /// The next line that it sends; `nil` once it has closed the connection.
        func line() throws -> String? {
            var text: [UInt8] = []
            while text.last != UInt8(ascii: "\n") {
                guard case .bytes = try socket.read(into: &text, upTo: 1) else { return nil }
            }
            return String(decoding: text.dropLast(), as: UTF8.self)
        }
    }

    let path: String
    private let queue = DispatchQueue(label: "fake gpsd")
    private let guests = Mailbox<Guest>()
    private var source: (any DispatchSourceRead)?

    init(isListening: Bool = true) throws {
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        path = "/tmp/greenroom-gpsd-\(CurrentProcess.pid)-\(number)"
        if isListening { try listen() }
    }

    deinit { stop() }

    func listen() throws {
        let listener = try UnixSocket.listen(at: path, mode: 0o600)
        let source = DispatchSource.makeReadSource(fileDescriptor: listener.rawValue, queue: queue)
        source.setEventHandler { [guests] in
            // One for each event: it comes again for as long as others wait.
            if let socket = try? UnixSocket.accept(listener), let guest = try? Guest(socket) { guests.post(guest) }
        }
        source.setCancelHandler { withExtendedLifetime(listener) {} }
        self.source = source
        source.resume()
    }

    /// No connection is taken any more.
    func stop() {
        source?.cancel()
        source = nil
        // The listener is closed on the queue.
        queue.sync {}
        FileSystem.remove(path)
    }

    var hasNoGuest: Bool { guests.rest.isEmpty }

    /// The next one that connects, once it has asked to be told.
    func guest(answering lines: String...) throws -> Guest {
        let guest = try guests.next()
        guard try guest.line() == #"?WATCH={"enable":true,"json":true};"# else { throw Mailbox<Guest>.Empty() }
        if !lines.isEmpty { try guest.say(Array((lines.joined(separator: "\n") + "\n").utf8)) }
        return guest
    }
}

/// A report of a fix at the equator.
func report(_ longitude: Double, second: Int, mode: Int = 3, more: String = "") -> String {
    let time = "2026-05-01T12:00:\(second < 10 ? "0" : "")\(second)Z"
    return #"{"class":"TPV","device":"/dev/ttyS0","mode":\#(mode),"time":"\#(time)","lat":0,"#
        + #""lon":\#(longitude)\#(more)}"#
}
