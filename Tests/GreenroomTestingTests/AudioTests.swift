import AVFoundation
import Foundation
import GreenroomTesting
import Testing
import UIKit

extension TestingTests {
    @Suite("Audio of an app's own code")
    @MainActor
    struct AudioTests {
        func install(
            _ device: TestDevice, modes: [String] = ["audio"]
        ) throws -> TestedApp<MusicPlayer> {
            try device.install(MusicPlayer.self, identifier: "org.example.Music", backgroundModes: modes)
        }

        /// In front, and playing for ever.
        func playing(_ device: TestDevice, modes: [String] = ["audio"]) async throws -> TestedApp<MusicPlayer> {
            let music = try install(device, modes: modes)
            try await device.open(music)
            try await music.perform { music in
                try music.load(seconds: 10, repeats: true)
                music.play()
            }
            try #require(music.delegate?.takeTrace() == ["plays"])
            return music
        }

        @Test("A player of three seconds ends after three seconds, and its delegate hears of it")
        func end() async throws {
            let device = try TestDevice()
            let music = try install(device)
            try await device.open(music)
            #expect(device.audio.sounds.isEmpty && device.audio.nowPlaying == nil)
            try await music.perform { music in
                try music.load(seconds: 3)
                music.play()
            }
            #expect(device.audio.sounds.map(\.description) == ["Music"])
            try await device.advance(by: .milliseconds(2900))
            #expect(device.audio.isSounding(music))
            let place = try #require(music.delegate?.player?.currentTime)
            #expect(abs(place - 2.9) < 0.02)
            #expect(music.delegate?.takeTrace() == ["plays"])
            try await device.advance(by: .milliseconds(200))
            #expect(music.delegate?.takeTrace() == ["at its end"])
            #expect(!device.audio.isSounding(music))
            #expect(device.realTimeWaits.isEmpty)
        }

        @Test("Music plays on in the background with the key, and the app is suspended when it pauses")
        func background() async throws {
            let device = try TestDevice()
            let music = try await playing(device)
            try await device.home()
            try await device.advance(by: .seconds(600))
            #expect(music.state == .background && device.audio.isSounding(music))
            #expect(music.assertions.map(\.name) == ["audio"])
            try await device.lock()
            try await device.advance(by: .seconds(600))
            #expect(music.state == .background && device.audio.isSounding(music))
            try await device.remoteCommand(.pause)
            try await device.advance(by: .seconds(1))
            #expect(music.delegate?.takeTrace() == ["asked to pause"])
            #expect(music.state == .suspended && device.audio.sounds.isEmpty)
        }

        @Test("Without the key the music fades when the app leaves the screen, and goes on where it was")
        func noKey() async throws {
            let device = try TestDevice()
            let music = try await playing(device, modes: [])
            try await device.advance(by: .seconds(2))
            try await device.home()
            try await device.advance(by: .seconds(1))
            #expect(music.state == .suspended && device.audio.sounds.isEmpty)
            let place = try #require(music.delegate?.player?.currentTime)
            #expect(abs(place - 2) < 0.4)
            try await device.advance(by: .seconds(3600))
            try await device.open(music)
            try await device.advance(by: .seconds(1))
            #expect(music.delegate?.player?.isPlaying == true && device.audio.isSounding(music))
            #expect(try #require(music.delegate?.player?.currentTime) < place + 1.1)
        }

        @Test("An interruption stops the music, and only the app that may go on is told so")
        func interruption() async throws {
            let device = try TestDevice()
            let music = try await playing(device)
            try await device.home()
            try await device.interruptAudio()
            try await device.advance(by: .seconds(60))
            #expect(music.delegate?.takeTrace() == ["interrupted"])
            #expect(music.state == .suspended && device.audio.sounds.isEmpty)
            try await device.endAudioInterruption()
            #expect(music.delegate?.takeTrace() == ["may go on", "plays"])
            #expect(device.audio.isSounding(music) && music.state == .background)
            try await device.interruptAudio()
            try await device.endAudioInterruption(shouldResume: false)
            #expect(music.delegate?.takeTrace() == ["interrupted", "interruption over"])
            #expect(device.audio.sounds.isEmpty)
            await #expect(throws: TestDeviceError.refused("no interruption was begun")) {
                try await device.endAudioInterruption()
            }
        }

        @Test("A call that is taken interrupts the music, which goes on after it; nothing may begin meanwhile")
        func call() async throws {
            let device = try TestDevice()
            let music = try await playing(device)
            try await device.interrupt(by: .call)
            #expect(device.audio.sounds.isEmpty && music.delegate?.takeTrace() == [])
            try await device.accept(.call)
            #expect(music.delegate?.takeTrace() == ["interrupted"])
            try await music.perform { $0.play() }
            #expect(music.delegate?.takeTrace().first?.hasPrefix("not active") == true)
            try await device.endCall()
            #expect(music.delegate?.takeTrace() == ["may go on", "plays"])
            #expect(device.audio.isSounding(music))
        }

