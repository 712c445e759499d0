package import Model

// A recording is a row of segments. Each begins with a checkpoint of the Core (`SegmentHeader`, in a file beside it)
// and holds records, each framed by the length of its body before it and a check of the body after it:
//
//     length   varint
//     body     1, nanoseconds since the event before (varint, zigzag), the event
//           or 2, then for every effect of that event its kind (1 byte) and its digest (4 bytes, the lowest first)
//     check    2 bytes, the lowest first
//
// An event is written before the Core sees it and its effects before they are performed, so that a recording which ends
// with an event lacks nothing but the comparison of its effects. Version 1 had events alone: length of the event, time,
// event.

/// One record of a segment.
package enum Record: Hashable, Sendable {
    case event(Event, after: Span)
    case effects([EffectMark])
}

/// Makes records. Its storage is used again and again, since every event passes through it.
package struct RecordWriter: Sendable {
    private var body = ByteWriter()
    private var frame = ByteWriter()

    package init() {}

    /// The bytes of the last record.
    package var bytes: [UInt8] { frame.bytes }

    package mutating func write(_ event: Event, after: Span) {
        begin(.event)
        body.write(after.nanoseconds)
        event.encode(into: &body)
        end()
    }

    package mutating func write(_ effects: [Effect]) {
        begin(.effects)
        for effect in effects {
            let mark = EffectMark(effect)
            body.write(mark.kind)
            for shift: UInt32 in [0, 8, 16, 24] { body.write(UInt8(truncatingIfNeeded: mark.digest >> shift)) }
        }
        end()
    }

    private mutating func begin(_ kind: RecordKind) {
        body.removeAll()
        body.write(kind.rawValue)
    }

    private mutating func end() {
        frame.removeAll()
        frame.write(UInt64(body.bytes.count))
        frame.append(body)
        let check = RecordCheck.value(of: body.bytes[...])
        frame.write(UInt8(truncatingIfNeeded: check))
        frame.write(UInt8(truncatingIfNeeded: check >> 8))
    }
}

enum RecordKind: UInt8 {
    case event = 1
    case effects = 2
}

/// Tells damage from another decision: CRC-16/CCITT-FALSE, which finds every change of up to three bits or of a row of
/// sixteen in a record of up to 4 KB.
package enum RecordCheck {
    package static func value(of bytes: ArraySlice<UInt8>) -> UInt16 {
        let table = table
        return bytes.reduce(0xFFFF) { ($0 << 8) ^ table[Int(UInt8($0 >> 8) ^ $1)] }
    }

    private static let table: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index) << 8) { rest, _ in rest & 0x8000 == 0 ? rest << 1 : rest << 1 ^ 0x1021 }
    }
}

/// Reads the records of a segment.
package struct RecordReader {
    package enum Fault: Error, Equatable {
        /// The last record is not whole. `at` is where it begins.
        case cut(at: Int)
        case damaged(MalformedBytes)
    }

    private let bytes: ArraySlice<UInt8>
    private let version: Int
    private var reader: ByteReader

    package init(_ bytes: ArraySlice<UInt8>, version: Int) {
        self.bytes = bytes
        self.version = version
        reader = ByteReader(bytes)
    }

    /// Where the next record begins, in the indices of the bytes.
    package var offset: Int { reader.offset }
    package var isAtEnd: Bool { reader.isAtEnd }

    /// The next record; `nil` after the last one. After an error it stands where it stood.
    package mutating func next() throws(Fault) -> Record? {
        guard !reader.isAtEnd else { return nil }
        let start = reader
        do throws(Fault) {
            return version == 1 ? try nextOfVersion1() : try nextFramed()
        } catch {
            reader = start
            throw error
        }
    }

    private mutating func nextFramed() throws(Fault) -> Record {
        let start = reader.offset
        let length = try self.length(from: start)
        let available = bytes.endIndex - reader.offset
        guard length <= available - 2 else { throw .cut(at: start) }
        let body = bytes[reader.offset..<reader.offset + length]
        let after = body.endIndex
        let check = UInt16(bytes[after]) | UInt16(bytes[after + 1]) << 8
        guard RecordCheck.value(of: body) == check else {
            throw .damaged(MalformedBytes(offset: start, expected: "a record with the check \(check)"))
        }
        reader = ByteReader(bytes[(after + 2)...])
        do throws(MalformedBytes) {
            return try record(body)
        } catch {
            throw .damaged(error)
        }
    }

    private func record(_ body: ArraySlice<UInt8>) throws(MalformedBytes) -> Record {
        var reader = ByteReader(body)
        let kind = try reader.byte()
        switch RecordKind(rawValue: kind) {
        case .event:
            let after = Span(nanoseconds: try reader.signed())
            let event = try Event(from: &reader)
            guard reader.isAtEnd else { throw MalformedBytes(offset: reader.offset, expected: "the end of an event") }
            if case .retired = event {
                throw MalformedBytes(offset: body.startIndex, expected: "an event that this version still has")
            }
            return .event(event, after: after)
        case .effects:
            var marks: [EffectMark] = []
            marks.reserveCapacity(body.count / 5)
            while !reader.isAtEnd {
                let kind = try reader.byte()
                var digest: UInt32 = 0
                for shift: UInt32 in [0, 8, 16, 24] { digest |= UInt32(try reader.byte()) << shift }
                marks.append(EffectMark(kind: kind, digest: digest))
            }
            return .effects(marks)
        case nil: throw MalformedBytes(offset: body.startIndex, expected: "an event or effects, not kind \(kind)")
        }
    }

    /// A number that ends with the bytes is cut; one that is too long, or nothing, is damaged.
    private mutating func length(from start: Int) throws(Fault) -> Int {
        do throws(MalformedBytes) {
            guard let length = Int(exactly: try reader.unsigned()), length > 0 else {
                throw MalformedBytes(offset: start, expected: "the length of a record")
            }
            return length
        } catch {
            throw error.offset == bytes.endIndex ? .cut(at: start) : .damaged(error)
        }
    }

    private mutating func nextOfVersion1() throws(Fault) -> Record {
        let start = reader.offset
        let length = try self.length(from: start)
        do throws(MalformedBytes) {
            let after = Span(nanoseconds: try reader.signed())
            guard length <= bytes.endIndex - reader.offset else {
                throw MalformedBytes(offset: bytes.endIndex, expected: "the rest of an event")
            }
            let end = reader.offset + length
            var body = ByteReader(bytes[reader.offset..<end])
            reader = ByteReader(bytes[end...])
            return .event(try Event(from: &body), after: after)
        } catch {
            throw error.offset == bytes.endIndex ? .cut(at: start) : .damaged(error)
        }
    }
}
