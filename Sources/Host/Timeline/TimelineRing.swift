internal import LinuxSystem
package import Model
internal import PolicyCore
internal import Synchronization
package import Timeline

/// The timeline's records on disk: files of fixed size, the oldest of which goes when there are enough. What was
/// appended survives `kill -9` at any instruction, and each file can be read without the others.
///
/// All of it runs on the storage lane; the lock is there because the lane is no thread of its own.
package final class TimelineRing: Sendable {
    package struct Limits: Sendable {
        /// Bytes of a file, at most 1 MiB.
        package var segment = 1 << 20
        package var segments = 8

        package init() {}
    }

    private let state: Mutex<State>

    fileprivate struct State {
        let directory: String
        let limits: Limits
        var number = 0
        /// `nil` while the disk has no room for one.
        var log: MappedLog?
        var writer = SegmentWriter()
        var standing = Standing()
        /// Where the last answer ended, so that the next one need not read what is before.
        var lastPlace: Cursor?
        var hasComplained = false
    }

    package init(directory: String, limits: Limits = Limits()) {
        state = Mutex(State(directory: directory, limits: limits))
    }

    // MARK: Writing

    /// Goes on where the last daemon ended. `restored` is what it decided last, of which it may have written a part.
    package func begin(
        _ kind: Beginning.Kind, boot: String, offset: Int64, at now: Instant, restored: [TimelineRecord]
    ) {
        state.withLock { state in
            state.open(boot: boot)
            let lost = state.lost(of: restored, boot: boot)
            state.append(lost + [TimelineRecord(now, .began(Beginning(kind, boot: boot, offset: offset)))])
        }
    }

    package func append(_ records: [TimelineRecord]) { state.withLock { $0.append(records) } }

    // MARK: Reading

    package struct Page: Sendable {
        package struct Item: Sendable {
            package var record: TimelineRecord
            /// Wall clock minus boot clock, as it was then.
            package var offset: Int64
        }

        package var items: [Item] = []
        /// What to ask for next; `nil` when that was all.
        package var next: Int?
    }

    /// Of one app or all, from a moment or from the oldest on; what stood at that moment comes first.
    package func page(after position: Int?, since: WallTime?, app: String?) -> Page {
        state.withLock { $0.page(after: position, since: since, app: app) }
    }
}

extension TimelineRing.State {
    private static func file(_ directory: String, _ number: Int) -> String { "\(directory)/\(number).ring" }

    private var numbers: [Int] {
        FileSystem.names(in: directory).compactMap { SegmentNumber.parse($0, kind: "ring") }.sorted()
    }

    private func segment(_ number: Int) -> SegmentReader? {
        (try? MappedLog(opening: Self.file(directory, number))).map { SegmentReader($0.contents) }
    }

    fileprivate mutating func open(boot: String) {
        try? FileSystem.makeDirectory(directory)
        guard let newest = numbers.last else { return }
        number = newest
        guard let log = try? MappedLog(opening: Self.file(directory, newest)) else { return }
        var reader = SegmentReader(log.contents)
        do throws(MalformedBytes) {
            while let record = try reader.next() { standing.note(record) }
            self.log = log
            writer = SegmentWriter(after: reader)
        } catch {
            Diagnostics.write("\(Self.file(directory, newest)): \(error); going on in another file")
        }
    }

    /// Of what the last daemon decided, in its order: what comes after the last that it wrote.
    fileprivate func lost(of restored: [TimelineRecord], boot: String) -> [TimelineRecord] {
        guard !restored.isEmpty, standing.boot == boot else { return restored }
        var latest = Instant(nanoseconds: .min)
        var there: Set<TimelineRecord> = []
        var current = ""
        // The newest file may hold nothing but what stands.
        for number in numbers.suffix(2) {
            guard var reader = segment(number) else { continue }
            while let record = (try? reader.next()) ?? nil {
                if case .began(let beginning) = record.what { current = beginning.boot }
                guard current == boot, !record.what.isMeasured, record.at >= latest else { continue }
                if record.at > latest { there = [] }
                latest = record.at
                there.insert(record)
            }
        }
        return restored.filter { $0.at > latest || $0.at == latest && !there.contains($0) }
    }

    fileprivate mutating func append(_ records: [TimelineRecord]) {
        if appendAll(records) { return }
        // Lost, since the disk has no room for a file; but when there is one, it says what stands.
        for record in records { standing.note(record) }
    }

    private mutating func appendAll(_ records: [TimelineRecord]) -> Bool {
        if records.isEmpty || write(records) { return true }
        guard records.count > 1 else { return rotate() && write(records) }
        // A file is filled to the last record that it has room for.
        let half = records.count / 2
        return appendAll(Array(records[..<half])) && appendAll(Array(records[half...]))
    }

    private mutating func write(_ records: [TimelineRecord]) -> Bool {
        var next = writer
        guard let log, log.append(next.encode(records)) else { return false }
        writer = next
        for record in records { standing.note(record) }
        return true
    }

    /// The next file, with what stands.
    private mutating func rotate() -> Bool {
        log = nil
        let path = Self.file(directory, number + 1)
        do throws(SystemError) {
            let fresh = try MappedLog(creating: path, capacity: limits.segment)
            number += 1
            let repeated = standing.records
            let beginning = Beginning(
                .continued, boot: standing.boot, offset: standing.offset, standing: repeated.count)
            writer = SegmentWriter()
            let head = standing.boot.isEmpty ? [] : [TimelineRecord(standing.latest, .began(beginning))]
            _ = fresh.append(writer.encode(head + repeated))
            log = fresh
            hasComplained = false
        } catch {
            FileSystem.remove(path)
            if !hasComplained { Diagnostics.write("the timeline cannot be written: \(error)") }
            hasComplained = true
            return false
        }
        for old in numbers.dropLast(max(1, limits.segments)) { FileSystem.remove(Self.file(directory, old)) }
        return true
    }

