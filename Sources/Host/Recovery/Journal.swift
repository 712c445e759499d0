internal import FoundationEssentials
internal import LinuxSystem
internal import Model
internal import PolicyCore

/// Every event before it is acted on, so that a killed daemon can decide again what it had decided. Segments of mapped
/// memory, each of which begins where a checkpoint of the Core ends.
final class Journal {
    /// The first line of what identifies a recording.
    struct Header: Codable {
        var version: Int
        var boot: String
        /// When the segment begins, so that its times can be small differences.
        var base: Int64
        var system: System
    }

    static let version = 1
    private static let segmentSize = 1 << 20
    private static let keptSegments = 8

    private let directory: String
    private let workers: Workers
    private var segment: MappedLog
    private var number: Int
    private var base: Int64
    private var last: Int64
    private var writer = ByteWriter()
    private var framed = ByteWriter()
    /// What older segments explain has to be on its way to the database before a checkpoint makes them superfluous.
    private let beforeRotation: () -> Void

    /// Begins a new segment after `restored`, or the first one. The checkpoint is on disk when this returns.
    init(
        directory: String, workers: Workers, system: System, after number: Int,
        beforeRotation: @escaping () -> Void
    ) throws {
        self.directory = directory
        self.workers = workers
        self.beforeRotation = beforeRotation
        self.number = number + 1
        base = Clock.boot()
        last = base
        try FileSystem.makeDirectory(directory)
        try Self.writeCheckpoint(directory, self.number, system, base)
        segment = try MappedLog(creating: Self.events(directory, self.number), capacity: Self.segmentSize)
        removeOld()
    }

    /// Takes an event down; it survives whatever happens next to this process.
    func append(_ event: Event, at now: Instant, system: @autoclosure () -> System) {
        writer.removeAll()
        framed.removeAll()
        event.encode(into: &writer)
        framed.write(UInt64(writer.bytes.count))
        framed.write(now.nanoseconds - last)
        let record = framed.bytes + writer.bytes
        if !segment.append(record) {
            rotate(system())
            // The first difference of a segment counts from its base, which is the last event's time.
            if !segment.append(record) {
                Diagnostics.write("an event could not be journaled: a crash now would lose it")
            }
        }
        last = now.nanoseconds
    }

    /// The next segment begins at once; its checkpoint follows through the storage lane, behind the log entries that it
    /// makes superfluous here. Until it is there, a restart replays both segments.
    private func rotate(_ system: System) {
        number += 1
        do {
            segment = try MappedLog(creating: Self.events(directory, number), capacity: Self.segmentSize)
        } catch {
            Diagnostics.write("the journal cannot grow: \(error); a crash now would lose decisions")
            return
        }
        base = last
        beforeRotation()
        let (directory, number, base) = (directory, number, base)
        let kept = Self.keptSegments
        workers.run(.storage) {
            do {
                try Self.writeCheckpoint(directory, number, system, base)
                Self.removeOld(directory, before: number - kept)
            } catch {
                Diagnostics.write("a checkpoint could not be written: \(error)")
            }
        }
    }

    private func removeOld() { Self.removeOld(directory, before: number - Self.keptSegments) }

    private static func removeOld(_ directory: String, before first: Int) {
        for name in FileSystem.names(in: directory) {
            guard let number = name.split(separator: ".").first.flatMap({ Int($0) }), number < first else { continue }
            FileSystem.remove("\(directory)/\(name)")
        }
    }

    private static func writeCheckpoint(_ directory: String, _ number: Int, _ system: System, _ base: Int64) throws {
        let header = Header(version: version, boot: CurrentProcess.bootID, base: base, system: system)
        let data = try JSONEncoder().encode(header)
        try FileSystem.replace(checkpoint(directory, number), with: Array(data))
    }

    static func events(_ directory: String, _ number: Int) -> String { "\(directory)/\(number).events" }
    static func checkpoint(_ directory: String, _ number: Int) -> String { "\(directory)/\(number).checkpoint" }

    // MARK: Restoring

    struct Restored {
        var system: System
        /// What the replayed events had decided: log and reports to be written again.
        var effects: [Effect]
        var lastSegment: Int
    }

    /// The Core as the last daemon left it in this boot; `nil` if there is none.
    static func restore(from directory: String) -> Restored? {
        let numbers = FileSystem.names(in: directory).compactMap { name in
            name.hasSuffix(".checkpoint") ? name.split(separator: ".").first.flatMap { Int($0) } : nil
        }
        for number in numbers.sorted(by: >) {
            guard let bytes = FileSystem.read(checkpoint(directory, number)),
                let header = try? JSONDecoder().decode(Header.self, from: Data(bytes)), header.version == version
            else { continue }
            // The processes of another boot are gone.
            guard header.boot == CurrentProcess.bootID else { return nil }
            return replay(header, from: number, in: directory)
        }
        return nil
    }

    private static func replay(_ header: Header, from first: Int, in directory: String) -> Restored {
        var restored = Restored(system: header.system, effects: [], lastSegment: first)
        var now = header.base
        var number = first
        while let segment = try? MappedLog(opening: events(directory, number)) {
            restored.lastSegment = number
            let bytes = segment.contents
            var reader = ByteReader(bytes[...])
            do throws(MalformedBytes) {
                while !reader.isAtEnd {
                    _ = try reader.unsigned()
                    now += try reader.signed()
                    let event = try Event(from: &reader)
                    restored.effects += restored.system.handle(event, at: Instant(nanoseconds: now))
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
