internal import Model
internal import PolicyCore

/// The records of all segments, one after the other.
struct SegmentSource {
    enum Item {
        case event(Event, after: Span)
        case segment(Segment)
        case cut(file: String)
    }

    private let files: RecordingFiles
    private var place = 0
    private(set) var current: Segment
    private var version = SegmentHeader.version
    private var reader: RecordReader
    /// The next segment, when it was needed early.
    private var following: Segment?
    private var isCutTold = false

    init(_ files: RecordingFiles) throws(RecordingError) {
        self.files = files
        current = try Segment(files, files.numbers[0])
        reader = RecordReader([], version: version)
        try begin(after: 0)
    }

    /// Sets the reader to the first event of the segment. Effects before it are those of the last event of the segment
    /// before: they were compared with it, if it was replayed.
    private mutating func begin(after count: Int) throws(RecordingError) {
        version = current.header?.version ?? version
        reader = RecordReader(current.bytes[current.records], version: version)
        _ = try marks(after: count)
        isCutTold = false
    }

    /// The effects of the event that was read last; `nil` if they are not in the recording.
    mutating func effects(after count: Int) throws(RecordingError) -> [EffectMark]? {
        if let marks = try marks(after: count) { return marks }
        guard reader.isAtEnd, let next = try peek(), next.number == current.number + 1, continues(next) else {
            return nil
        }
        var other = RecordReader(next.bytes[next.records], version: next.header?.version ?? version)
        guard case .effects(let marks)? = try? other.next() else { return nil }
        return marks
    }

    /// Reads on if effects come next.
    private mutating func marks(after count: Int) throws(RecordingError) -> [EffectMark]? {
        var ahead = reader
        guard case .effects(let marks)? = try record(from: &ahead, after: count) else { return nil }
        reader = ahead
        return marks
    }

    mutating func next(after count: Int) throws(RecordingError) -> Item? {
        let start = reader.offset
        switch try record(from: &reader, after: count) {
        case .event(let event, let after)?: return .event(event, after: after)
        case .effects?:
            throw .damaged(file: current.file, byte: start, after: count, expected: "an event")
        case nil: break
        }
        let next = try peek()
        if current.isTruncated, !isCutTold {
            if let next, continues(next) { throw .incomplete(file: current.file, after: count) }
            isCutTold = true
            return .cut(file: current.file)
        }
        guard let next else { return nil }
        if next.number > current.number + 1, continues(next) { throw .missingSegment(files.events(current.number + 1)) }
        current = next
        following = nil
        place += 1
        try begin(after: count)
        return .segment(next)
    }

    /// The next record; `nil` at the end of the segment, also where it was cut off within a record.
    private func record(from reader: inout RecordReader, after count: Int) throws(RecordingError) -> Record? {
        let start = reader.offset
        do throws(RecordReader.Fault) {
            return try reader.next()
        } catch {
            switch error {
            case .cut where current.isTruncated: return nil
            case .cut(let byte):
                throw .damaged(file: current.file, byte: byte, after: count, expected: "a shorter record")
            case .damaged(let bytes):
                throw .damaged(
                    file: current.file, byte: max(bytes.offset, start), after: count, expected: bytes.expected)
            }
        }
    }

    private mutating func peek() throws(RecordingError) -> Segment? {
        if following == nil, place + 1 < files.numbers.count {
            following = try Segment(files, files.numbers[place + 1])
        }
        return following
    }

    /// Whether a segment goes on where the present one ends.
    private func continues(_ next: Segment) -> Bool {
        guard let header = next.header else { return true }
        if let boot = current.header?.boot, boot != header.boot { return false }
        return header.start != .fresh && header.start != .gap
    }
}
