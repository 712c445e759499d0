import LinuxSystem
import TestAudio
import Testing
import Wire

/// S2: presses on controls go through the responder chain of the app that played last. Radio's view controller is its
/// first responder, and the only one that obeys.
@Suite(
    "The responder chain, heard", .enabled(if: SoundSystem.isThere, Comment(rawValue: SoundSystem.missing)),
    .enabled(if: Machine.isRoot, "NOT TESTED: needs root"))
struct ResponderTests {
    private static let (first, second) = (Float(440), Float(1000))

    /// Radio knows two stations, plays the second, and is out of sight.
    private func playing() throws -> (sound: SoundSystem, radio: String) {
        let sound = try SoundSystem()
        let radio = try sound.install("Radio")
        for frequency in [Self.first, Self.second] {
            try sound.open(radio, "play?url=file://\(sound.sound(0.5, frequency: frequency))")
            try hears(sound, frequency)
        }
        try sound.system.play(["home"])
        return (sound, radio)
    }

    /// This station and not the other one.
    private func hears(_ sound: SoundSystem, _ frequency: Float) throws {
        let other = frequency == Self.first ? Self.second : Self.first
        try sound.recorder.awaitSound(100) {
            Level.amplitude(of: frequency, in: $0) > 0.4 && Level.amplitude(of: other, in: $0) < 0.02
        }
    }

    private func isSilent(_ sound: SoundSystem, _ radio: String) throws {
        try sound.hearsNothing()
        try sound.becomes(radio, "suspended")
    }

    @Test("The first responder hears the tool's commands and the headset's presses, and is thawed for them")
    func commands() throws {
        let (sound, radio) = try playing()
        let pid = try sound.system.app(radio).pid
        for (stop, begin) in [("pause", "play"), ("toggle", "toggle"), ("stop", "toggle")] {
            try sound.system.expect("audio", stop)
            try isSilent(sound, radio)
            #expect(try sound.player(radio)?["target"]?.bool == true)
            try sound.system.expect("audio", begin)
            try hears(sound, Self.second)
            #expect(try sound.state(radio) == "background")
        }
        try sound.system.expect("audio", "next")
        try hears(sound, Self.first)
        try sound.system.expect("audio", "previous")
        try hears(sound, Self.second)
        // One press of the headset's button toggles, two are the next one, three the previous one.
        try sound.system.expect("simulate", "headset", "press")
        try isSilent(sound, radio)
        try sound.system.expect("simulate", "headset", "press", "--times", "2")
        try hears(sound, Self.first)
        try sound.system.expect("simulate", "headset", "press", "--times", "3")
        try hears(sound, Self.second)
        #expect(try sound.system.app(radio).pid == pid && sound.system.reports(radio).isEmpty)
    }

    @Test("An app that has ended is launched for a press: its view controller is the first responder then too")
    func launched() throws {
        let (sound, radio) = try playing()
        try sound.system.expect("audio", "pause")
        try isSilent(sound, radio)
        let last = try sound.system.crash(radio)
        try sound.system.expect("audio", "play")
        try sound.system.follower().wait("launchedInBackground", of: radio, after: last)
        try hears(sound, Self.second)
        #expect(try sound.state(radio) == "background")
        try sound.system.expect("audio", "pause")
        try isSilent(sound, radio)
    }
}
