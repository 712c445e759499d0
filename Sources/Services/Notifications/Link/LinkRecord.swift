internal import Wire

/// One line of the link, in one of its directions.
package protocol LinkRecord: Hashable, Sendable {
    init(_ members: LinkMembers) throws(LinkError)
    /// The whole line, with its newline.
    var line: [UInt8] { get }
}

extension LinkRecord {
    /// Reads a line without its newline.
    package init(line: [UInt8]) throws(LinkError) { try self.init(LinkMembers(line: line)) }

    static func line(_ record: String, _ members: KeyValuePairs<String, JSONValue> = [:]) -> [UInt8] {
        var object: JSONObject = ["t": .string(record)]
        for (key, value) in members { object[key] = value }
        return JSONValue.object(object).encoded + [UInt8(ascii: "\n")]
    }
}

/// Cuts what the other end sends into records. No I/O: bytes are put in, records come out.
package struct LinkReader<Record: LinkRecord>: Sendable {
    /// Absent while nothing waits: a connection that is idle keeps no buffer.
    private var framer: LineFramer?

    package init() {}

    /// Bytes of a line that has only begun, and of lines not asked for yet.
    package var buffered: Int { framer?.buffered ?? 0 }

    package mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        var present = framer ?? LineFramer(limit: LinkRules.lineLength)
        // Handed back below, so that there is one owner and no copy.
        framer = nil
        present.append(bytes)
        framer = present
    }

    /// The next record; `nil` if more bytes are needed. After an error there are no more records: every later call
    /// throws as well, or would read on in the middle of something.
    package mutating func next() throws(LinkError) -> Record? {
        guard var present = framer else { return nil }
        framer = nil
        let line: [UInt8]?
        do {
            line = try present.next()
        } catch {
            framer = present
            throw .lineTooLong
        }
        if present.buffered > 0 { framer = present }
        return try line.map { line throws(LinkError) in try Record(line: line) }
    }
}
