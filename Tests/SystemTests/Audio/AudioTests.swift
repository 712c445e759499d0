import Foundation
import LinuxSystem
import TestAudio
import TestBus
import Testing
import Wire

@Suite(
    "Audio, heard", .enabled(if: SoundSystem.isThere, Comment(rawValue: SoundSystem.missing)),
    .enabled(if: Machine.isRoot, "NOT TESTED: needs root"))
struct AudioTests {
    @Test("Music plays on after Home and behind the lock, is suspended when it pauses, and is thawed by the controls")
    func playsOn() throws {
        let sound = try SoundSystem()
        let radio = try sound.install("Radio")
        try sound.open(radio, "play?url=file://\(sound.sound(0.5))")
        try sound.hears(0.5)
        try sound.system.play(["home"])
        #expect(try sound.state(radio) == "background")
        #expect(Level.peak(try sound.recorder.record(milliseconds: 500)) > 0.45)
        try sound.system.play(["lock"])
        #expect(Level.peak(try sound.recorder.record(milliseconds: 500)) > 0.45)
        #expect(try sound.state(radio) == "background")
        try sound.system.expect("audio", "pause")
        try sound.hearsNothing()
        try sound.becomes(radio, "suspended")
        #expect(try sound.player(radio)?["target"]?.bool == true)
        try sound.system.expect("audio", "play")
        try sound.hears(0.5)
        #expect(try sound.state(radio) == "background")
        #expect(try sound.system.reports(radio).isEmpty)
    }

    @Test("Without the key it fades out when it leaves the screen, is suspended, and plays on when it comes back")
    func withoutKey() throws {
        let sound = try SoundSystem()
        let radio = try sound.install("Radio", as: "org.example.quiet", modes: [])
        try sound.open(radio, "play?url=file://\(sound.sound(0.5))")
        try sound.hears(0.5)
        try sound.system.play(["home"])
        try sound.hearsNothing()
        try sound.becomes(radio, "suspended")
        try sound.system.expect("open", radio)
        try sound.hears(0.5)
    }

    @Test("A direction is spoken over music, which is a third as loud meanwhile, and as before within 300 ms")
    func duck() throws {
        let sound = try SoundSystem()
        let (radio, navigator) = (try sound.install("Radio"), try sound.install("Navigator"))
        // Higher than a voice: it is measured beside one.
        let tone: Float = 9000
        func isAt(_ level: Float) -> ([Float]) -> Bool {
            { abs(Level.amplitude(of: tone, in: $0) - level) < 0.9 * 0.05 }
        }
        try sound.open(radio, "play?url=file://\(sound.sound(0.9, frequency: tone))")
        try sound.recorder.awaitSound(20, isAt(0.9))
        try sound.open(navigator, "say?text=Turn%20left%20into%20Main%20Street")
        try sound.recorder.awaitSound(100, isAt(0.9 * 0.3))
        try sound.system.until("the music is as loud as before") { try sound.player(radio)?["ducked"]?.bool == false }
        #expect(try sound.recorder.awaitSound(20, isAt(0.9)) <= 300)
        #expect(try sound.state(radio) == "background")
    }

    @Test("A call silences music in the background, which is suspended meanwhile and plays on by itself")
    func call() throws {
        let sound = try SoundSystem()
        let radio = try sound.install("Radio")
        try sound.open(radio, "play?url=file://\(sound.sound(0.5))")
        try sound.hears(0.5)
        try sound.system.play(["home"])
        try sound.system.expect("simulate", "call")
        try sound.hearsNothing()
        try sound.system.expect("simulate", "call", ["--accept"])
        try sound.becomes(radio, "suspended")
        try sound.system.expect("simulate", "call", ["--end"])
        try sound.hears(0.5)
        #expect(try sound.state(radio) == "background")
        #expect(sound.system.output(radio).contains("· interrupted"))
        #expect(sound.system.output(radio).contains("· the interruption is over"))
    }

    @Test("Without WirePlumber the tool and doctor say so, and what played is heard when it is back")
    func withoutManager() throws {
        let sound = try SoundSystem()
        func finding() throws -> DoctorFinding? {
            try DoctorFinding.list(json: JSONValue(parsing: sound.system.expect("doctor", "--json")))
                .first { $0.mechanism == "sound server" }
        }
        let radio = try sound.install("Radio")
        try sound.open(radio, "play?url=file://\(sound.sound(0.5))")
        try sound.hears(0.5)
        #expect(try finding()?.status == .ok)
        sound.audio.stopManager()
        try sound.system.until("WirePlumber is missed") { try sound.status()["sessionManager"]?.bool == false }
        #expect(try sound.system.expect("audio").contains("WirePlumber is not there"))
        let missed = try finding()
        #expect(missed?.status == .missing && missed?.detail.contains("WirePlumber") == true, "\(missed as Any)")
        try sound.audio.startManager()
        try sound.hears(0.5)
        #expect(try !sound.system.expect("audio").contains("WirePlumber"))
    }

    @Test(
        "Whoever is killed, music plays on", arguments: ["greenroom-audiod", "greenroomd"])
    func killed(program: String) throws {
        let sound = try SoundSystem()
        let radio = try sound.install("Radio")
        try sound.open(radio, "play?url=file://\(sound.sound(0.5))")
        try sound.hears(0.5)
        try sound.system.play(["home"])
        for _ in 0..<3 {
            try sound.kill(program)
            // The grace is over by then: only what was stated anew counts.
            #expect(Level.peak(try sound.recorder.record(milliseconds: 1000)) > 0.45)
            #expect(try sound.state(radio) == "background")
        }
        try sound.system.expect("audio", "pause")
        try sound.becomes(radio, "suspended")
    }
}
