import DBus
import LinuxSystem
import LocationModel
import LocationSources
import TestBus
import Testing

@Suite("The real GeoClue", .enabled(if: RealGeoClue.isThere, Comment(rawValue: RealGeoClue.missing)))
struct RealGeoClueTests {
    private let listener = Listener()

    @Test func `It is started when it is wanted, says where the device is, and comes back when it is killed`() throws {
        let geoClue = try RealGeoClue("allowed=true\nsystem=true\nusers=")
        let bus = try ListenerBus(geoClue.bus, listener)
        let source = GeoClueSource(queue: listener.queue, bus: bus.connection, answerTime: .milliseconds(500))
        listener.on { source.begin(listener) }
        let probes = Mailbox<SourceProbe>()
        listener.on { SourceProbe.geoClue(bus.connection) { probes.post($0) } }
        #expect(try probes.next().sentence == "GeoClue is installed, and starts when it is needed")
        #expect(try geoClue.process() == nil)
        listener.on { source.isOn = true }
        try listener.awaitAbsence("waits for an agent")
        try geoClue.startAgent()
        try listener.awaitState { $0 == .present }
        for _ in 0..<3 {
            let fix = try listener.awaitFix()
            #expect((48...48.01).contains(fix.coordinate.latitude) && fix.coordinate.longitude == 11)
            #expect(fix.source == .network && fix.accuracy == 5 && fix.altitude == 520 && fix.course == 0)
        }
        listener.on { SourceProbe.geoClue(bus.connection) { probes.post($0) } }
        #expect(try probes.next().sentence == "GeoClue runs")
        let first = try #require(try geoClue.process())
        try first.send(9)
        try listener.awaitAbsence("has ended")
        try listener.awaitState { $0 == .present }
        try listener.awaitFix()
        listener.on { source.end() }
        try geoClue.process()?.send(9)
    }

    @Test func `It is told when the configuration refuses Greenroom`() throws {
        let geoClue = try RealGeoClue("allowed=false\nsystem=true\nusers=")
        let bus = try ListenerBus(geoClue.bus, listener)
        try geoClue.startAgent()
        let source = GeoClueSource(queue: listener.queue, bus: bus.connection)
        source.start(listener)
        #expect(try listener.awaitAbsence("refuses Greenroom").contains("/etc/geoclue/geoclue.conf"))
        listener.on { source.end() }
        try geoClue.process()?.send(9)
    }
}

@Suite("GeoClue as a source", .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)))
struct GeoClueTests {
    private let listener = Listener()

    private func source(_ bus: ListenerBus, patience: Duration = .seconds(60)) -> GeoClueSource {
        GeoClueSource(queue: listener.queue, bus: bus.connection, level: .street, patience: patience)
    }

    @Test func `It is asked as exactly as wanted, and let go of when it is turned off`() throws {
        let bus = try TestBus()
        let fake = try FakeGeoClue(bus)
        let connection = try ListenerBus(bus, listener)
        let source = source(connection)
        source.start(listener)
        #expect(
            try fake.calls(5) == [
                "GetClient", "DesktopId greenroom", "RequestedAccuracyLevel 6", "DistanceThreshold 0", "Start",
            ])
        listener.on { source.level = .exact }
        #expect(try fake.calls(3) == ["Stop", "DeleteClient", "GetClient"])
        #expect(try fake.calls(4).contains("RequestedAccuracyLevel 8"))
        listener.on { source.isOn = false }
        #expect(try fake.calls(2) == ["Stop", "DeleteClient"])
        #expect(fake.called.rest.isEmpty)
    }

    @Test func `Unknown values are left out, and places that cannot be are dropped`() throws {
        let bus = try TestBus()
        let fake = try FakeGeoClue(bus)
        let connection = try ListenerBus(bus, listener)
        let source = source(connection)
        source.start(listener)
        _ = try fake.calls(5)
        let least = -Double.greatestFiniteMagnitude
        fake.move(["Latitude": .double(.nan), "Longitude": .double(1), "Accuracy": .double(1)])
        fake.move(["Latitude": .double(91), "Longitude": .double(1), "Accuracy": .double(1)])
        fake.move(["Latitude": .string("1"), "Longitude": .double(1), "Accuracy": .double(1)])
        fake.move([
            "Latitude": .double(1), "Longitude": .double(2), "Accuracy": .double(0), "Altitude": .double(least),
            "Speed": .double(-1), "Heading": .double(-1), "Timestamp": .structure([.uint64(7), .uint64(500_000)]),
        ])
        #expect(try listener.awaitFix() == Fix(Coordinate(1, 2), accuracy: 5, time: 7.5, source: .network))
        fake.move([
            "Latitude": .double(1), "Longitude": .double(2), "Accuracy": .double(900), "Altitude": .double(3),
            "Speed": .double(4), "Heading": .double(360),
        ])
        let fix = try listener.awaitFix()
        #expect(fix.accuracy == 900 && fix.altitude == 3 && fix.speed == 4 && fix.course == 0)
        #expect(abs(fix.time - Double(Clock.wall()) / 1e9) < 60)
        listener.on { source.end() }
    }

    @Test func `A GeoClue that stops, finds nothing or is not there says so`() throws {
        let bus = try TestBus()
        let connection = try ListenerBus(bus, listener)
        let source = source(connection, patience: .milliseconds(50))
        source.start(listener)
        #expect(try listener.awaitAbsence("is not there").contains("Debian: geoclue-2.0"))
        let fake = try FakeGeoClue(bus)
        try listener.awaitState { $0 == .present }
        try listener.awaitAbsence("has found no place yet")
        fake.move(["Latitude": .double(1), "Longitude": .double(2), "Accuracy": .double(10)])
        try listener.awaitState { $0 == .present }
        fake.deactivate()
        try listener.awaitAbsence("settings of the desktop")
        try listener.awaitState { $0 == .present }
        listener.on { source.end() }
    }

    @Test func `Without a bus it is absent until there is one`() throws {
        let bus = try TestBus(isRunning: false)
        let connection = try ListenerBus(bus, listener, isThere: false)
        let source = source(connection)
        source.start(listener)
        try listener.awaitAbsence("no system message bus")
        try bus.start()
        let fake = try FakeGeoClue(bus)
        try listener.awaitState { $0 == .present }
        listener.on { source.end() }
        withExtendedLifetime(fake) {}
    }
}