    // MARK: Reading

    /// A place in the ring.
    fileprivate struct Cursor {
        var number: Int
        var reader: SegmentReader
        var standing = Standing()
        /// Records to pass over: they repeat what was told.
        var repeated = 0

        var position: Int { number << 21 + reader.offset }
    }

    private static let mostItems = 1_000
    private static let mostLooks = 20_000
    /// An answer is one line of at most 1 MiB; texts can take six times their length.
    private static let mostWeight = 900_000

    fileprivate mutating func page(after position: Int?, since: WallTime?, app: String?) -> TimelineRing.Page {
        var page = TimelineRing.Page()
        var weight = 0
        func tell(_ record: TimelineRecord, _ offset: Int64) {
            guard Self.concerns(record, app) else { return }
            page.items.append(TimelineRing.Page.Item(record: record, offset: offset))
            weight += record.weight
        }
        guard var place = position.map({ cursor(at: $0) }) ?? first(since: since, tell) else { return page }
        lastPlace = nil
        for _ in 0..<Self.mostLooks {
            guard let record = next(&place) else { return page }
            place.standing.note(record)
            tell(record, place.standing.offset)
            if page.items.count >= Self.mostItems || weight > Self.mostWeight { break }
        }
        page.next = place.position
        lastPlace = place
        return page
    }

    private static func concerns(_ record: TimelineRecord, _ app: String?) -> Bool {
        guard let app else { return true }
        switch record.what {
        case .began, .clockSet: return true
        default: return record.what.app == app
        }
    }

    /// The next record, and the place behind it.
    private func next(_ place: inout Cursor) -> TimelineRecord? {
        while true {
            if let record = read(&place) {
                if place.repeated > 0 {
                    place.repeated -= 1
                    continue
                }
                return record
            }
            // One that is damaged hides none of those behind it.
            let later = numbers.lazy.filter { [number = place.number] in $0 > number }
            guard let (number, reader) = later.compactMap({ number in segment(number).map { (number, $0) } }).first
            else { return nil }
            let follows = number == place.number + 1
            place.number = number
            place.reader = reader
            place.repeated = 0
            // Where a file is missing in between, what stands has to be told.
            guard follows, case .began(let beginning)? = read(&place)?.what else {
                place.reader = reader
                continue
            }
            place.repeated = beginning.kind == .continued ? beginning.standing : 0
        }
    }

    private func read(_ place: inout Cursor) -> TimelineRecord? {
        if let record = (try? place.reader.next()) ?? nil { return record }
        // Nothing follows what is damaged; the newest file may have grown.
        guard place.number == number, let log else { return nil }
        place.reader.grow(to: log.contents)
        return (try? place.reader.next()) ?? nil
    }

    private func cursor(at position: Int) -> Cursor? {
        if let lastPlace, lastPlace.position == position { return lastPlace }
        let (number, offset) = (position >> 21, position & (1 << 21 - 1))
        guard let reader = segment(number) else {
            // It went meanwhile: on with the oldest that is left.
            return numbers.first.flatMap { first in segment(first).map { Cursor(number: first, reader: $0) } }
        }
        var place = Cursor(number: number, reader: reader)
        while place.reader.offset < offset, let record = (try? place.reader.next()) ?? nil {
            place.standing.note(record)
        }
        return place
    }

    /// Tells what stood at a moment, and what came first after it.
    private func first(since: WallTime?, _ tell: (TimelineRecord, Int64) -> Void) -> Cursor? {
        let numbers = self.numbers
        guard let oldest = numbers.first else { return nil }
        guard let since else { return segment(oldest).map { Cursor(number: oldest, reader: $0) } }
        let start = numbers.last { number in begin(of: number).map { $0 <= since } ?? false } ?? oldest
        guard var place = segment(start).map({ Cursor(number: start, reader: $0) }) else { return nil }
        var later: TimelineRecord?
        while later == nil, let record = next(&place) {
            if record.at.nanoseconds &+ place.standing.offset(with: record) < since.nanoseconds {
                place.standing.note(record)
            } else {
                later = record
            }
        }
        let standing = place.standing
        if !standing.boot.isEmpty {
            let beginning = Beginning(.continued, boot: standing.boot, offset: standing.offset)
            tell(TimelineRecord(standing.latest, .began(beginning)), standing.offset)
            for record in standing.records { tell(record, standing.offset) }
        }
        if let later {
            place.standing.note(later)
            tell(later, place.standing.offset)
        }
        return place
    }

    private func begin(of number: Int) -> WallTime? {
        guard var reader = segment(number), let record = (try? reader.next()) ?? nil,
            case .began(let beginning) = record.what
        else { return nil }
        return WallTime(nanoseconds: record.at.nanoseconds &+ beginning.offset)
    }
}

extension Standing {
    /// Wall clock minus boot clock, when this record comes next.
    fileprivate func offset(with record: TimelineRecord) -> Int64 {
        switch record.what {
        case .began(let beginning): beginning.offset
        case .clockSet(let offset): offset
        default: offset
        }
    }
}

extension TimelineRecord {
    /// The most bytes that it can take in an answer.
    fileprivate var weight: Int {
        switch what {
        case .entry(let entry): 300 + 6 * entry.reason.utf8.count
        case .report(_, let report): 300 + 6 * (report.reason.utf8.count + report.id.utf8.count)
        case .named(_, let name): 300 + 6 * name.utf8.count
        case .assertionBegan(_, let held): 300 + 6 * held.name.utf8.count
        default: 300
        }
    }
}
