import LinuxSystem
import TestAudio
import Testing
import Wire

/// S3: location and spoken audio together, by the example that is in Examples/Navigator.
@Suite(
    "Turn by turn, heard", .enabled(if: SoundSystem.isThere, Comment(rawValue: SoundSystem.missing)),
    .enabled(if: Machine.isRoot, "NOT TESTED: needs root"))
struct NavigatorTests {
    /// Higher than a voice: it is measured beside one.
    private static let tone: Float = 9000

    /// Long enough for a tool to ask meanwhile.
    private static let arrival =
        "You have arrived at your destination on the right hand side of the street, opposite of the old town hall and "
        + "next to the bridge"

    private func isAt(_ level: Float) -> ([Float]) -> Bool {
        { abs(Level.amplitude(of: Self.tone, in: $0) - level) < 0.9 * 0.05 }
    }

    /// Music plays, and Navigator knows the way.
    private func underWay(_ turns: String) throws -> (sound: SoundSystem, radio: String, navigator: String) {
        let sound = try SoundSystem(environment: TestSystem.withoutReceiver)
        let (radio, navigator) = (try sound.install("Radio"), try sound.install("Navigator"))
        try sound.system.expect("simulate", "location", "46.05", "14.5")
        try sound.open(radio, "play?url=file://\(sound.sound(0.9, frequency: Self.tone, seconds: 120))")
        try sound.recorder.awaitSound(20, isAt(0.9))
        try sound.open(navigator, "go?\(turns)")
        try sound.system.said("turns ahead", by: navigator)
        return (sound, radio, navigator)
    }

    private func moves(_ sound: SoundSystem, _ latitude: Double, _ longitude: Double) throws {
        try sound.system.expect("simulate", "location", "\(latitude)", "\(longitude)")
    }

    /// The sentence is said while the music is a third as loud, and then it is as loud as before.
    private func hears(_ sentence: String, _ sound: SoundSystem, _ navigator: String) throws {
        try sound.recorder.awaitSound(100, isAt(0.9 * 0.3))
        try sound.system.said("“\(sentence)”", by: navigator)
        try sound.recorder.awaitSound(20, isAt(0.9))
    }

    @Test(
        "Navigator follows the device out of sight and speaks over softer music, and is suspended when it has arrived")
    func arrives() throws {
        let (sound, radio, navigator) = try underWay(
            "46.051,14.501=Turn%20left%20into%20Main%20Street%20at%20the%20next%20crossing"
                + "&46.053,14.503=\(Self.arrival.replacing(" ", with: "%20"))")
        let system = sound.system
        let log = try system.follower()
        let pid = try system.app(navigator).pid
        try system.play(["home"])
        try system.until("it follows the device") {
            try system.expect("why", navigator).contains("follows the device's location")
        }
        #expect(try sound.state(navigator) == "background")
        #expect(try system.receivesSatellites())

        try moves(sound, 46.051, 14.501)
        try hears("Turn left into Main Street at the next crossing", sound, navigator)
        // It has spoken, and runs on for where the device is.
        try system.until("it is silent") {
            try !system.app(navigator).assertions.contains { $0.reason.contains("audio") }
        }
        #expect(try sound.state(navigator) == "background")
        #expect(try system.app(navigator).assertions.contains { $0.reason.contains("location") })

        let before = try system.lastSequence
        try moves(sound, 46.053, 14.503)
        // The location ends with the way: while the sentence lasts the app runs for that alone.
        try system.until("it runs for its voice alone") {
            let reasons = try system.app(navigator).assertions.map(\.reason)
            return reasons.contains { $0.contains("audio") } && !reasons.contains { $0.contains("location") }
        }
        try hears(Self.arrival, sound, navigator)
        try system.said("· arrived", by: navigator)
        try log.wait("suspended", of: navigator, after: before)
        #expect(try !system.receivesSatellites())
        #expect(try system.app(navigator).pid == pid)
        #expect(try sound.player(radio)?["ducked"]?.bool == false)
        #expect(try sound.state(radio) == "background")
        #expect(try system.reports(navigator).isEmpty)
    }

    @Test("Without the key for location it hears of no place out of sight and says nothing until it is back")
    func withoutLocation() throws {
        let sound = try SoundSystem(environment: TestSystem.withoutReceiver)
        // The music is an app of its own, so that something is heard.
        let radio = try sound.install("Radio")
        let navigator = try sound.install("Navigator", as: "org.example.lost", leavingOut: "location")
        try moves(sound, 46.05, 14.5)
        try sound.open(radio, "play?url=file://\(sound.sound(0.9, frequency: Self.tone, seconds: 120))")
        try sound.recorder.awaitSound(20, isAt(0.9))
        try sound.open(navigator, "go?46.051,14.501=Turn%20left%20into%20Main%20Street")
        try sound.system.said("turns ahead", by: navigator)
        try sound.system.leave(navigator)
        try sound.system.until("the receiver is off") { try !sound.system.receivesSatellites() }
        try moves(sound, 46.051, 14.501)
        #expect(abs(Level.amplitude(of: Self.tone, in: try sound.recorder.record(milliseconds: 1500)) - 0.9) < 0.045)
        #expect(try sound.state(navigator) == "suspended")
        // It is opened where it should have turned.
        try sound.system.expect("open", navigator)
        try hears("Turn left into Main Street", sound, navigator)
        #expect(try sound.state(radio) == "background")
    }
}
