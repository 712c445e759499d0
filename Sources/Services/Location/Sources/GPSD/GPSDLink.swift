internal import Dispatch
internal import LinuxSystem

/// Hears what a connection to gpsd brings.
protocol GPSDLinkClient: AnyObject {
    func linkIsOpen(_ link: GPSDLink)
    func link(_ link: GPSDLink, said line: [UInt8])
    /// It says nothing more.
    func link(_ link: GPSDLink, endedFor reason: String)
}

/// One connection to gpsd, from the attempt to its end.
///
/// Unchecked: used on its queue only; its client is called there.
final class GPSDLink: @unchecked Sendable {
    private static let (chunk, mostChunks) = (1 << 16, 4)

    private let address: GPSDAddress
    private let queue: DispatchQueue
    private weak var client: (any GPSDLinkClient)?
    /// Addresses of the host that were not tried yet.
    private var peers: [TCPSocket.Peer] = []
    private var socket: Descriptor?
    private var source: (any DispatchSourceProtocol)?
    private var lines = LineCutter()
    private var hasEnded = false

    init(_ address: GPSDAddress, queue: DispatchQueue, client: any GPSDLinkClient) {
        (self.address, self.queue, self.client) = (address, queue, client)
    }

    deinit { source?.cancel() }

    /// A failure may reach the client before this returns.
    func open() {
        switch address {
        case .unix(let path):
            do throws(SystemError) {
                opened(try UnixSocket.connect(to: path, isNonblocking: true))
            } catch {
                ended("\(error.errno)")
            }
        case .tcp(let host, let port):
            // The name of this machine needs no name server, nor files that may be missing.
            let known = host == "localhost" ? ["127.0.0.1", "::1"] : [host]
            let numeric = known.flatMap { TCPSocket.peers($0, port: port, isNumeric: true) }
            if numeric.isEmpty { resolve(host, port) } else { connect(to: numeric) }
        }
    }

    private func resolve(_ host: String, _ port: UInt16) {
        // A name server may take its time, and the queue is for all sources.
        DispatchQueue.global().async { [weak self, queue] in
            let found = TCPSocket.peers(host, port: port, isNumeric: false)
            queue.async { self?.connect(to: found) }
        }
    }

    private func connect(to peers: [TCPSocket.Peer]) {
        guard !hasEnded else { return }
        self.peers = peers
        tryNext("the name is not known")
    }

    /// Ends with this reason where no address is left.
    private func tryNext(_ reason: String) {
        guard !peers.isEmpty else { return ended(reason) }
        do throws(SystemError) {
            let socket = try TCPSocket.connect(to: peers.removeFirst())
            let source = DispatchSource.makeWriteSource(fileDescriptor: socket.rawValue, queue: queue)
            source.setEventHandler { [weak self] in self?.attemptCameToEnd(socket) }
            source.setCancelHandler { withExtendedLifetime(socket) {} }
            self.source = source
            source.resume()
        } catch {
            tryNext("\(error.errno)")
        }
    }

    private func attemptCameToEnd(_ socket: Descriptor) {
        source?.cancel()
        source = nil
        if let failure = TCPSocket.failure(of: socket) { tryNext("\(failure)") } else { opened(socket) }
    }

    private func opened(_ socket: Descriptor) {
        self.socket = socket
        let source = DispatchSource.makeReadSource(fileDescriptor: socket.rawValue, queue: queue)
        source.setEventHandler { [weak self] in self?.read() }
        source.setCancelHandler { withExtendedLifetime(socket) {} }
        self.source = source
        source.resume()
        client?.linkIsOpen(self)
    }

    /// Reads all that has come, in turns if it is much. A source of Dispatch on Linux may be silent for ever once the
    /// peer has gone: bytes and end that come together are one event.
    private func read() {
        for _ in 0..<Self.mostChunks {
            guard let socket, !hasEnded else { return }
            var bytes: [UInt8] = []
            do throws(SystemError) {
                switch try socket.read(into: &bytes, upTo: Self.chunk) {
                case .wouldBlock: return
                case .end: return ended("it closed the connection")
                case .bytes: break
                }
            } catch {
                return ended("\(error.errno)")
            }
            for line in lines.cut(bytes) where !hasEnded { client?.link(self, said: line) }
        }
        queue.async { [weak self] in self?.read() }
    }

    /// Without waiting: what is sent is so little that it fits into any socket that works.
    func send(_ text: String) {
        guard let socket, !hasEnded else { return }
        let bytes = Array(text.utf8)
        guard (try? socket.send(bytes[...])) == .bytes(bytes.count) else { return ended("it reads nothing") }
    }

    /// The client hears nothing more.
    func close(saying farewell: String? = nil) {
        client = nil
        if let farewell { send(farewell) }
        ended("")
    }

    private func ended(_ reason: String) {
        guard !hasEnded else { return }
        hasEnded = true
        // The descriptor is closed only when the source is done with it; gpsd hears of the end now.
        if let socket { TCPSocket.shutDown(socket) }
        source?.cancel()
        (source, socket) = (nil, nil)
        client?.link(self, endedFor: reason)
    }
}
