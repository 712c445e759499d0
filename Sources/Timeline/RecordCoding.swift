package import Model

// A file of the ring: records one after another, each a tag, the nanoseconds since the one before, and its members. A
// text is a number: 0 for one that follows and is new, else its place among those that were new before. So most records
// take about ten bytes, and whoever reads a file needs no other.

/// Texts that a file has already.
private struct KnownTexts {
    /// What comes after them is written in full each time: neither side keeps more.
    static let most = 4096
    /// Reasons can hold what apps said; a file must not be filled by one of them.
    static let longest = 512

    private(set) var texts: [String] = []
    private var places: [String: Int] = [:]

    func place(of text: String) -> Int? { places[text] }

    mutating func learn(_ text: String) {
        guard texts.count < Self.most, places[text] == nil else { return }
        places[text] = texts.count
        texts.append(text)
    }

    static func clipped(_ text: String) -> String {
        guard text.utf8.count > longest else { return text }
        var end = text.startIndex
        while end < text.endIndex, text.utf8.distance(from: text.startIndex, to: text.index(after: end)) <= longest {
            end = text.index(after: end)
        }
        return String(text[..<end])
    }
}

private enum Tag: UInt8 {
    // Never zero: that is what a file holds where nothing was written.
    case began = 1
    case clockSet, named, state, entry, assertionBegan, assertionEnded, processorUsed, memory, available, report,
        priority, networkUsed, diskUsed
}

/// Writes the records of one file.
package struct SegmentWriter {
    private var known = KnownTexts()
    private var last: Int64 = 0
    private var bytes = ByteWriter()

    package init() {}

    /// Goes on with a file that was read to its end.
    package init(after reader: SegmentReader) {
        known = reader.known
        last = reader.last
    }

    /// The bytes of these records, which are to follow those of the last call.
    package mutating func encode(_ records: [TimelineRecord]) -> [UInt8] {
        bytes.removeAll()
        for record in records { write(record) }
        return bytes.bytes
    }

    private mutating func write(_ record: TimelineRecord) {
        func begin(_ tag: Tag, _ writer: inout SegmentWriter) {
            writer.bytes.write(tag.rawValue)
            writer.bytes.write(record.at.nanoseconds &- writer.last)
            writer.last = record.at.nanoseconds
        }
        switch record.what {
        case .began(let beginning):
            begin(.began, &self)
            bytes.write(beginning.kind.rawValue)
            write(beginning.boot)
            bytes.write(beginning.offset)
            bytes.write(UInt64(max(0, beginning.standing)))
        case .clockSet(let offset):
            begin(.clockSet, &self)
            bytes.write(offset)
        case .named(let app, let name):
            begin(.named, &self)
            write(app)
            write(name)
        case .state(let app, let state):
            begin(.state, &self)
            write(app)
            bytes.write(state.rawValue)
        case .entry(let entry):
            begin(.entry, &self)
            write(entry)
        case .assertionBegan(let app, let held):
            begin(.assertionBegan, &self)
            write(app)
            bytes.write(held.id)
            write(held.kind)
            write(held.name)
            bytes.write(held.expires) { $0.write($1.nanoseconds &- record.at.nanoseconds) }
        case .assertionEnded(let app, let id):
            begin(.assertionEnded, &self)
            write(app)
            bytes.write(id)
        case .priority(let app, let priority):
            begin(.priority, &self)
            write(app)
            bytes.write(priority.rawValue)
        case .processorUsed(let app, let used, let over):
            begin(.processorUsed, &self)
            write(app)
            bytes.write(used.nanoseconds)
            bytes.write(over.nanoseconds)
        case .memory(let app, let footprint):
            begin(.memory, &self)
            write(app)
            bytes.write(footprint.dirty)
            bytes.write(footprint.purgeable)
            bytes.write(footprint.clean)
        case .networkUsed(let app, let one, let other, let over), .diskUsed(let app, let one, let other, let over):
            if case .diskUsed = record.what { begin(.diskUsed, &self) } else { begin(.networkUsed, &self) }
            write(app, one, other, over)
        case .available(let available, let budget):
            begin(.available, &self)
            bytes.write(available)
            bytes.write(budget)
        case .report(let app, let report):
            begin(.report, &self)
            write(app)
            write(report.id)
            write(report.namespace)
            bytes.write(report.code)
            write(report.reason)
        }
    }

    private mutating func write(_ app: String, _ one: Int64, _ other: Int64, _ over: Span) {
        write(app)
        bytes.write(one)
        bytes.write(other)
        bytes.write(over.nanoseconds)
    }

    private mutating func write(_ entry: TimelineEntry) {
        write(entry.app)
        bytes.write(entry.sequence)
        write(entry.event)
        write(entry.reason)
        bytes.write(entry.cause) { $0.write(entry.sequence &- $1) }
        bytes.write(entry.took) { $0.write($1.nanoseconds) }
    }

    private mutating func write(_ text: String?) {
        bytes.write(text != nil)
        if let text { write(text) }
    }

    private mutating func write(_ text: String) {
        let text = KnownTexts.clipped(text)
        if let place = known.place(of: text) {
            bytes.write(UInt64(place + 1))
        } else {
            bytes.write(UInt64(0))
            bytes.write(text)
            known.learn(text)
        }
    }
}

