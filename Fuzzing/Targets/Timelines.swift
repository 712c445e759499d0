internal import Foundation
internal import Host
internal import LinuxSystem
internal import Model
internal import Timeline
internal import Wire

extension FuzzTarget {
    /// A file of the ring; the daemon opens it, goes on behind it, and tells what is in it.
    static let timeline = FuzzTarget(
        "timeline", "files of the timeline, the ring on disk, and what the tools make of it",
        memory: (16 << 20, 1 << 17)
    ) { (bytes) throws(BrokenPromise) in
        let (records, isDamaged) = read(bytes)
        var writer = SegmentWriter()
        let written = writer.encode(records)
        let (again, isDamagedAgain) = read(written)
        try promise(!isDamagedAgain && again.count == records.count, "what was read cannot be written")
        // Long texts are cut off when they are written, and then no more.
        var second = SegmentWriter()
        try promise(second.encode(again) == written, "it reads back as something else")
        var standing = Standing()
        for record in again {
            standing.note(record)
            try check(record, standing.offset)
        }
        draw(again)
        try ring(bytes)
        return .taken("\(min(records.count, 4)) \(isDamaged)")
    }

    private static func read(_ bytes: [UInt8]) -> ([TimelineRecord], Bool) {
        var reader = SegmentReader(bytes)
        var records: [TimelineRecord] = []
        do throws(MalformedBytes) {
            while let record = try reader.next() { records.append(record) }
            return (records, false)
        } catch {
            return (records, true)
        }
    }

    /// Tools get records as JSON.
    private static func check(_ record: TimelineRecord, _ offset: Int64) throws(BrokenPromise) {
        let json = record.json(offset: offset)
        guard let again = try? JSONValue(parsing: json.encoded), again == json else {
            throw BrokenPromise(description: "\(record) is no JSON")
        }
        let read: TimelineRecord?
        do throws(RPCError) {
            read = try TimelineRecord(json: again)
        } catch {
            throw BrokenPromise(description: "\(json) is refused: \(error)")
        }
        try promise(read != nil, "\(json) is no record")
    }

    private static func draw(_ records: [TimelineRecord]) {
        let tracks = Tracks(records, now: records.last?.at, since: nil)
        var text: [UInt8] = []
        TraceEvents.write(tracks, program: "fuzz") { text += $0 }
    }

    private static let folder = NSTemporaryDirectory() + "greenroom-fuzz-ring-\(getpid())"

    private static func ring(_ bytes: [UInt8]) throws(BrokenPromise) {
        var limits = TimelineRing.Limits()
        limits.segment = 4096
        limits.segments = 3
        do {
            try? FileSystem.removeTree(folder)
            try FileSystem.makeDirectory(folder)
            _ = try MappedLog(creating: "\(folder)/1.ring", capacity: max(4096, bytes.count)).append(bytes)
        } catch {
            throw BrokenPromise(description: "\(folder) cannot be written: \(error)")
        }
        defer { try? FileSystem.removeTree(folder) }
        let ring = TimelineRing(directory: folder, limits: limits)
        ring.begin(.restarted, boot: "boot", offset: 1, at: Instant(nanoseconds: 5), restored: [])
        let mark = TimelineRecord(Instant(nanoseconds: 6), .clockSet(offset: 42))
        ring.append([mark])
        var found = false
        var page = ring.page(after: nil, since: nil, app: nil)
        for _ in 0..<100 {
            found = found || page.items.contains { $0.record == mark }
            guard let next = page.next else { break }
            page = ring.page(after: next, since: nil, app: nil)
        }
        try promise(found, "what is written behind it cannot be read")
        _ = ring.page(after: nil, since: WallTime(nanoseconds: 1), app: "app")
        _ = ring.page(after: Int(bytes.first ?? 0) << 15, since: nil, app: nil)
    }
}
