internal import TransferWire
internal import Wire

extension FuzzTarget {
    static let json = FuzzTarget("json", "the parser and writer of JSON, and messages of JSON-RPC", longest: 1 << 16) {
        (bytes) throws(BrokenPromise) in
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            try promise(
                (0...bytes.count).contains(error.offset), "the error is at \(error.offset), outside of the text")
            return .refused(error.reason)
        }
        let written = value.encoded
        try promise(
            (try? JSONValue(parsing: written, limits: .answer)) == value, "\(value) reads back as another value")
        let message: RPCMessage
        do throws(RPCParseError) {
            message = try RPCMessage.parse(bytes)
        } catch {
            // What is wrong with a message can be told to its sender.
            let answer = try? JSONValue(parsing: error.answer.encoded())
            try promise(answer != nil, "\(error) cannot be told")
            return .taken("\(error)")
        }
        let line = message.encoded()
        try promise(line.last == 0x0A && !line.dropLast().contains(0x0A), "\(message) is not one line")
        try promise((try? RPCMessage.parse(line)) == message, "\(message) reads back as another message")
        return .taken("message")
    }

    static let framing = FuzzTarget("framing", "lines of a stream that comes in pieces") {
        (bytes) throws(BrokenPromise) in
        let limit = 1 + Int(bytes.first ?? 0)
        let step = 1 + Int(bytes.dropFirst().first ?? 0) % 40
        let stream = Array(bytes.dropFirst(2))
        var whole = LineFramer(limit: limit)
        whole.append(stream)
        let atOnce = drain(&whole)
        var pieces = LineFramer(limit: limit)
        var inPieces: [[UInt8]] = []
        var isBroken = false
        var start = 0
        while start < stream.count {
            let end = min(start + 1 + (start * 7 + step) % step, stream.count)
            pieces.append(Array(stream[start..<end]))
            start = end
            let (lines, isTooLong) = drain(&pieces)
            try promise(!isBroken || (lines.isEmpty && isTooLong), "a broken stream goes on")
            try promise(pieces.buffered < limit, "\(pieces.buffered) bytes are kept, with a limit of \(limit)")
            inPieces += lines
            isBroken = isTooLong
        }
        try promise(atOnce.lines == inPieces, "in pieces it holds other lines than as a whole")
        try promise(atOnce.isTooLong == isBroken, "in pieces it is too long, or only as a whole")
        return .taken(isBroken ? "too long" : "\(min(inPieces.count, 3))")
    }

    private static func drain(_ framer: inout LineFramer) -> (lines: [[UInt8]], isTooLong: Bool) {
        var lines: [[UInt8]] = []
        do throws(WireError) {
            while let line = try framer.next() { lines.append(line) }
            return (lines, false)
        } catch {
            return (lines, true)
        }
    }

    /// The first byte says which kind of record the rest is to be.
    static let records = FuzzTarget("records", "every record of the protocols", longest: 1 << 14) {
        (bytes) throws(BrokenPromise) in
        guard let first = bytes.first, let json = try? JSONValue(parsing: Array(bytes.dropFirst())) else {
            return .refused("no JSON")
        }
        return try kinds[Int(first) % kinds.count](json)
    }

    private static let kinds: [@Sendable (JSONValue) throws(BrokenPromise) -> Verdict] = [
        check(TransferProgress.self), check(TransferErrorInfo.self), check(TransferResponseInfo.self),
        check(TransferChallengeSpace.self), check(TransferMetrics.self), check(TransferEventInfo.self),
        check(TransferDelayedAnswer.self), check(TransferCompletion.self), check(TransferHello.self),
        check(TransferOpen.self), check(TransferSettings.self), check(TransferProxy.self), check(TransferOpened.self),
        check(TransferTasksParameters.self), check(TransferTaskPage.self), check(TransferTaskInfo.self),
        check(TransferInvalidate.self), check(ServiceAttach.self), check(ServiceAppState.self),
        check(ServiceGreeting.self), check(ServiceInfo.self), check(ServiceConditions.self), check(ServiceTraffic.self),
        check(TransferCreate.self), check(TransferRequestInfo.self), check(TransferTaskParameters.self),
        check(TransferCancelled.self), check(TransferChangeParameters.self), check(TransferCredentialParameters.self),
        check(TransferAdd.self), check(TransferName.self), check(TransferInfo.self), check(TransferList.self),
        check(TransferListParameters.self), check(TransferExplanation.self), check(TransferEnd.self),
        check(AppInfo.self), check(StatusInfo.self), check(EnergyInfo.self), check(FetchInfo.self),
        check(LogEntry.self), check(WhyAnswer.self), check(ReportSummary.self), check(DoctorFinding.self),
        check(MemoryInfo.self), check(SnapshotInfo.self),
    ]

    private static func check<Record: WireRecord>(
        _ type: Record.Type
    ) -> @Sendable (JSONValue) throws(BrokenPromise) -> Verdict {
        { (json) throws(BrokenPromise) in
            let record: Record
            do throws(RPCError) {
                record = try Record(json: json)
            } catch {
                return .refused("\(type) \(error)")
            }
            let again = try? Record(json: record.json)
            try promise(again == record, "\(record) reads back as \(again.map { "\($0)" } ?? "nothing")")
            return .taken("\(type)")
        }
    }
}
