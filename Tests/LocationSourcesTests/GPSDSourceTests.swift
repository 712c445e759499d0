import LinuxSystem
import LocationModel
import LocationSources
import TestBus
import Testing

@Suite("gpsd as a source")
struct GPSDSourceTests {
    private let listener = Listener()

    private func source(_ gpsd: FakeGPSD, patience: Duration = .seconds(60)) -> GPSDSource {
        GPSDSource(queue: listener.queue, address: .unix(gpsd.path), patience: patience)
    }

    @Test func `It connects when it is turned on, and closes the connection when it is turned off`() throws {
        let gpsd = try FakeGPSD()
        let source = source(gpsd)
        listener.on { source.begin(listener) }
        #expect(try listener.told.next() == .state(.gps, .present))
        #expect(gpsd.hasNoGuest)
        listener.on { source.isOn = true }
        let guest = try gpsd.guest(answering: FakeGPSD.version, FakeGPSD.devices)
        try guest.say(report(1, second: 1), report(2, second: 2), report(3, second: 3))
        #expect(try (1...3).map { _ in try listener.awaitFix().coordinate.longitude } == [1, 2, 3])
        listener.on { source.isOn = false }
        #expect(try guest.line() == #"?WATCH={"enable":false};"#)
        #expect(try guest.line() == nil)
        #expect(listener.told.rest.isEmpty && gpsd.hasNoGuest)
        listener.on { source.isOn = true }
        try gpsd.guest(answering: FakeGPSD.version, FakeGPSD.devices).say(report(4, second: 4))
        #expect(try listener.awaitFix().coordinate.longitude == 4)
        listener.on { source.end() }
    }

