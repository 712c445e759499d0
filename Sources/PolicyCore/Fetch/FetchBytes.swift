package import Model

/// What a fetch moved.
package struct FetchBytes: Hashable, Sendable, Codable {
    package var sent: Int64
    package var received: Int64

    package init(sent: Int64, received: Int64) {
        self.sent = sent
        self.received = received
    }

    static let zero = FetchBytes(sent: 0, received: 0)
    private static let most: Int64 = 1 << 36

    static func + (a: FetchBytes, b: FetchBytes) -> FetchBytes {
        FetchBytes(sent: min(most, a.sent + b.sent), received: min(most, a.received + b.received))
    }

    /// A quarter of the way to another.
    func moved(towards other: FetchBytes) -> FetchBytes {
        FetchBytes(sent: sent + (other.sent - sent) / 4, received: received + (other.received - received) / 4)
    }

    /// What the bytes cost while a radio carries them: neither its waking nor its tails. For how long it does is not
    /// seen, so they are taken to flow as fast as those of the usual fetch do (`FetchRules`).
    package func cost(_ model: RadioModel) -> Energy {
        let length = Span(nanoseconds: sent * Self.nanosecondsUp + received * Self.nanosecondsDown)
        return model.power * length + model.sentByte * sent + model.receivedByte * received
    }

    /// For each byte, at 40 kB/s up and 125 kB/s down.
    private static let (nanosecondsUp, nanosecondsDown): (Int64, Int64) = (25_000, 8_000)

    var isSound: Bool { (0...Self.most).contains(sent) && (0...Self.most).contains(received) }
}

extension FetchPlanner {
    /// So much more was seen to be moved by the app's last fetch, which may have ended a moment ago.
    package mutating func moved(_ app: AppIndex, _ bytes: FetchBytes, model: RadioModel) {
        guard let place = place(of: app) else { return }
        records[place].moved(bytes, model)
    }
}

extension FetchRecord {
    /// A fetch is seen piece by piece; the average counts it once.
    mutating func moved(_ bytes: FetchBytes, _ model: RadioModel) {
        guard let last = decisions.indices.last else { return }
        let before = decisions[last].moved ?? .zero
        if decisions[last].moved == nil { usualBefore = usual }
        let moved = before + bytes
        decisions[last].moved = moved
        decisions[last].cost = moved.cost(model)
        usual = usualBefore?.moved(towards: moved) ?? moved
    }
}

// MARK: The stable form

extension FetchMemory {
    /// Some fetch was seen to move something, or nothing.
    package var hasBytes: Bool { records.contains { $0.usual != nil } }

    /// What a recording holds behind the rest, where something was seen.
    func encodeBytes(into writer: inout ByteWriter) {
        writer.write(records) { writer, record in
            writer.write(record.usual) { writer, bytes in
                writer.write(bytes.sent)
                writer.write(bytes.received)
            }
        }
    }

    init(withBytes reader: inout ByteReader) throws(MalformedBytes) {
        try self.init(from: &reader)
        let bytes = try reader.array { reader throws(MalformedBytes) in
            try reader.optional { reader throws(MalformedBytes) in
                FetchBytes(sent: try reader.signed(), received: try reader.signed())
            }
        }
        guard bytes.count == records.count, bytes.contains(where: { $0 != nil }) else {
            throw MalformedBytes(offset: reader.offset, expected: "what the fetches of each app moved")
        }
        for (place, bytes) in bytes.enumerated() { records[place].usual = bytes }
    }
}
