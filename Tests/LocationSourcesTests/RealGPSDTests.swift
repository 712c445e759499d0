import LinuxSystem
import LocationModel
import LocationSources
import TestBus
import Testing

@Suite("The real gpsd", .enabled(if: RealGPSD.isThere, Comment(rawValue: RealGPSD.missing)))
struct RealGPSDTests {
    private let listener = Listener()

    private func source(_ port: UInt16, _ host: String = "127.0.0.1") -> GPSDSource {
        GPSDSource(queue: listener.queue, address: .tcp(host: host, port: port))
    }

    @Test func `What gpsfake replays arrives in order, with the times of the recording`() throws {
        let port = try RealGPSD.freePort()
        let fake = try RealGPSD.Fake(Sentences.drive, port: port)
        let source = source(port, "localhost")
        source.start(listener)
        let fixes = try (0..<10).map { _ in try listener.awaitFix() }
        for fix in fixes {
            #expect((48...48.01).contains(fix.coordinate.latitude) && fix.coordinate.longitude == 11)
            #expect(fix.source == .gps && fix.accuracy > 1 && fix.accuracy < 60)
            #expect(fix.time >= 1_789_992_000 && fix.time < 1_789_992_060)
        }
        #expect(zip(fixes, fixes.dropFirst()).allSatisfy { $0.time <= $1.time })
        let last = try #require(fixes.last)
        #expect(abs((last.speed ?? 0) - 15.02) < 0.1 && last.course == 0 && last.altitude == 520)
        listener.on { source.end() }
        withExtendedLifetime(fake) {}
    }

    @Test func `gpsd is killed while it is watched, and comes back`() throws {
        let receiver = try RealGPSD.Receiver(Sentences.drive)
        let port = try RealGPSD.freePort()
        var gpsd = try RealGPSD.start(port: port, receiver: receiver.port)
        let source = source(port)
        source.start(listener)
        try listener.awaitFix()
        for _ in 0..<3 {
            gpsd.kill()
            try listener.awaitAbsence("has gone")
            gpsd = try RealGPSD.start(port: port, receiver: receiver.port)
            try listener.awaitState { $0 == .present }
            try listener.awaitFix()
        }
        listener.on { source.end() }
    }

    @Test func `While it is off no client is connected to gpsd`() throws {
        let receiver = try RealGPSD.Receiver(Sentences.drive)
        let port = try RealGPSD.freePort()
        let gpsd = try RealGPSD.start(port: port, receiver: receiver.port)
        let source = source(port)
        source.start(listener)
        try listener.awaitFix()
        #expect(RealGPSD.connections(to: port) == 1)
        listener.on { source.isOn = false }
        listener.on {}
        #expect(RealGPSD.connections(to: port) == 0)
        listener.on { source.isOn = true }
        try listener.awaitFix()
        listener.on { source.end() }
        withExtendedLifetime(gpsd) {}
    }

    @Test func `A probe names its version`() throws {
        let receiver = try RealGPSD.Receiver(Sentences.drive)
        let port = try RealGPSD.freePort()
        let gpsd = try RealGPSD.start(port: port, receiver: receiver.port)
        let source = source(port)
        source.start(listener)
        try listener.awaitFix()
        let answers = Mailbox<SourceProbe>()
        listener.on {
            SourceProbe.gpsd(at: .tcp(host: "127.0.0.1", port: port), queue: listener.queue) { answers.post($0) }
        }
        let answer = try answers.next()
        #expect(answer.isThere && answer.sentence.hasPrefix("gpsd at 127.0.0.1:\(port) answers, version 3."))
        listener.on { source.end() }
        withExtendedLifetime(gpsd) {}
    }
}
