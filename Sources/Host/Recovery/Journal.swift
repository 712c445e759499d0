internal import FoundationEssentials
internal import LinuxSystem
package import Model
package import PolicyCore
internal import SystemPackage

/// Every event before it is acted on, so that a killed daemon can decide again what it had decided; and what was
/// decided then, so that a replay can compare. Segments of mapped memory, each of which begins where a checkpoint of
/// the Core ends (`RecordCoding.swift` has the format).
package final class Journal {
    package struct Limits: Sendable {
        /// Bytes of one segment.
        package var segment = 1 << 20
        /// Bytes of the directory when a segment has begun. With what that one gets it stays below 64 MB.
        package var directory = 60_000_000

        package init() {}
    }

    private let directory: String
    private let limits: Limits
    /// `nil` while the disk has no room for one.
    private var segment: MappedLog?
    private var number: Int
    private var last: Instant
    private var writer = RecordWriter()
    /// Runs work off the loop, in order, when the log entries so far are in the database: what older segments explain
    /// must be there before a checkpoint makes them superfluous.
    private let behindRecords: (@escaping @Sendable () -> Void) -> Void

    /// Begins a new segment behind all that are there. Its checkpoint is on disk when this returns, except where it may
    /// be late, as in `rotate`: to write down ten thousand apps takes longer than a tool likes to wait.
    ///
    /// - Parameters:
    ///   - continuing: when the last event was, if all that is there was read to its end. Times go on from it, so that
    ///     the segments before explain this one also without its checkpoint.
    ///   - isLate: the checkpoint follows; only of something that continues.
    package init(
        directory: String, system: System, start: SegmentHeader.Start, continuing: Instant? = nil, isLate: Bool = false,
        limits: Limits = Limits(), behindRecords: @escaping (@escaping @Sendable () -> Void) -> Void
    ) throws {
        self.directory = directory
        self.limits = limits
        self.behindRecords = behindRecords
        last = continuing ?? Instant(nanoseconds: Clock.boot())
        try FileSystem.makeDirectory(directory)
        number = Self.allNumbers(in: directory).max() ?? 0
        // Nobody writes to the last one any more; what it did not use is given back.
        if number > 0 { try? MappedLog.trim(Self.events(directory, number)) }
        do {
            if isLate, continuing != nil { rotate(system, start) } else { try begin(start, system) }
        } catch let error as SystemError where error.errno == .noSpace {
            // What lives has to be looked after, also without; the next event tries again.
            Diagnostics.write("the journal cannot begin: \(error); a crash now would lose decisions")
        }
    }

    /// Takes an event down; it survives whatever happens next to this process.
    package func append(_ event: Event, at now: Instant, system: @autoclosure () -> System) {
        writer.write(event, after: now - last)
        // The first difference of a segment counts from its base, which is the last event's time.
        write(system())
        last = now
    }

    /// Takes down what the Core made of the last event, before anything of it is done.
    package func append(_ effects: [Effect], system: @autoclosure () -> System) {
        // What follows a gap begins with an event.
        guard segment != nil else { return }
        writer.write(effects)
        write(system())
    }

    private func write(_ system: @autoclosure () -> System) {
        if let segment {
            if segment.append(writer.bytes) { return }
            rotate(system(), .continued)
        } else {
            // After a gap nothing makes sense without a checkpoint.
            try? begin(.gap, system())
        }
        guard let fresh = segment, !fresh.append(writer.bytes) else { return }
        Diagnostics.write("an event is too large for the journal: a crash now would lose it")
        segment = nil
    }

    /// Begins a segment at once, its checkpoint first.
    private func begin(_ start: SegmentHeader.Start, _ system: System) throws {
        let next = number + 1
        let header = SegmentHeader(boot: CurrentProcess.bootID, base: last, start: start, system: system)
        let log = try newSegment(next)
        do {
            try Self.writeCheckpoint(directory, next, header)
        } catch {
            FileSystem.remove(Self.events(directory, next))
            throw error
        }
        segment = log
        number = next
        Self.removeOld(directory, keeping: next, limit: limits.directory)
    }

    /// The next segment begins at once; its checkpoint follows on a worker, behind the log entries that it
    /// makes superfluous here. Until it is there, a restart replays both segments.
    private func rotate(_ system: System, _ start: SegmentHeader.Start) {
        do {
            segment = try newSegment(number + 1)
        } catch {
            Diagnostics.write("the journal cannot grow: \(error); a crash now would lose decisions")
            segment = nil
            return
        }
        number += 1
        let (directory, number, limit) = (directory, number, limits.directory)
        let header = SegmentHeader(boot: CurrentProcess.bootID, base: last, start: start, system: system)
        behindRecords {
            do {
                try Self.writeCheckpoint(directory, number, header)
                Self.removeOld(directory, keeping: number, limit: limit)
            } catch {
                Diagnostics.write("a checkpoint could not be written: \(error)")
            }
        }
    }

    private func newSegment(_ number: Int) throws(SystemError) -> MappedLog {
        let path = Self.events(directory, number)
        do throws(SystemError) {
            return try MappedLog(creating: path, capacity: limits.segment)
        } catch {
            // What was made of it is no segment.
            FileSystem.remove(path)
            throw error
        }
    }

    /// Removes the oldest segments until the rest is within the limit. The newest checkpoint and what follows it stay.
    private static func removeOld(_ directory: String, keeping newest: Int, limit: Int) {
        let names = FileSystem.names(in: directory).compactMap { name in
            Self.number(of: name).map { (number: $0, path: "\(directory)/\(name)") }
        }
        var total = 0
        var isFull = false
        for (number, files) in Dictionary(grouping: names, by: \.number).sorted(by: { $0.key > $1.key }) {
            total += files.reduce(0) { $0 + FileSystem.size(of: $1.path) }
            isFull = isFull || total > limit && number < newest
            // The events last: without them a checkpoint would stand for a segment in which nothing happened.
            if isFull { for file in files.sorted(by: { $0.path < $1.path }) { FileSystem.remove(file.path) } }
        }
    }

    private static func writeCheckpoint(_ directory: String, _ number: Int, _ header: SegmentHeader) throws {
        try FileSystem.replace(checkpoint(directory, number), with: try CompactFormat.encode(header))
    }

    static func events(_ directory: String, _ number: Int) -> String { "\(directory)/\(number).events" }
    static func checkpoint(_ directory: String, _ number: Int) -> String { "\(directory)/\(number).checkpoint" }

    private static func number(of name: String) -> Int? {
        SegmentNumber.parse(name, kind: "events") ?? SegmentNumber.parse(name, kind: "checkpoint")
    }

    private static func allNumbers(in directory: String) -> [Int] {
        FileSystem.names(in: directory).compactMap(number)
    }

    // MARK: Restoring

    package struct Restored {
        package var system: System
        /// What the replayed events had decided: log and reports to be written again.
        package var effects: [Effect]
        /// When the last event was; `nil` where not all that is there could be read.
        package var end: Instant?
    }

    /// What a restart sees while it replays.
    package enum Sight {
        case checkpoint(System)
        case event(Event, [Effect], System, at: Instant)
    }

    /// The Core as the last daemon left it in this boot; `nil` if there is none. What is damaged is set aside. `passed`
    /// is called before every event, with how many came before it.
    package static func restore(
        from directory: String, passed: (Int) -> Void = { _ in }, seeing see: (Sight) -> Void = { _ in }
    ) -> Restored? {
        let numbers = FileSystem.names(in: directory).compactMap { SegmentNumber.parse($0, kind: "checkpoint") }
        for number in numbers.sorted(by: >) {
            let path = checkpoint(directory, number)
            do throws(Unsound) {
                let header = try soundHeader(path)
                // The processes of another boot are gone.
                guard header.boot == CurrentProcess.bootID else { return nil }
                return replay(header, from: number, in: directory, passed, see)
            } catch {
                // The one before stands for the same apps, and the events since then are there.
                guard !error.isOfAnotherVersion else { continue }
                Diagnostics.write("\(path) is damaged: \(error.problem); it is kept as \(path).damaged")
                try? FileSystem.rename(path, to: path + ".damaged")
            }
        }
        return nil
    }

    /// No record of this boot is later; a clock that had gone there would not come back.
    private static var latest: Instant { Instant(nanoseconds: Clock.boot()) + .seconds(366 * 86_400) }

    private struct Unsound: Error {
        let problem: String
        var isOfAnotherVersion = false
    }

    private static func soundHeader(_ path: String) throws(Unsound) -> SegmentHeader {
        guard let bytes = FileSystem.read(path, limit: 1 << 30) else { throw Unsound(problem: "it cannot be read") }
        let header: SegmentHeader
        do {
            // Older daemons wrote JSON.
            header =
                CompactFormat.isThere(bytes)
                ? try CompactFormat.decode(SegmentHeader.self, from: bytes)
                : try JSONDecoder().decode(SegmentHeader.self, from: Data(bytes))
        } catch {
            throw Unsound(problem: "it is no checkpoint")
        }
        guard SegmentHeader.readableVersions.contains(header.version) else {
            throw Unsound(problem: "it has the version \(header.version)", isOfAnotherVersion: true)
        }
        guard header.boot == CurrentProcess.bootID else { return header }
        guard header.base >= 0, Instant(nanoseconds: header.base) <= latest else {
            throw Unsound(problem: "it begins in the future")
        }
        if let problem = header.system.unsoundness {
            throw Unsound(problem: problem)
        }
        return header
    }

    private static func replay(
        _ header: SegmentHeader, from first: Int, in directory: String, _ passed: (Int) -> Void, _ see: (Sight) -> Void
    ) -> Restored {
        var restored = Restored(system: header.system, effects: [])
        see(.checkpoint(header.system))
        var now = Instant(nanoseconds: header.base)
        var number = first
        var count = 0
        let latest = latest
        while FileSystem.exists(events(directory, number)) {
            guard let segment = try? MappedLog(opening: events(directory, number)) else {
                Diagnostics.write("\(events(directory, number)) is no segment of a journal; going on without it")
                return restored
            }
            var reader = RecordReader(segment.contents[...], version: header.version)
            do throws(RecordReader.Fault) {
                while let record = try reader.next() {
                    guard case .event(let event, let after) = record else { continue }
                    passed(count)
                    count += 1
                    now = now + after
                    guard now <= latest else {
                        let problem = MalformedBytes(
                            offset: reader.offset, expected: "an event that is not in the future")
                        throw RecordReader.Fault.damaged(problem)
                    }
                    let effects = restored.system.handle(event, at: now)
                    restored.effects += effects
                    see(.event(event, effects, restored.system, at: now))
                }
            } catch {
                // Nothing after a damaged record can be trusted; adoption puts right what is missing.
                Diagnostics.write("\(events(directory, number)): \(error); going on without the rest")
                return restored
            }
            number += 1
        }
        // One version reads all segments that follow its checkpoint.
        if header.version == SegmentHeader.version { restored.end = now }
        return restored
    }

    /// After an orderly end nothing is to be adopted.
    /// All of it at once: whoever is killed while it removes leaves no half of a journal to the next one.
    static func remove(_ directory: String) {
        let ended = directory + ".ended"
        try? FileSystem.removeTree(ended)
        try? FileSystem.rename(directory, to: ended)
        try? FileSystem.removeTree(ended)
    }

    /// Daemons die of it: it is kept for whoever wants to know why. Returns where.
    static func setAside(_ directory: String) -> String {
        let kept = directory + ".damaged"
        try? FileSystem.removeTree(kept)
        try? FileSystem.rename(directory, to: kept)
        return kept
    }
}