        @Test("The controls reach the app that played last, also when it is suspended")
        func controls() async throws {
            let device = try TestDevice()
            let music = try install(device)
            await #expect(throws: TestDeviceError.refused("no app has played anything that can be controlled")) {
                try await device.remoteCommand(.play)
            }
            try await device.open(music)
            try await music.perform { music in
                try music.load(seconds: 10, repeats: true)
                music.play()
                music.player?.pause()
            }
            try await device.home()
            try await device.advance(by: .seconds(30))
            #expect(music.state == .suspended)
            _ = music.delegate?.takeTrace()
            try await device.remoteCommand(.toggle)
            // Its session was over when it was suspended.
            #expect(music.delegate?.takeTrace() == ["interrupted", "asked to play", "plays"])
            try await device.advance(by: .seconds(30))
            #expect(music.state == .background && device.audio.isSounding(music))
            let playing = try #require(device.audio.nowPlaying)
            #expect(playing.app == "Music" && playing.title == "A tone" && playing.duration == 10 && playing.isPlaying)
            try await device.pressHeadset(times: 2)
            #expect(music.delegate?.takeTrace() == ["asked for the next", "plays"])
            try await device.advance(by: .seconds(30))
            #expect(music.state == .background && device.audio.isSounding(music), "it paused and played at once")
            try await device.pressHeadset()
            try await device.advance(by: .seconds(30))
            #expect(music.delegate?.takeTrace() == ["asked to pause"])
            #expect(music.state == .suspended && device.audio.nowPlaying?.isPlaying == false)
            await #expect(throws: TestDeviceError.refused("org.example.Music does not take the command seek")) {
                try await device.remoteCommand(.seek(to: 3))
            }
        }

        @Test("Taking the headset off pauses what one heard by it, and the app learns why")
        func headset() async throws {
            let device = try TestDevice()
            let music = try await playing(device)
            try await device.plugHeadset()
            #expect(music.delegate?.takeTrace() == ["new device"])
            #expect(AVAudioSession.sharedInstance().currentRoute.outputs.map(\.portType) == [.headphones])
            #expect(device.audio.isSounding(music))
            try await device.unplugHeadset()
            #expect(music.delegate?.takeTrace() == ["no old device"])
            #expect(music.delegate?.player?.isPlaying == false && device.audio.sounds.isEmpty)
            #expect(AVAudioSession.sharedInstance().currentRoute.outputs.map(\.portType) == [.builtInSpeaker])
            try await music.perform { $0.play() }
            #expect(device.audio.isSounding(music))
        }

        @Test("A voice over the music makes it softer meanwhile; other music interrupts it")
        func others() async throws {
            let device = try TestDevice()
            let music = try await playing(device)
            let navigator = try device.installScripted("org.example.Navigator", backgroundModes: ["audio"])
            let radio = try device.installScripted("org.example.Radio", backgroundModes: ["audio"])
            try await device.open(navigator)
            try await navigator.perform(.beginVoice)
            #expect(device.audio.sounds.map(\.description) == ["Music at 0.3", "Navigator"])
            #expect(device.audio.level(of: music) == 0.3)
            try await navigator.perform(.endAudio)
            #expect(device.audio.sounds.map(\.description) == ["Music"])
            #expect(music.delegate?.takeTrace() == [])
            try await device.open(radio)
            try await radio.perform(.beginAudio)
            #expect(device.audio.sounds.map(\.description) == ["Radio"])
            #expect(music.delegate?.takeTrace() == ["interrupted"])
            try await radio.perform(.endAudio)
            #expect(music.delegate?.takeTrace() == ["may go on", "plays"])
        }

        @Test("The ringer switch silences the music of a game, and not that of a player")
        func ringer() async throws {
            let device = try TestDevice()
            let music = try await playing(device)
            try await device.setRingerSilent(true)
            #expect(device.audio.isSounding(music))
            try await music.perform { music in
                music.category = .ambient
                music.play()
            }
            #expect(!device.audio.isSounding(music))
            #expect(device.audio.why(music).contains("the ringer switch silences it"))
            try await device.setRingerSilent(false)
            #expect(device.audio.isSounding(music))
        }

        @Test("Playing silence is not heard, and is no reason to run in the background")
        func silence() async throws {
            let device = try TestDevice()
            let music = try install(device)
            try await device.open(music)
            try await music.perform { music in
                try music.load(seconds: 10, level: 0, repeats: true)
                music.play()
            }
            try await device.advance(by: .seconds(1))
            #expect(!device.audio.isSounding(music))
            try await device.home()
            try await device.advance(by: .seconds(60))
            #expect(music.state == .suspended)
            #expect(device.audio.why(music).contains("silence"))
        }
    }
}
