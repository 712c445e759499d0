package import LinuxSystem

/// Keeps the terminal of one app: what it prints goes to a bounded file and to whoever is attached, what they type
/// goes to the app (`docs/PROTOCOL.md`, section 4). It ends with the last process that has the terminal open.
package struct TerminalHolder {
    private final class Client {
        let socket: Descriptor
        var input: [UInt8] = []
        var output: [UInt8] = []
        var waits = false
        init(_ socket: Descriptor) { self.socket = socket }
    }

    private let master: Descriptor
    private let listener: Descriptor
    private let file: Descriptor
    private let path: String
    private let epoll: Epoll
    private var clients: [UInt64: Client] = [:]
    private var nextToken: UInt64 = 2
    /// What was printed last, for those who attach later.
    private var recent: [UInt8] = []
    private var sinceTrim = 0
    /// What the app has not taken yet.
    private var typed: [UInt8] = []

    private static let recentLimit = 1 << 16
    private static let fileLimit: Int64 = 1 << 20
    private static let typedLimit = 1 << 20
    private static let clientLimit = 16

    package init(path: String, master: Descriptor, listener: Descriptor, file: Descriptor) throws(SystemError) {
        self.path = path
        self.master = master
        self.listener = listener
        self.file = file
        CurrentProcess.setName("greenroom-tty")
        CurrentProcess.ignoreBrokenPipes()
        try master.setNonblocking(true)
        try listener.setNonblocking(true)
        epoll = try Epoll()
        try epoll.add(master.rawValue, .readable, token: 0)
        try epoll.add(listener.rawValue, .readable, token: 1)
    }

    package mutating func run() throws(SystemError) {
        var ready: [Epoll.Ready] = []
        while true {
            try epoll.wait(milliseconds: nil, &ready)
            for event in ready {
                switch event.token {
                case 0: if !readTerminal() { return finish() }
                case 1: acceptClient()
                default: serve(event.token, event.events)
                }
            }
        }
    }

    private func finish() {
        for client in clients.values { _ = try? client.socket.send(client.output[...]) }
        FileSystem.remove(path)
    }

    /// False once nobody has the terminal open any more.
    private mutating func readTerminal() -> Bool {
        var bytes: [UInt8] = []
        do throws(SystemError) {
            switch try master.read(into: &bytes, upTo: 1 << 14) {
            case .wouldBlock: return true
            case .end: return false
            case .bytes: break
            }
        } catch {
            return false
        }
        recent += bytes
        if recent.count > Self.recentLimit * 2 { recent.removeFirst(recent.count - Self.recentLimit) }
        _ = try? file.write(bytes[...])
        trimFile(bytes.count)
        for (token, client) in clients { send(bytes, to: client, token) }
        flushTyped()
        return true
    }

    private mutating func trimFile(_ added: Int) {
        sinceTrim += added
        guard sinceTrim > Int(Self.fileLimit) else { return }
        sinceTrim = 0
        // The app may have had the file itself before it had a terminal.
        try? file.trim(keeping: Self.fileLimit)
    }

    private mutating func acceptClient() {
        guard let socket = try? UnixSocket.accept(listener), clients.count < Self.clientLimit,
            // An app of an ordinary user's system could type into another one's terminal.
            PeerProcess.isTool(socket)
        else { return }
        let token = nextToken
        nextToken += 1
        guard (try? epoll.add(socket.rawValue, .readable, token: token)) != nil else { return }
        let client = Client(socket)
        clients[token] = client
        send(Array(recent.suffix(Self.recentLimit)), to: client, token)
    }

    private mutating func send(_ bytes: [UInt8], to client: Client, _ token: UInt64) {
        client.output += bytes
        flush(client, token)
        // It does not read: it is let go, the app goes on.
        if client.output.count > Self.recentLimit * 4 { drop(token) }
    }

    private mutating func flush(_ client: Client, _ token: UInt64) {
        while !client.output.isEmpty {
            do throws(SystemError) {
                guard case .bytes(let count) = try client.socket.send(client.output[...]) else { break }
                client.output.removeFirst(count)
            } catch {
                drop(token)
                return
            }
        }
        let waits = !client.output.isEmpty
        guard waits != client.waits else { return }
        client.waits = waits
        try? epoll.modify(client.socket.rawValue, waits ? [.readable, .writable] : .readable, token: token)
    }

    private mutating func drop(_ token: UInt64) {
        guard let client = clients.removeValue(forKey: token) else { return }
        epoll.remove(client.socket.rawValue)
    }

    private mutating func serve(_ token: UInt64, _ events: Epoll.Events) {
        guard let client = clients[token] else { return }
        if events.contains(.writable) { flush(client, token) }
        guard events.contains(.readable) || events.contains(.hangUp) || events.contains(.error) else { return }
        do throws(SystemError) {
            switch try client.socket.read(into: &client.input, upTo: 1 << 14) {
            case .wouldBlock: return
            case .end: drop(token)
            case .bytes: handleFrames(client, token)
            }
        } catch {
            drop(token)
        }
    }

    private mutating func handleFrames(_ client: Client, _ token: UInt64) {
        while client.input.count >= 3 {
            let length = Int(client.input[1]) << 8 | Int(client.input[2])
            guard client.input.count >= 3 + length else { return }
            let payload = client.input[3..<3 + length]
            switch client.input[0] {
            case UInt8(ascii: "d"):
                if typed.count + length <= Self.typedLimit { typed += payload }
            case UInt8(ascii: "w") where length == 4:
                let numbers = Array(payload).map(UInt16.init)
                Terminal.setSize(
                    master, rows: numbers[0] << 8 | numbers[1], columns: numbers[2] << 8 | numbers[3])
            default:
                drop(token)
                return
            }
            client.input.removeFirst(3 + length)
        }
        flushTyped()
    }

    /// A frozen app takes nothing: what does not fit waits for the next turn of its terminal.
    private mutating func flushTyped() {
        while !typed.isEmpty, case .bytes(let count) = try? master.write(typed[...]) { typed.removeFirst(count) }
        try? epoll.modify(master.rawValue, typed.isEmpty ? .readable : [.readable, .writable], token: 0)
    }
}