/// Reads the records of one file. Every read is checked: a damaged file is an error at some record, never a trap.
package struct SegmentReader {
    fileprivate var known = KnownTexts()
    fileprivate var last: Int64 = 0
    private var bytes: [UInt8]
    /// Where the next record begins.
    package private(set) var offset = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The file has grown since.
    package mutating func grow(to longer: [UInt8]) {
        if longer.count > bytes.count { bytes = longer }
    }

    /// The next record; `nil` at the end. After an error nothing that follows makes sense.
    package mutating func next() throws(MalformedBytes) -> TimelineRecord? {
        guard offset < bytes.count else { return nil }
        var reader = ByteReader(bytes[offset...])
        let tag = try reader.value(Tag.self)
        let at = last &+ (try reader.signed())
        let what = try happening(tag, Instant(nanoseconds: at), &reader)
        last = at
        offset = reader.offset
        return TimelineRecord(Instant(nanoseconds: at), what)
    }

    private mutating func happening(
        _ tag: Tag, _ at: Instant, _ reader: inout ByteReader
    ) throws(MalformedBytes) -> Happening {
        switch tag {
        case .began:
            let kind = try reader.value(Beginning.Kind.self)
            let boot = try text(&reader)
            let offset = try reader.signed()
            return .began(Beginning(kind, boot: boot, offset: offset, standing: Int(clamping: try reader.unsigned())))
        case .clockSet: return .clockSet(offset: try reader.signed())
        case .named: return .named(app: try text(&reader), name: try text(&reader))
        case .state: return .state(app: try text(&reader), try reader.value(LifecycleState.self))
        case .entry: return .entry(try entry(&reader))
        case .assertionBegan:
            let app = try text(&reader)
            let id = try reader.unsigned()
            let (kind, name) = (try text(&reader), try text(&reader))
            let expires = try reader.optional { reader throws(MalformedBytes) in
                Instant(nanoseconds: at.nanoseconds &+ (try reader.signed()))
            }
            return .assertionBegan(app: app, HeldAssertion(id: id, kind: kind, name: name, expires: expires))
        case .assertionEnded: return .assertionEnded(app: try text(&reader), id: try reader.unsigned())
        case .priority: return .priority(app: try text(&reader), try reader.value(AppPriority.self))
        case .processorUsed:
            let app = try optionalText(&reader)
            let used = Span(nanoseconds: try reader.signed())
            return .processorUsed(app: app, used: used, over: Span(nanoseconds: try reader.signed()))
        case .memory:
            let app = try text(&reader)
            let (dirty, purgeable) = (try reader.signed(), try reader.signed())
            return .memory(app: app, Footprint(dirty: dirty, purgeable: purgeable, clean: try reader.signed()))
        case .networkUsed:
            let use = try use(&reader)
            return .networkUsed(app: use.app, sent: use.one, received: use.other, over: use.over)
        case .diskUsed:
            let use = try use(&reader)
            return .diskUsed(app: use.app, read: use.one, written: use.other, over: use.over)
        case .available:
            let bytes = try reader.signed()
            return .available(bytes: bytes, budget: try reader.signed())
        case .report:
            let app = try text(&reader)
            let (id, namespace) = (try text(&reader), try text(&reader))
            let code = try reader.signed()
            return .report(
                app: app, TimelineReport(id: id, namespace: namespace, code: code, reason: try text(&reader)))
        }
    }

    private mutating func use(
        _ reader: inout ByteReader
    ) throws(MalformedBytes) -> (app: String, one: Int64, other: Int64, over: Span) {
        let app = try text(&reader)
        let (one, other) = (try reader.signed(), try reader.signed())
        return (app, one, other, Span(nanoseconds: try reader.signed()))
    }

    private mutating func entry(_ reader: inout ByteReader) throws(MalformedBytes) -> TimelineEntry {
        let app = try optionalText(&reader)
        let sequence = try reader.unsigned()
        let (event, reason) = (try text(&reader), try text(&reader))
        let cause = try reader.optional { reader throws(MalformedBytes) in sequence &- (try reader.unsigned()) }
        let took = try reader.optional { reader throws(MalformedBytes) in Span(nanoseconds: try reader.signed()) }
        return TimelineEntry(
            app: app, sequence: sequence, event: event, reason: reason, cause: cause, took: took)
    }

    private mutating func optionalText(_ reader: inout ByteReader) throws(MalformedBytes) -> String? {
        try reader.bool() ? try text(&reader) : nil
    }

    private mutating func text(_ reader: inout ByteReader) throws(MalformedBytes) -> String {
        let place = try reader.unsigned()
        guard place > 0 else {
            let text = try reader.string()
            known.learn(text)
            return text
        }
        guard place <= UInt64(known.texts.count) else {
            throw MalformedBytes(offset: reader.offset, expected: "a text that was told before")
        }
        return known.texts[Int(place - 1)]
    }
}
