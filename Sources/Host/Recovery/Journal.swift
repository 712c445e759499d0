internal import FoundationEssentials
internal import LinuxSystem
package import Model
package import PolicyCore

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

    /// Begins a new segment behind all that are there. Its checkpoint is on disk when this returns.
    package init(
        directory: String, system: System, start: SegmentHeader.Start, limits: Limits = Limits(),
        behindRecords: @escaping (@escaping @Sendable () -> Void) -> Void
    ) throws {
        self.directory = directory
        self.limits = limits
        self.behindRecords = behindRecords
        last = Instant(nanoseconds: Clock.boot())
        try FileSystem.makeDirectory(directory)
        number = Self.numbers(in: directory).max() ?? 0
        // Nobody writes to the last one any more; what it did not use is given back.
        if number > 0 { try? MappedLog.trim(Self.events(directory, number)) }
        try begin(start, system)
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
            rotate(system())
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

    /// The next segment begins at once; its checkpoint follows through the storage lane, behind the log entries that it
    /// makes superfluous here. Until it is there, a restart replays both segments.
    private func rotate(_ system: System) {
        do {
            segment = try newSegment(number + 1)
        } catch {
            Diagnostics.write("the journal cannot grow: \(error); a crash now would lose decisions")
            segment = nil
            return
        }
        number += 1
        let (directory, number, limit) = (directory, number, limits.directory)
        let header = SegmentHeader(boot: CurrentProcess.bootID, base: last, start: .continued, system: system)
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
            name.split(separator: ".").first.flatMap { Int($0) }.map { (number: $0, path: "\(directory)/\(name)") }
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
        try FileSystem.replace(checkpoint(directory, number), with: Array(try JSONEncoder().encode(header)))
    }

    static func events(_ directory: String, _ number: Int) -> String { "\(directory)/\(number).events" }
    static func checkpoint(_ directory: String, _ number: Int) -> String { "\(directory)/\(number).checkpoint" }

    private static func numbers(in directory: String, suffix: String = "") -> [Int] {
        FileSystem.names(in: directory).compactMap { name in
            name.hasSuffix(suffix) ? name.split(separator: ".").first.flatMap { Int($0) } : nil
        }
    }

    // MARK: Restoring

    package struct Restored {
        package var system: System
        /// What the replayed events had decided: log and reports to be written again.
        package var effects: [Effect]
    }

    /// What a restart sees while it replays.
    package enum Sight {
        case checkpoint(System)
        case event(Event, [Effect], System, at: Instant)
    }

    /// The Core as the last daemon left it in this boot; `nil` if there is none.
    package static func restore(
        from directory: String, seeing see: (Sight) -> Void = { _ in }
    ) -> Restored? {
        for number in numbers(in: directory, suffix: ".checkpoint").sorted(by: >) {
            guard let bytes = FileSystem.read(checkpoint(directory, number)),
                let header = try? JSONDecoder().decode(SegmentHeader.self, from: Data(bytes)),
                SegmentHeader.readableVersions.contains(header.version)
            else { continue }
            // The processes of another boot are gone.
            guard header.boot == CurrentProcess.bootID else { return nil }
            return replay(header, from: number, in: directory, see)
        }
        return nil
    }

    private static func replay(
        _ header: SegmentHeader, from first: Int, in directory: String, _ see: (Sight) -> Void
    ) -> Restored {
        var restored = Restored(system: header.system, effects: [])
        see(.checkpoint(header.system))
        var now = header.base
        var number = first
        while let segment = try? MappedLog(opening: events(directory, number)) {
            var reader = RecordReader(segment.contents[...], version: header.version)
            do throws(RecordReader.Fault) {
                while let record = try reader.next() {
                    guard case .event(let event, let after) = record else { continue }
                    now += after.nanoseconds
                    let moment = Instant(nanoseconds: now)
                    let effects = restored.system.handle(event, at: moment)
                    restored.effects += effects
                    see(.event(event, effects, restored.system, at: moment))
                }
            } catch {
                // Nothing after a damaged record can be trusted; adoption puts right what is missing.
                Diagnostics.write("\(events(directory, number)): \(error); going on without the rest")
                break
            }
            number += 1
        }
        return restored
    }

    /// After an orderly end nothing is to be adopted.
    static func remove(_ directory: String) { try? FileSystem.removeTree(directory) }
}
