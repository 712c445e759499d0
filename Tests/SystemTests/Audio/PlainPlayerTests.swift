import LinuxSystem
import TestAudio
import TestBus
import Testing
import Wire

/// What controls players on a desktop, and a player that knows nothing of Greenroom.
private enum Desktop {
    private static let (playerctl, mpv) = ("/usr/bin/playerctl", "/usr/bin/mpv")
    /// mpv loads it by itself from there.
    private static let plugIn = "/etc/mpv/scripts/mpris.so"
    static let isThere = SoundSystem.isThere && [playerctl, mpv, plugIn].allSatisfy(FileSystem.exists)
    static let missing = "NOT TESTED: needs PipeWire, playerctl, and mpv with its plug-in (Debian: mpv-mpris)"

    /// What it prints; `nil` where it fails.
    static func playerctl(_ sound: SoundSystem, _ player: String, _ words: String...) throws -> String? {
        let (output, isDone) = try TestProgram.run(
            playerctl, ["--player", player] + words, environment: sound.audio.environment)
        guard isDone else { return nil }
        return output.last == "\n" ? String(output.dropLast()) : output
    }

    static func install(_ name: String, _ sound: SoundSystem, _ files: [String]) throws {
        // Its own configuration is read, as everywhere: Debian's plug-in is loaded by that.
        let command = ([mpv, "--no-video", "--loop-playlist"] + files).joined(separator: " ")
        try sound.system.installPlain(name, command: command, modes: "audio;")
    }
}

@Suite(
    "Players and controls of a desktop", .serialized,
    .enabled(if: Desktop.isThere, Comment(rawValue: Desktop.missing)),
    .enabled(if: Machine.isRoot, "NOT TESTED: needs root"))
struct PlainPlayerTests {
    /// mpv plays two tones, the first of them now.
    ///
    /// Its user is the one that the bus is for: dbus-daemon lets nobody in of whom the machine knows no groups, and the
    /// users that apps have of their own are in no list.
    private func playing() throws -> SoundSystem {
        let sound = try SoundSystem(sharesUser: true)
        let files = [try sound.sound(0.4), try sound.sound(0.3, frequency: 1000)]
        try Desktop.install("player", sound, files)
        try sound.system.expect("open", "player")
        try hears(sound, 440)
        return sound
    }

    /// This tone and not the other: how loud one channel is in two is the player's affair.
    private func hears(_ sound: SoundSystem, _ frequency: Float) throws {
        let other: Float = frequency == 440 ? 1000 : 440
        try sound.recorder.awaitSound(100) {
            Level.amplitude(of: frequency, in: $0) > 0.25 && Level.amplitude(of: other, in: $0) < 0.02
        }
    }

    @Test("mpv plays on in the background, is suspended when it pauses, and thawed by Greenroom's controls")
    func thawed() throws {
        let sound = try playing()
        try sound.system.play(["home"])
        #expect(try sound.state("player") == "background")
        let heard = try sound.recorder.record(milliseconds: 1000)
        #expect(Level.amplitude(of: 440, in: heard) > 0.25 && Level.longestGap(heard) < 5)
        try sound.system.expect("audio", "pause")
        try sound.hearsNothing()
        try sound.becomes("player", "suspended")
        #expect(try sound.player("player")?["target"]?.bool == true)
        for wakes in [["audio", "play"], ["simulate", "headset", "press"]] {
            try sound.system.expect(wakes[0], Array(wakes.dropFirst()))
            try hears(sound, 440)
            #expect(try sound.state("player") == "background")
            try sound.system.expect("audio", "pause")
            try sound.becomes("player", "suspended")
        }
        try sound.system.expect("audio", "play")
        try sound.system.expect("audio", "next")
        try hears(sound, 1000)
    }

    @Test("mpv is suspended when playerctl pauses it, and playerctl's next is heard while it plays")
    func pausedByPlayerctl() throws {
        let sound = try playing()
        try sound.system.play(["home"])
        #expect(try Desktop.playerctl(sound, "mpv", "status") == "Playing")
        #expect(try Desktop.playerctl(sound, "mpv", "next") != nil)
        try hears(sound, 1000)
        #expect(try Desktop.playerctl(sound, "mpv", "metadata", "title") == "0.3-1000.0.wav")
        #expect(try Desktop.playerctl(sound, "mpv", "pause") != nil)
        try sound.hearsNothing()
        try sound.becomes("player", "suspended")
        try sound.system.expect("audio", "toggle")
        try hears(sound, 1000)
        #expect(try sound.state("player") == "background")
    }

    @Test("An app obeys playerctl: play-pause, next, status and metadata, suspended or not")
    func appObeysPlayerctl() throws {
        let sound = try SoundSystem()
        let radio = try sound.install("Radio")
        for (frequency, level) in [(Float(1000), Float(0.3)), (440, 0.4)] {
            try sound.open(radio, "play?url=file://\(sound.sound(level, frequency: frequency))")
            try hears(sound, frequency)
        }
        try sound.system.play(["home"])
        let name = "greenroom.\(radio.replacing(".", with: "_"))"
        #expect(try Desktop.playerctl(sound, name, "status") == "Playing")
        #expect(try Desktop.playerctl(sound, name, "metadata", "title") == "0.4-440.0.wav")
        #expect(try Desktop.playerctl(sound, name, "next") != nil)
        try hears(sound, 1000)
        try sound.system.until("the title is the next one's") {
            try Desktop.playerctl(sound, name, "metadata", "title") == "0.3-1000.0.wav"
        }
        #expect(try Desktop.playerctl(sound, name, "play-pause") != nil)
        try sound.hearsNothing()
        try sound.becomes(radio, "suspended")
        #expect(try Desktop.playerctl(sound, name, "status") == "Paused")
        #expect(try Desktop.playerctl(sound, name, "metadata", "title") == "0.3-1000.0.wav")
        #expect(try Desktop.playerctl(sound, name, "play-pause") != nil)
        try hears(sound, 1000)
        #expect(try sound.state(radio) == "background")
        #expect(try Desktop.playerctl(sound, name, "pause") != nil)
        try sound.becomes(radio, "suspended")
        // It is thawed for that, too.
        #expect(try Desktop.playerctl(sound, name, "next") != nil)
        try hears(sound, 440)
    }
}
