import LinuxSystem
import LocationModel
import LocationSources
import TestBus
import Testing

@Suite("A track that is replayed")
struct TrackPlayerTests {
    private let listener = Listener()

    private func track(_ times: [Double]) throws -> Track {
        let points = times.enumerated().map { number, time in
            let (minutes, seconds) = (Int(time) / 60, Int(time) % 60)
            let stamp = "2026-05-01T12:\(minutes < 10 ? "0" : "")\(minutes):\(seconds < 10 ? "0" : "")\(seconds)Z"
            return "<wpt lat=\"0\" lon=\"\(Double(number) / 1000)\"><time>\(stamp)</time></wpt>"
        }
        return try Track(Array("<gpx>\(points.joined())</gpx>".utf8))
    }

    @Test func `Fixes come in order, with the times of now, and then the end`() throws {
        let track = try track([0, 10, 20, 30])
        let ends = Mailbox<Int>()
        let player = TrackPlayer(queue: listener.queue, track: track, pace: 100, accuracy: 7, client: listener)
        let begin = Double(Clock.wall()) / 1e9
        listener.on {
            player.onEnd = { ends.post(0) }
            player.begin()
        }
        _ = try ends.next()
        let fixes = try (0..<4).map { _ in try listener.awaitFix() }
        #expect(fixes.map(\.coordinate) == track.points.map(\.coordinate))
        #expect(fixes.allSatisfy { $0.source == .gps && $0.accuracy == 7 && $0.course == 90 })
        for (fix, point) in zip(fixes, track.points) { #expect(fix.time - begin >= point.time / 100) }
        #expect(listener.told.rest.isEmpty && !listener.on { player.isPlaying })
    }

    /// Makes the queue late, ten times 20 ms.
    ///
    /// Unchecked: used on the queue only.
    private final class SlowClient: LocationSourceClient, @unchecked Sendable {
        private var count = 0

        func found(_ fix: Fix) {
            count += 1
            let end = Clock.monotonic() + 20_000_000
            while count <= 10, Clock.monotonic() < end {}
        }
        func source(_ source: FixSource, is state: SourceState) {}
        func moved(to tower: CellTower?) {}
        func turned(to heading: Heading) {}
        func compass(is state: SourceState) {}
    }

    /// Nanoseconds that a track of 300 ms takes when the queue is late by 200 ms in all.
    private func timeToPlay(_ track: Track) throws -> Int64 {
        let client = SlowClient()
        let ends = Mailbox<Int64>()
        let player = TrackPlayer(queue: listener.queue, track: track, pace: 1000, client: client)
        let begin = Clock.monotonic()
        listener.on {
            player.onEnd = { ends.post(Clock.monotonic()) }
            player.begin()
        }
        defer { withExtendedLifetime(client) {} }
        return try ends.next() - begin
    }

    @Test func `Being late is not added up`() throws {
        let track = try track((0...300).map(Double.init))
        // A machine that is busy may be late itself, but hardly each time.
        var (shortest, attempts) = (Int64.max, 0)
        while shortest >= 450_000_000, attempts < 10 {
            let time = try timeToPlay(track)
            #expect(time >= 300_000_000)
            (shortest, attempts) = (min(shortest, time), attempts + 1)
        }
        #expect(shortest < 450_000_000)
    }

    @Test func `It stops at once, and begins again from the first point`() throws {
        let track = try track([0, 1, 2, 3599])
        let player = TrackPlayer(queue: listener.queue, track: track, pace: 1000, client: listener)
        listener.on { player.begin() }
        for _ in 0..<3 { try listener.awaitFix() }
        listener.on {
            #expect(player.next == 3 && player.isPlaying)
            player.stop()
            #expect(!player.isPlaying)
            player.begin()
        }
        #expect(try listener.awaitFix().coordinate == track.points[0].coordinate)
        listener.on { player.stop() }
    }

    @Test(arguments: [0, -1, Double.nan, .infinity])
    func `A pace that is none is real time`(_ pace: Double) throws {
        let player = TrackPlayer(queue: listener.queue, track: try track([0, 3000]), pace: pace, client: listener)
        listener.on { player.begin() }
        try listener.awaitFix()
        listener.on {
            #expect(player.isPlaying)
            player.stop()
        }
    }
}
