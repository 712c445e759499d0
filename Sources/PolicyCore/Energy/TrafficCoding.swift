internal import Model

extension Event {
    func encodeTraffic(into writer: inout ByteWriter) {
        guard case .trafficSeen(let app, let purpose, let sent, let received, let from, let to) = self else { return }
        writer.write(UInt8(56))
        writer.write(app) { $0.write(UInt64($1.rawValue)) }
        writer.write(purpose.rawValue)
        writer.write(sent)
        writer.write(received)
        writer.write(from.nanoseconds)
        writer.write(to.nanoseconds)
    }

    static func traffic(from reader: inout ByteReader) throws(MalformedBytes) -> Event {
        let app = try reader.optional { reader throws(MalformedBytes) in try reader.app() }
        let purpose = try reader.value(Purpose.self)
        let (sent, received) = (try reader.signed(), try reader.signed())
        let from = Instant(nanoseconds: try reader.signed())
        let to = Instant(nanoseconds: try reader.signed())
        return .trafficSeen(app, purpose, sent: sent, received: received, from: from, to: to)
    }
}
