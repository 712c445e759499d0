internal import Foundation
internal import Model
internal import PolicyCore

extension FuzzTarget {
    /// The first byte says the version, and whether the rest are whole records (their lengths and checks are put
    /// right), the second where they are cut off.
    static let journal = FuzzTarget(
        "journal", "segments of the journal, and the Core that replays them", memory: (32 << 20, 1 << 18)
    ) { (bytes) throws(BrokenPromise) in
        guard bytes.count > 2 else { return .refused("short") }
        let version = SegmentHeader.readableVersions[Int(bytes[0]) % SegmentHeader.readableVersions.count]
        let rest = Array(bytes[2...])
        let segment = bytes[0] & 0x80 == 0 || version == 1 ? rest : framed(rest)
        let (records, fault) = read(segment, version)
        for record in records { try check(record) }
        // What was cut off loses its end, and nothing else.
        let length = segment.count * Int(bytes[1]) / 256
        let (beginning, _) = read(Array(segment[..<length]), version)
        try promise(records.starts(with: beginning), "cut off at \(length) it holds other records")
        try replay(records)
        return fault.map { Verdict.refused("\(min(records.count, 4)) \($0)") } ?? .taken("\(min(records.count, 4))")
    }

    private static func read(_ segment: [UInt8], _ version: Int) -> ([Record], RecordReader.Fault?) {
        var reader = RecordReader(segment[...], version: version)
        var records: [Record] = []
        do throws(RecordReader.Fault) {
            while let record = try reader.next() { records.append(record) }
            return (records, nil)
        } catch {
            return (records, error)
        }
    }

    /// Bodies, each with a byte for its length before it, as records with the checks that they need.
    private static func framed(_ bodies: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        var rest = bodies[...]
        while let length = rest.popFirst() {
            let body = rest.prefix(Int(length))
            rest = rest.dropFirst(body.count)
            writer.write(UInt64(body.count))
            for byte in body { writer.write(byte) }
            let check = RecordCheck.value(of: body)
            writer.write(UInt8(truncatingIfNeeded: check))
            writer.write(UInt8(truncatingIfNeeded: check >> 8))
        }
        return writer.bytes
    }

    private static func check(_ record: Record) throws(BrokenPromise) {
        guard case .event(let event, let after) = record else { return }
        // Only version 1 has these.
        if case .retired = event { return }
        var writer = RecordWriter()
        writer.write(event, after: after)
        let (again, _) = read(writer.bytes, SegmentHeader.version)
        try promise(again == [record], "\(event) reads back as \(again)")
    }

    private static func replay(_ records: [Record]) throws(BrokenPromise) {
        var device = ScriptedDevice.busy
        for case .event(let event, let after) in records.prefix(40) {
            device.pass(Span(nanoseconds: min(max(0, after.nanoseconds), 86_400_000_000_000)), most: 5)
            device.send(event)
            let broken = device.system.brokenInvariants()
            try promise(broken.isEmpty, "after \(event): \(broken.joined(separator: "; "))")
        }
    }

    /// What a daemon that comes back reads first: a few hundred values, by a decoder that boxes each of them. In the
    /// form of checkpoints, the check is put right, so that what is damaged behind it is read.
    static let checkpoint = FuzzTarget(
        "checkpoint", "checkpoints of the Core", longest: 1 << 15, memory: (64 << 20, 1 << 16)
    ) { (bytes) throws(BrokenPromise) in
        let isCompact = CompactFormat.isThere(bytes)
        guard let header = read(isCompact ? checked(bytes) : bytes) else {
            return .refused(isCompact ? "compact" : "")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard
            let written = isCompact ? try? CompactFormat.encode(header) : (try? encoder.encode(header)).map(Array.init),
            let again = read(written)
        else { throw BrokenPromise(description: "what was read cannot be written, or not read again") }
        // JSON has no infinities, which the other form may hold.
        if let json = try? encoder.encode(header) {
            try promise((try? encoder.encode(again)) == json, "it reads back as another one")
        }
        let form = isCompact ? "compact " : ""
        guard header.system.unsoundness == nil, (0...latest).contains(header.base) else {
            return .taken(form + "unsound")
        }
        goOn(with: header)
        return .taken(form + "sound")
    }

    private static func read(_ bytes: [UInt8]) -> SegmentHeader? {
        CompactFormat.isThere(bytes)
            ? try? CompactFormat.decode(SegmentHeader.self, from: bytes)
            : try? JSONDecoder().decode(SegmentHeader.self, from: Data(bytes))
    }

    private static func checked(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count > 8 else { return bytes }
        var result = bytes
        let check = CompactFormat.check(bytes[8...])
        for place in 0..<4 { result[4 + place] = UInt8(truncatingIfNeeded: check >> (8 * UInt32(place))) }
        return result
    }

    /// Ten years after the machine began.
    private static let latest: Int64 = 315_360_000_000_000_000

    /// What a daemon that begins with it does first, and what the user may do then. What the apps were doing may make
    /// no sense any more, but must not end the daemon.
    private static func goOn(with header: SegmentHeader) {
        var device = ScriptedDevice(goingOnWith: header.system, at: Instant(nanoseconds: header.base))
        device.send(.clockChanged(wallOffset: 1_795_348_800_000_000_000))
        device.pass(.seconds(60), most: 20)
        for app in 0..<2 as Range<UInt32> {
            device.send(.command(CommandID(UInt64(app) + 1), .open(AppIndex(app), role: .primary, wait: false)))
            device.send(.request(AppIndex(app), RequestID(1), .beginTask(TaskID(1), name: "upload")))
            device.send(.command(CommandID(UInt64(app) + 10), .home(wait: false)))
            device.pass(.seconds(86_400), most: 20)
            device.send(.command(CommandID(UInt64(app) + 20), .close(AppIndex(app), wait: false)))
        }
    }
}