    @Test func `Rubbish between fixes costs nothing but itself`() throws {
        let gpsd = try FakeGPSD()
        let source = source(gpsd)
        source.start(listener)
        let guest = try gpsd.guest(answering: FakeGPSD.version, FakeGPSD.devices)
        try guest.say([UInt8](repeating: 0xff, count: 300_000) + Array("\n".utf8))
        try guest.say("{", #"{"class":"TPV","mode":3,"lat":1e999}"#, "", report(1, second: 1), report(999, second: 2))
        try guest.say(report(2, second: 3, mode: 1), report(2, second: 3, mode: 0), report(2, second: 3, mode: 2))
        #expect(try listener.awaitFix().coordinate.longitude == 1)
        #expect(try listener.awaitFix().coordinate.longitude == 2)
        listener.on { source.end() }
    }

    @Test func `Fixes of a receiver that never tells the time have that of their arrival`() throws {
        let gpsd = try FakeGPSD()
        let source = source(gpsd)
        source.start(listener)
        let guest = try gpsd.guest(answering: FakeGPSD.version, FakeGPSD.devices)
        func untimed(_ longitude: Double) -> String {
            #"{"class":"TPV","device":"/dev/ttyS0","mode":3,"lat":48,"lon":\#(longitude)}"#
        }
        let began = Double(Clock.wall()) / 1e9
        // The first two may be those of a receiver that has not told it yet.
        try guest.say(untimed(1), untimed(2), untimed(3), untimed(4))
        let fixes = try (1...2).map { _ in try listener.awaitFix() }
        #expect(fixes.map(\.coordinate.longitude) == [3, 4])
        #expect(fixes.allSatisfy { $0.time >= began && $0.time <= Double(Clock.wall()) / 1e9 })
        // From one that tells it, those without a time are left out.
        try guest.say(report(5, second: 5), untimed(6), report(7, second: 7))
        #expect(try (1...2).map { _ in try listener.awaitFix().coordinate.longitude } == [5, 7])
        listener.on { source.end() }
    }

    @Test func `Without gpsd it is absent, and it is present as soon as gpsd comes`() throws {
        let gpsd = try FakeGPSD(isListening: false)
        let source = source(gpsd)
        source.start(listener)
        #expect(try listener.awaitAbsence("does not answer").contains("Debian: gpsd"))
        try gpsd.listen()
        let guest = try gpsd.guest(answering: FakeGPSD.version, FakeGPSD.devices)
        #expect(try listener.awaitState() == .present)
        try guest.say(report(1, second: 1))
        try listener.awaitFix()
        listener.on { source.end() }
    }

    @Test func `A gpsd that goes is waited for, and what it said half is forgotten`() throws {
        let gpsd = try FakeGPSD()
        let source = source(gpsd)
        source.start(listener)
        try {
            let guest = try gpsd.guest(answering: FakeGPSD.version, FakeGPSD.devices)
            try guest.say(report(1, second: 1))
            try listener.awaitFix()
            try guest.say(Array(report(2, second: 2).utf8.prefix(40)))
        }()
        try listener.awaitAbsence("has gone")
        let guest = try gpsd.guest(answering: FakeGPSD.version, FakeGPSD.devices)
        #expect(try listener.awaitState() == .present)
        try guest.say(report(3, second: 3))
        #expect(try listener.awaitFix().coordinate.longitude == 3)
        listener.on { source.end() }
    }

    @Test func `It follows the receivers of gpsd`() throws {
        let gpsd = try FakeGPSD()
        let source = source(gpsd)
        source.start(listener)
        let guest = try gpsd.guest(answering: FakeGPSD.version, #"{"class":"DEVICES","devices":[]}"#)
        #expect(try listener.awaitAbsence("has no receiver").contains("/etc/default/gpsd"))
        try guest.say(#"{"class":"DEVICE","path":"/dev/ttyS0","activated":"now"}"#)
        #expect(try listener.awaitState() == .present)
        try guest.say(#"{"class":"DEVICE","path":"/dev/ttyS0","activated":0}"#)
        try listener.awaitAbsence("has no receiver")
        try guest.say(report(1, second: 1))
        #expect(try listener.awaitState() == .present)
        try listener.awaitFix()
        listener.on { source.end() }
    }

    @Test func `A receiver that finds nothing is absent until it does`() throws {
        let gpsd = try FakeGPSD()
        let source = source(gpsd, patience: .milliseconds(50))
        source.start(listener)
        let guest = try gpsd.guest(answering: FakeGPSD.version, FakeGPSD.devices)
        try listener.awaitAbsence("clear view of the sky")
        try guest.say(report(1, second: 1, mode: 1), report(1, second: 1))
        #expect(try listener.awaitState() == .present)
        try listener.awaitFix()
        try listener.awaitAbsence("clear view of the sky")
        listener.on { source.end() }
    }

    @Test func `A host that has no name is told`() throws {
        let source = GPSDSource(queue: listener.queue, address: .tcp(host: "no such host", port: 1))
        source.start(listener)
        try listener.awaitAbsence("the name is not known")
        listener.on { source.end() }
    }

    @Test func `It tries again after growing pauses only while it is on`() throws {
        let gpsd = try FakeGPSD(isListening: false)
        let source = source(gpsd)
        source.start(listener)
        try listener.awaitAbsence("does not answer")
        listener.on { source.isOn = false }
        try gpsd.listen()
        let other = GPSDSource(queue: listener.queue, address: .unix(gpsd.path))
        other.start(listener)
        // The one that is on has connected after its pause, and the one that is off has not.
        _ = try gpsd.guest(answering: FakeGPSD.version)
        #expect(gpsd.hasNoGuest)
        listener.on { other.end() }
    }

    @Test func `A probe says which gpsd there is, and does not wake its receiver`() throws {
        let answers = Mailbox<SourceProbe>()
        let missing = try FakeGPSD(isListening: false)
        listener.on { SourceProbe.gpsd(at: .unix(missing.path), queue: listener.queue) { answers.post($0) } }
        let no = try answers.next()
        #expect(!no.isThere && no.sentence.contains("does not answer"))
        let silent = try FakeGPSD()
        listener.on {
            SourceProbe.gpsd(at: .unix(silent.path), queue: listener.queue, patience: .milliseconds(20)) {
                answers.post($0)
            }
        }
        #expect(try answers.next().sentence.contains("says nothing"))
    }
}
