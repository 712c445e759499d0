internal import Model

extension Event {
    func encodeTraffic(into writer: inout ByteWriter) {
        switch self {
        case .trafficSeen(let app, let purpose, let sent, let received, let from, let to):
            writer.write(UInt8(56))
            writer.write(app) { $0.write(UInt64($1.rawValue)) }
            writer.write(purpose.rawValue)
            writer.write(sent)
            writer.write(received)
            writer.write(from.nanoseconds)
            writer.write(to.nanoseconds)
        case .trafficCounted(let app, let purpose, let count):
            writer.write(UInt8(count.processor == .zero ? 72 : 90))
            writer.write(UInt64(app.rawValue))
            writer.write(purpose.rawValue)
            writer.write(count.sent)
            writer.write(count.received)
            writer.write(count.from.nanoseconds)
            writer.write(count.to.nanoseconds &- count.from.nanoseconds)
            if count.processor != .zero { writer.write(count.processor.nanoseconds) }
        default: break
        }
    }

    static func traffic(from reader: inout ByteReader) throws(MalformedBytes) -> Event {
        let app = try reader.optional { reader throws(MalformedBytes) in try reader.app() }
        let purpose = try reader.value(Purpose.self)
        let (sent, received) = (try reader.signed(), try reader.signed())
        let from = Instant(nanoseconds: try reader.signed())
        let to = Instant(nanoseconds: try reader.signed())
        return .trafficSeen(app, purpose, sent: sent, received: received, from: from, to: to)
    }

    static func countedTraffic(
        from reader: inout ByteReader, hasProcessor: Bool
    ) throws(MalformedBytes) -> Event {
        let app = try reader.app()
        let purpose = try reader.value(Purpose.self)
        let (sent, received) = (try reader.signed(), try reader.signed())
        let from = try reader.signed()
        var count = CountedTraffic(
            sent: sent, received: received, from: Instant(nanoseconds: from),
            to: Instant(nanoseconds: from &+ (try reader.signed())))
        if hasProcessor {
            count.processor = Span(nanoseconds: try reader.signed())
            guard count.processor != .zero else {
                throw MalformedBytes(offset: reader.offset - 1, expected: "processor time")
            }
        }
        return .trafficCounted(app, purpose, count)
    }
}
