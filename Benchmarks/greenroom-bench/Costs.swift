internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

/// What is paid for every event and every message.
struct Costs {
    private let place: String
    private static let batch = 1_000

    init(place: String) { self.place = place }

    /// Nanoseconds a call, measured in batches.
    private func time(batches: Int, _ body: () throws -> Void) rethrows -> Samples {
        var samples = Samples()
        for _ in 0..<batches {
            let start = Clock.monotonic()
            for _ in 0..<Self.batch { try body() }
            samples.append((Clock.monotonic() - start) / Int64(Self.batch))
        }
        return samples
    }

    /// An event and its effects are written down as the daemon does it; the floor is `write` of the same bytes to a
    /// file.
    func journal(batches: Int) throws -> (append: Samples, floor: Samples) {
        let event = Event.callbackReturned(AppIndex(7), Generation(1), CallbackNumber(1_234))
        let entry = LogEntry(
            sequence: LogSequence(5_000), at: WallTime(nanoseconds: 1_700_000_000_000_000_000), app: AppIndex(7),
            event: .didBecomeActive, reason: .onTheWay(.didBecomeActive, .active), cause: LogSequence(4_999),
            took: .milliseconds(2))
        let effects = [
            Effect(.log(entry), cause: LogSequence(4_999)), Effect(.answer(CommandID(900), .done(app: AppIndex(7)))),
        ]
        let log = try MappedLog(creating: place + "/journal-cost", capacity: batches * Self.batch * 48)
        var writer = RecordWriter()
        var isFull = false
        let append = time(batches: batches) {
            writer.write(event, after: Span(nanoseconds: 12_345))
            if !log.append(writer.bytes) { isFull = true }
            writer.write(effects)
            if !log.append(writer.bytes) { isFull = true }
        }
        guard !isFull else { throw BenchError("the journal of the measurement was too small") }
        let file = try Descriptor.open(place + "/journal-floor", .append, create: 0o600)
        writer.write(event, after: Span(nanoseconds: 12_345))
        let first = writer.bytes
        writer.write(effects)
        let second = writer.bytes
        let floor = try time(batches: batches) {
            _ = try file.write(first[...])
            _ = try file.write(second[...])
        }
        return (append, floor)
    }

    private static let message = """
        {"jsonrpc":"2.0","id":3,"method":"didFinishLaunching","params":{"seq":3,"options":{},"state":"inactive"}}
        """

    /// One message of the protocol, read; the floor is a look at each of its bytes.
    func parsing(batches: Int) throws -> (parse: Samples, floor: Samples) {
        let line = Array(Self.message.utf8)
        let parse = try time(batches: batches) { _ = try RPCMessage.parse(line) }
        var sum: UInt64 = 0
        let floor = time(batches: batches) {
            for byte in line { sum = sum &* 31 &+ UInt64(byte) }
        }
        guard sum != 0 else { throw BenchError("the floor was not measured") }
        return (parse, floor)
    }

    func encoding(batches: Int) throws -> Samples {
        let message = try RPCMessage.parse(Array(Self.message.utf8))
        var count = 0
        let samples = time(batches: batches) { count += message.encoded().count }
        guard count > 0 else { throw BenchError("nothing was encoded") }
        return samples
    }
}
