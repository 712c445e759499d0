import AVFoundation
import Foundation
import GreenroomTesting
import MediaPlayer
import Testing
import UIKit

extension TestingTests.AudioTests {
    /// Hears of the end of a recording.
    final class Listener: NSObject, AVAudioRecorderDelegate {
        var ends: [Bool] = []

        func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) { ends.append(flag) }
    }

    private func record(_ file: URL, _ listener: Listener, seconds: TimeInterval) throws -> AVAudioRecorder {
        try AVAudioSession.sharedInstance().setCategory(.record)
        let recorder = try AVAudioRecorder(
            url: file, settings: [AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 8000, AVNumberOfChannelsKey: 1])
        recorder.delegate = listener
        try #require(recorder.record(forDuration: seconds))
        return recorder
    }

    @Test("A recorder records what the microphone hears, in the device's time, and the system shows it")
    func recorder() async throws {
        let device = try TestDevice()
        let music = try install(device)
        try await device.open(music)
        device.audio.microphoneHears { $0 < 1 ? 0.25 : 0.5 }
        let (file, listener) = (music.container.appending(path: "a.wav"), Listener())
        let recorder = try await music.perform { _ in try record(file, listener, seconds: 2) }
        #expect(device.audio.recording == ["Music"] && device.audio.sounds.isEmpty)
        try await device.home()
        try await device.advance(by: .seconds(1))
        #expect(music.state == .background && recorder.isRecording)
        try await device.advance(by: .seconds(2))
        #expect(listener.ends == [true] && device.audio.recording.isEmpty)
        try await device.advance(by: .seconds(1))
        #expect(music.state == .suspended)
        let sound = try AVAudioFile(forReading: file)
        #expect(sound.length == 16_000)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: sound.processingFormat, frameCapacity: 16_000))
        try sound.read(into: buffer)
        let samples = try #require(unsafe buffer.floatChannelData?[0])
        #expect(unsafe abs(samples[4000] - 0.25) < 0.001 && abs(samples[12_000] - 0.5) < 0.001)
    }

    @Test("An app that may not use the microphone records nothing")
    func denied() async throws {
        let device = try TestDevice()
        let music = try install(device)
        try await device.open(music)
        try await device.allowMicrophone(of: music, false)
        let file = music.container.appending(path: "a.wav")
        let begins = try await music.perform { _ in
            try AVAudioSession.sharedInstance().setCategory(.record)
            return try AVAudioRecorder(
                url: file,
                settings: [AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 8000, AVNumberOfChannelsKey: 1]
            ).record()
        }
        #expect(!begins && device.audio.recording.isEmpty)
    }

    @Test("AVPlayer plays a file to its end, and tells its observers the time")
    func avPlayer() async throws {
        let device = try TestDevice()
        let music = try install(device)
        try await device.open(music)
        let file = music.container.appending(path: "a.wav")
        try TestingTests.tone(seconds: 3).write(to: file)
        let player = AVPlayer(url: file)
        var (times, ends) = ([Double](), 0)
        let ended = NotificationCenter.default.addObserver(
            forName: AVPlayerItem.didPlayToEndTimeNotification, object: player.currentItem, queue: .main
        ) { _ in MainActor.assumeIsolated { ends += 1 } }
        let observer = player.addPeriodicTimeObserver(
            forInterval: CMTime(seconds: 1, preferredTimescale: 600), queue: .main
        ) { time in MainActor.assumeIsolated { times.append(time.seconds.rounded()) } }
        try await music.perform { _ in player.play() }
        #expect(device.audio.isSounding(music))
        try await device.advance(by: .milliseconds(2500))
        #expect(times.contains(1) && times.contains(2) && !times.contains(3) && ends == 0)
        try await device.advance(by: .seconds(1))
        #expect(ends == 1 && !device.audio.isSounding(music))
        player.removeTimeObserver(observer)
        NotificationCenter.default.removeObserver(ended)
    }

    @Test("Audio may be used on any thread; a task that awaits it goes on")
    func otherThreads() async throws {
        let device = try TestDevice()
        let music = try install(device)
        try await device.open(music)
        try await music.perform { try $0.load(seconds: 10, repeats: true) }
        let player = try #require(music.delegate?.player)
        // As a library does that keeps the main thread free.
        let plays = await withCheckedContinuation { continuation in
            nonisolated(unsafe) let player = player
            DispatchQueue.global().async { continuation.resume(returning: player.play()) }
        }
        try await device.settle()
        #expect(plays && device.audio.isSounding(music))
        try await music.perform { music in
            Task.detached {
                try AVAudioSession.sharedInstance().setActive(false)
                await MainActor.run { music.trace.append("over") }
            }
        }
        #expect(music.delegate?.takeTrace() == ["over"] && device.audio.sounds.isEmpty)
    }

    @Test("While a method of the app goes on, its delegate hears nothing, and afterwards of all that happened")
    func busy() async throws {
        let device = try TestDevice()
        let music = try install(device)
        try await device.open(music)
        try await music.perform { music in
            try music.load(seconds: 1)
            music.play()
        }
        music.prolong(.willResignActive, by: .seconds(3))
        _ = music.delegate?.takeTrace()
        try await device.home()
        #expect(device.clock.now.sinceStart > .seconds(3))
        #expect(music.delegate?.takeTrace() == ["at its end"])
    }

    @Test("With the app's process its sound ends, and the next one begins anew")
    func crash() async throws {
        let device = try TestDevice()
        let music = try await playing(device)
        let old = try #require(music.delegate?.player)
        try await music.crash()
        #expect(device.audio.sounds.isEmpty && !old.isPlaying)
        try await device.advance(by: .seconds(5))
        try await device.open(music)
        #expect(!old.isPlaying && device.audio.sounds.isEmpty)
        #expect(AVAudioSession.sharedInstance().category == .soloAmbient)
        try await music.perform { music in
            try music.load(seconds: 3)
            music.play()
        }
        #expect(device.audio.isSounding(music))
        // Gone for memory, it is launched for the controls.
        try await device.home()
        try await music.crash()
        try await device.remoteCommand(.play)
        #expect(music.launches == 3 && music.delegate?.takeTrace() == ["asked to play", "does not play"])
    }

    @Test("An app may play while it is being launched")
    func launching() async throws {
        let device = try TestDevice()
        let music = try device.install(
            TestingTests.MusicPlayer.self, identifier: "org.example.Music", backgroundModes: ["audio"],
            configure: { music in
                try? music.load(seconds: 3)
                music.play()
            })
        try await device.open(music)
        #expect(music.delegate?.trace == ["plays"] && device.audio.isSounding(music))
    }

    @Test("The same calls give the same run")
    func repeats() async throws {
        func run() async throws -> [String] {
            let device = try TestDevice(seed: 7)
            defer { withExtendedLifetime(device) {} }
            let music = try await playing(device)
            let navigator = try device.installScripted("org.example.Navigator", backgroundModes: ["audio"])
            try await device.plugHeadset()
            try await device.open(navigator)
            try await navigator.perform(.beginVoice)
            try await device.advance(by: .seconds(3))
            try await navigator.perform(.endAudio)
            try await device.interruptAudio()
            try await device.advance(by: .seconds(30))
            try await device.endAudioInterruption()
            try await device.unplugHeadset()
            try await device.advance(by: .seconds(30))
            let place = music.delegate?.player?.currentTime ?? -1
            return device.log.map(\.description) + (music.delegate?.trace ?? []) + ["\(place)"]
        }
        let first = try await run()
        #expect(first.count > 20)
        #expect(try await run() == first)
    }
}
