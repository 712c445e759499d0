internal import Glibc
internal import LinuxSystem
internal import Model
internal import SystemPackage

/// Carries bytes between this terminal and an app's (`docs/PROTOCOL.md`, section 4).
struct TerminalSession {
    enum Ending { case detached, ended, signalled }

    private let socket: Descriptor
    private let context: CommandContext
    private let isTerminal: Bool
    /// Frames that the holder has not taken yet: a suspended app does not read.
    private var waiting: [UInt8] = []
    private var inputHasEnded = false

    private static let detachKey: UInt8 = 0x1D
    private static let mostWaiting = 1 << 20
    /// With input from a pipe that has ended, what the app still prints is awaited this long.
    private static let quietTime = Span.milliseconds(200)

    init(socket: Descriptor, context: CommandContext, isTerminal: Bool) {
        self.socket = socket
        self.context = context
        self.isTerminal = isTerminal
    }

    mutating func run() -> Ending {
        let signals = SignalWatch([SIGWINCH, SIGTERM, SIGHUP, SIGINT])
        sendSize()
        while true {
            guard flush() else { return .ended }
            let events = signals.wait(
                reading: [inputHasEnded ? -1 : context.input, socket.rawValue],
                writing: waiting.isEmpty ? [] : [socket.rawValue], atMost: inputHasEnded ? Self.quietTime : nil)
            if events.signals.contains(SIGWINCH) { sendSize() }
            guard events.signals.subtracting([SIGWINCH]).isEmpty else { return .signalled }
            if events.readable.contains(socket.rawValue), !showOutput() { return .ended }
            if events.readable.contains(context.input), takeInput() { return .detached }
            let isQuiet = events.readable.isEmpty && events.writable.isEmpty && events.signals.isEmpty
            if inputHasEnded, isQuiet { return .detached }
        }
    }

    /// False when the app's terminal is gone.
    private func showOutput() -> Bool {
        let file = FileDescriptor(rawValue: socket.rawValue)
        guard let bytes = try? Files.read(file, atMost: 65_536), !bytes.isEmpty else { return false }
        context.output.write(bytes)
        return true
    }

    /// True when the user wants to leave.
    private mutating func takeInput() -> Bool {
        guard let bytes = try? Files.read(FileDescriptor(rawValue: context.input), atMost: 4096), !bytes.isEmpty else {
            inputHasEnded = true
            return isTerminal
        }
        guard isTerminal, let end = bytes.firstIndex(of: Self.detachKey) else {
            enqueue(kind: "d", bytes)
            return false
        }
        enqueue(kind: "d", Array(bytes[..<end]))
        _ = flush()
        return true
    }

    private mutating func sendSize() {
        guard let size = RawTerminal.size(context.input) else { return }
        enqueue(
            kind: "w",
            [
                UInt8(size.rows >> 8), UInt8(size.rows & 0xFF), UInt8(size.columns >> 8), UInt8(size.columns & 0xFF),
            ])
    }

    /// Input that nobody has room for is dropped, as terminals do, rather than holding up the key that detaches.
    private mutating func enqueue(kind: Unicode.Scalar, _ payload: [UInt8]) {
        guard !payload.isEmpty, waiting.count + payload.count < Self.mostWaiting else { return }
        waiting += [UInt8(ascii: kind), UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
    }

    /// Sends what the holder takes now; false when it is gone.
    private mutating func flush() -> Bool {
        while !waiting.isEmpty {
            switch try? socket.send(waiting[...]) {
            case .bytes(let count): waiting.removeFirst(count)
            case .wouldBlock: return true
            case .end, nil: return false
            }
        }
        return true
    }
}
