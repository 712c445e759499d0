internal import Dispatch
internal import LinuxSystem
internal import OpenSSL
internal import PushLink

/// A socket with TLS on it, and the records that come. Each call answers what is to be told.
struct LinkConnection {
    /// Bytes that may wait for a gateway that does not read.
    private static let mostWaiting = 256 << 10
    /// Bytes that are read at a time.
    private static let piece = 16_384

    private let socket: Descriptor
    private let tls: TLSClient
    private let isLocal: Bool
    private var reader = LinkReader<GatewayRecord>()
    private(set) var isSecure = false
    private(set) var isOpen = true
    /// Encrypted, and not taken by the kernel yet.
    private var waiting: [UInt8] = []
    private var counts = LinkChannel.Counts()
    private var reading: (any DispatchSourceRead)?
    private var isReading = true
    private var writing: (any DispatchSourceWrite)?
    private var isWriting = false

    /// `nil`: no certificate can have such a host.
    init?(_ socket: Descriptor, to host: String, _ context: TLSContext, isLocal: Bool) {
        guard let tls = TLSClient(context, host: host, isAddress: TCPSocket.isAddress(host)) else { return nil }
        (self.socket, self.tls, self.isLocal) = (socket, tls, isLocal)
    }

    mutating func watch(
        _ queue: DispatchQueue, onReadable: @escaping @Sendable () -> Void, onWritable: @escaping @Sendable () -> Void
    ) {
        let socket = socket
        let reading = DispatchSource.makeReadSource(fileDescriptor: socket.rawValue, queue: queue)
        reading.setEventHandler(handler: onReadable)
        // The descriptor is not closed before its sources are.
        reading.setCancelHandler { withExtendedLifetime(socket) {} }
        let writing = DispatchSource.makeWriteSource(fileDescriptor: socket.rawValue, queue: queue)
        writing.setEventHandler(handler: onWritable)
        writing.setCancelHandler { withExtendedLifetime(socket) {} }
        reading.resume()
        (self.reading, self.writing) = (reading, writing)
    }

    /// A source that waits for nothing is suspended.
    private mutating func wait(reading: Bool, writing: Bool) {
        if reading != isReading {
            isReading = reading
            if reading { self.reading?.resume() } else { self.reading?.suspend() }
        }
        if writing != isWriting {
            isWriting = writing
            if writing { self.writing?.resume() } else { self.writing?.suspend() }
        }
    }

    // MARK: Events

    /// The handshake goes on.
    mutating func advance() -> [LinkChannel.News] {
        do throws(TLSClient.Failure) {
            let isComplete = try tls.handshake()
            let news = flush()
            guard isOpen, isComplete else { return news }
        } catch {
            // The alert says to the gateway why.
            _ = flush()
            return end(Self.sentence(error))
        }
        guard tls.applicationProtocol == LinkRules.applicationProtocol else {
            return end("what answers there does not speak \(LinkRules.applicationProtocol)")
        }
        isSecure = true
        return [.connected(isLocal: isLocal)] + records()
    }

    /// Reads until nothing is there, or until there are records: libdispatch tells of a connection's end once, with
    /// what is unread before it.
    mutating func readable() -> [LinkChannel.News] {
        var news: [LinkChannel.News] = []
        while isOpen, isReading {
            var bytes: [UInt8] = []
            do throws(SystemError) {
                switch try socket.read(into: &bytes, upTo: Self.piece) {
                case .bytes: break
                case .wouldBlock: return news
                case .end: return news + end("the gateway closed the connection" + (isSecure ? "" : " before TLS"))
                }
            } catch {
                return news + end("\(error.errno)")
            }
            counts.received += Int64(bytes.count)
            tls.receive(bytes[...])
            news += isSecure ? records() : advance()
        }
        return news
    }

    /// What was told is handled.
    mutating func readOn() -> [LinkChannel.News] {
        guard isOpen else { return [] }
        // What has come already is in memory or in the socket, and no event follows for it.
        let news = records()
        return news + readable()
    }

    /// What has come, as records. After some, nothing is read until `readOn`.
    private mutating func records() -> [LinkChannel.News] {
        var records: [GatewayRecord] = []
        do {
            while records.isEmpty {
                switch try tls.read(upTo: Self.piece) {
                case .nothing:
                    wait(reading: true, writing: isWriting)
                    return flush()
                case .end: return end("the gateway closed the connection")
                case .bytes(let bytes): reader.append(bytes)
                }
                while let record = try reader.next() { records.append(record) }
            }
        } catch let error as LinkError {
            // What came whole before it counts.
            return (records.isEmpty ? [] : [.records(records)])
                + end("the gateway sent what is no record: \(error)")
        } catch {
            return end("TLS failed")
        }
        wait(reading: false, writing: isWriting)
        return [.records(records)] + flush()
    }

    // MARK: Out

    mutating func send(_ line: [UInt8]) -> [LinkChannel.News] {
        guard isOpen, isSecure else { return [] }
        do throws(TLSClient.Failure) {
            try tls.write(line)
        } catch {
            return end(Self.sentence(error))
        }
        return flush()
    }

    /// Gives the kernel what it takes.
    mutating func flush() -> [LinkChannel.News] {
        guard isOpen else { return [] }
        waiting += tls.takeOutput()
        do throws(SystemError) {
            while !waiting.isEmpty, case .bytes(let count) = try socket.send(waiting[...]) {
                waiting.removeFirst(count)
                counts.sent += Int64(count)
            }
        } catch {
            return end("\(error.errno)")
        }
        guard waiting.count <= Self.mostWaiting else { return end("the gateway does not read what it is sent") }
        wait(reading: isReading, writing: !waiting.isEmpty)
        return []
    }

    /// The connection is over.
    mutating func end(_ reason: String) -> [LinkChannel.News] {
        guard isOpen else { return [] }
        isOpen = false
        tls.close()
        let farewell = tls.takeOutput()
        // As far as it goes: nobody waits for it.
        if waiting.isEmpty, !farewell.isEmpty { _ = try? socket.send(farewell[...]) }
        // Sources end awake.
        wait(reading: true, writing: true)
        reading?.cancel()
        writing?.cancel()
        return [.ended(reason)]
    }

    mutating func takeCounts() -> LinkChannel.Counts {
        defer { counts = LinkChannel.Counts() }
        return counts
    }

    private static func sentence(_ failure: TLSClient.Failure) -> String {
        switch failure {
        case .untrusted, .broken:
            "TLS failed: this device does not trust the gateway's certificate, or it does not speak TLS 1.2. If the "
                + "gateway has an authority of its own, name it: greenroom push gateway URL --ca FILE"
        }
    }
}
