import Host
import LinuxSystem
import Model
import Testing
import Timeline
import Wire

@Suite("The timeline's ring")
struct TimelineRingTests {
    private let folder: Scratch
    private var small: TimelineRing.Limits {
        var limits = TimelineRing.Limits()
        (limits.segment, limits.segments) = (4096, 3)
        return limits
    }

    init() throws { folder = try Scratch() }

    private static let offset: Int64 = 1_795_255_200_000_000_000

    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: 0) + .seconds(seconds) }

    private func wall(_ seconds: Double) -> WallTime {
        WallTime(nanoseconds: at(seconds).nanoseconds + Self.offset)
    }

    private func begun(
        _ limits: TimelineRing.Limits = TimelineRing.Limits(), _ kind: Beginning.Kind = .fresh,
        restored: [TimelineRecord] = [], at seconds: Double = 0
    ) -> TimelineRing {
        let ring = TimelineRing(directory: folder.path, limits: limits)
        ring.begin(kind, boot: "boot", offset: Self.offset, at: at(seconds), restored: restored)
        return ring
    }

    /// What apps do, one record every tenth of a second.
    private func story(_ range: Range<Int>) -> [TimelineRecord] {
        range.map { number in
            let app = "app\(number % 3)"
            let what: Happening =
                switch number % 5 {
                case 0: .state(app: app, number % 2 == 0 ? .active : .suspended)
                case 1:
                    .entry(
                        TimelineEntry(
                            app: app, sequence: UInt64(number), event: "event", reason: "reason \(number)"))
                case 2: .processorUsed(app: app, used: .milliseconds(Int64(number)), over: .seconds(1))
                case 3: .assertionBegan(app: app, HeldAssertion(id: UInt64(number), kind: "task", name: "n"))
                default: .assertionEnded(app: "app\((number - 1) % 3)", id: UInt64(number - 1))
                }
            return TimelineRecord(at(Double(number) / 10 + 1), what)
        }
    }

    @Test("Files with numbers that nobody counts to are left alone, and so are headers with the largest number")
    func largestNumbers() throws {
        for name in ["9223372036854775807", "18446744073709551615", "-1"] {
            try FileSystem.replace("\(folder.path)/\(name).ring", with: [UInt8](repeating: 0xFF, count: 64))
        }
        let ring = begun(small)
        ring.append(story(0..<400))
        #expect(FileSystem.exists("\(folder.path)/2.ring"))
        let newest = try #require(
            FileSystem.names(in: folder.path).compactMap { $0.hasSuffix(".ring") ? Int($0.dropLast(5)) : nil }
                .filter { (1..<1000).contains($0) }.max())
        var bytes = try #require(FileSystem.read("\(folder.path)/\(newest).ring"))
        for place in 8..<16 { bytes[place] = 0xFF }
        try FileSystem.replace("\(folder.path)/\(newest).ring", with: bytes)
        let next = begun(small, .restarted, at: 100)
        next.append(story(1000..<1200))
        #expect(all(next).contains { $0.at == at(1199.0 / 10 + 1) })
    }

    private func all(
        _ ring: TimelineRing, since: WallTime? = nil, app: String? = nil, after: Int? = nil
    ) -> [TimelineRecord] {
        var records: [TimelineRecord] = []
        var position = after
        var first = true
        while first || position != nil {
            let page = ring.page(after: position, since: since, app: app)
            #expect(page.items.count <= 1100)
            records += page.items.map(\.record)
            (position, first) = (page.next, false)
        }
        return records
    }

    private func told(_ records: [TimelineRecord]) -> [TimelineRecord] {
        records.filter { if case .began = $0.what { false } else { true } }
    }

    @Test("What was appended is read, page by page, with its time on the wall")
    func pages() {
        let ring = begun()
        let story = story(0..<4500)
        for start in stride(from: 0, to: 4500, by: 9) { ring.append(Array(story[start..<start + 9])) }
        #expect(told(all(ring)) == story)
        let page = ring.page(after: nil, since: nil, app: nil)
        #expect(page.items.allSatisfy { $0.offset == Self.offset } && page.items.count == 1000)
    }

    @Test("The folder never holds more than its files may have, and what is left can be read alone")
    func bounded() throws {
        let ring = begun(small)
        let story = story(0..<6000)
        for record in story { ring.append([record]) }
        let names = FileSystem.names(in: folder.path)
        #expect(names.count == 3)
        #expect(names.allSatisfy { FileSystem.size(of: "\(folder.path)/\($0)") <= 4096 + 64 })
        let left = all(ring)
        guard case .began(let beginning)? = left.first?.what else {
            Issue.record("a file begins with a beginning")
            return
        }
        #expect(beginning.kind == .continued && beginning.standing > 0)
        let later = Array(left.dropFirst(1 + beginning.standing))
        #expect(later == Array(story.suffix(later.count)) && later.count > 300)
        // What stood is what the whole would have said.
        let whole = Tracks(story, now: nil, since: WallTime(nanoseconds: story[5500].at.nanoseconds))
        let alone = Tracks(told(left), now: nil, since: WallTime(nanoseconds: story[5500].at.nanoseconds))
        for app in whole.apps {
            let other = try #require(alone.apps.first { $0.id == app.id })
            #expect(other.states.map(\.value) == app.states.map(\.value))
            #expect(other.states.map(\.begin) == app.states.map(\.begin))
        }
    }

    @Test("Since a moment: what stood then comes first, and then everything", arguments: [0, 1, 57, 299, 600])
    func since(_ tenths: Int) {
        let ring = begun(small)
        let story = story(0..<500)
        ring.append(story)
        let since = wall(Double(tenths) / 10)
        let records = told(all(ring, since: since))
        let later = story.filter { $0.at.nanoseconds + Self.offset >= since.nanoseconds }
        #expect(Array(records.suffix(later.count)) == later)
        var standing = Standing()
        for record in story where record.at.nanoseconds + Self.offset < since.nanoseconds { standing.note(record) }
        #expect(Set(records.dropLast(later.count)) == Set(standing.records))
    }

    @Test("Of one app, only what is about it")
    func filter() {
        let ring = begun(small)
        ring.append(story(0..<300))
        let records = told(all(ring, app: "app1"))
        #expect(records == story(0..<300).filter { $0.what.app == "app1" })
    }

    @Test("Whatever part of its last decisions a daemon had written, the next one writes the rest, and nothing twice")
    func restarted() throws {
        let story = story(0..<120)
        // What is measured is not decided again.
        let decided = story.filter { !$0.what.isMeasured }
        for written in 0...story.count {
            FileSystem.names(in: folder.path).forEach { FileSystem.remove("\(folder.path)/\($0)") }
            let ring = begun(small)
            ring.append(Array(story[..<written]))
            let next = begun(small, .restarted, restored: decided, at: 100)
            let records = told(all(next))
            #expect(records.filter { !$0.what.isMeasured } == decided, "\(written) were written")
            #expect(records.filter(\.what.isMeasured).count == story[..<written].count(where: \.what.isMeasured))
        }
    }

    @Test("A damaged file ends where it is damaged; the next one begins with what stood")
    func damaged() throws {
        begun(small).append(story(0..<100))
        let path = "\(folder.path)/1.ring"
        var bytes = try #require(FileSystem.read(path))
        for place in 1000..<1040 { bytes[place] = 0xff }
        try FileSystem.replace(path, with: bytes)
        let ring = begun(small, .restarted, at: 50)
        ring.append(story(500..<520))
        let records = told(all(ring))
        #expect(Array(records.suffix(20)) == story(500..<520))
        #expect(FileSystem.names(in: folder.path) == ["1.ring", "2.ring"])
    }

    @Test("Who reads while more is written, and while the oldest goes, gets all that is left in order")
    func meanwhile() {
        var limits = small
        limits.segment = 16_384
        let ring = begun(limits)
        ring.append(story(0..<1500))
        let begin = ring.page(after: nil, since: nil, app: nil)
        #expect(begin.next != nil)
        ring.append(story(1500..<1600))
        var records = begin.items.map(\.record)
        var position = begin.next
        while let next = position {
            let page = ring.page(after: next, since: nil, app: nil)
            records += page.items.map(\.record)
            position = page.next
        }
        #expect(told(records) == story(0..<1600))
        // Long behind: the file that the position names is gone.
        ring.append(story(1600..<6000))
        let late = ring.page(after: begin.next, since: nil, app: nil)
        guard case .began(let beginning)? = late.items.first?.record.what else {
            Issue.record("what is left begins with what stood when it began")
            return
        }
        #expect(beginning.kind == .continued && late.items.count == 1000)
    }

    @Test("Where nothing can be written, the timeline is lost and nothing else; later it goes on")
    func noRoom() throws {
        // A file is in the way of the folder.
        try FileSystem.removeTree(folder.path)
        try FileSystem.replace(folder.path, with: [])
        let ring = begun(small)
        ring.append(story(0..<1000))
        #expect(all(ring).isEmpty)
        FileSystem.remove(folder.path)
        try FileSystem.makeDirectory(folder.path)
        ring.append(story(1000..<1010))
        let page = ring.page(after: nil, since: nil, app: nil)
        #expect(page.items.suffix(10).map(\.record) == story(1000..<1010))
        #expect(page.items.allSatisfy { $0.offset == Self.offset })
        var standing = Standing()
        for record in story(0..<1000) { standing.note(record) }
        #expect(told(page.items.map(\.record)).dropLast(10) == standing.records[...])
    }

    @Test("An answer has room in a line, whatever apps said")
    func weight() {
        let ring = begun()
        let text = String(repeating: "\u{1b}", count: 500)
        for number in 0..<2000 {
            ring.append([
                TimelineRecord(
                    at(Double(number)),
                    .entry(TimelineEntry(app: "a", sequence: 1, event: "e", reason: "\(number)" + text)))
            ])
        }
        let page = ring.page(after: nil, since: nil, app: nil)
        let bytes = page.items.reduce(0) { $0 + $1.record.json(offset: $1.offset).encoded.count + 1 }
        #expect(bytes < 1_000_000 && bytes > 500_000 && page.next != nil)
    }
}

/// A folder that is gone afterwards.
final class Scratch {
    let path: String

    init() throws {
        path = "/tmp/greenroom-ring-\(CurrentProcess.pid)-\(Clock.monotonic())"
        try FileSystem.makeDirectory(path)
    }

    deinit { try? FileSystem.removeTree(path) }
}
