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

    private static var recording: [String: Any] {
        [AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 8000, AVNumberOfChannelsKey: 1]
    }

    private func record(_ file: URL, _ listener: Listener, seconds: TimeInterval) throws -> AVAudioRecorder {
        try AVAudioSession.sharedInstance().setCategory(.record)
        let recorder = try AVAudioRecorder(url: file, settings: Self.recording)
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
        let samples = [4000, 12_000].map { frame in unsafe buffer.floatChannelData?[0][frame] ?? 0 }
        #expect(abs(samples[0] - 0.25) < 0.001 && abs(samples[1] - 0.5) < 0.001)
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
            return try AVAudioRecorder(url: file, settings: Self.recording).record()
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
            // Nobody else uses it meanwhile.
            nonisolated(unsafe) let player = player
            DispatchQueue.global().async { continuation.resume(returning: unsafe player.play()) }
        }
        try await device.settle()
        #expect(plays && device.audio.isSounding(music))
        try await music.perform { music in
            Task.detached {
                await MainActor.run { music.player?.pause() }
                do {
                    try AVAudioSession.sharedInstance().setActive(false)
                    await MainActor.run { music.trace.append("over") }
                } catch {
                    await MainActor.run { music.trace.append(error.localizedDescription) }
                }
            }
        }
        #expect(music.delegate?.takeTrace() == ["over"] && device.audio.sounds.isEmpty)
    }

    @Test("An engine plays a buffer, and says when it was heard")
    func engine() async throws {
        let device = try TestDevice()
        let music = try install(device)
        try await device.open(music)
        let (engine, node) = (AVAudioEngine(), AVAudioPlayerNode())
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 8000, channels: 1))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 16_000))
        buffer.frameLength = 16_000
        for frame in 0..<16_000 { unsafe buffer.floatChannelData?[0][frame] = 0.5 }
        try await music.perform { music in
            engine.attach(node)
            engine.connect(node, to: engine.mainMixerNode, format: format)
            try engine.start()
            node.scheduleBuffer(buffer, at: nil, options: [], completionCallbackType: .dataPlayedBack) { _ in
                DispatchQueue.main.async { MainActor.assumeIsolated { music.trace.append("heard") } }
            }
            node.play()
        }
        try await device.advance(by: .milliseconds(1900))
        #expect(device.audio.isSounding(music) && music.delegate?.takeTrace() == [])
        try await device.advance(by: .milliseconds(400))
        #expect(music.delegate?.takeTrace() == ["heard"])
        engine.stop()
        try await device.settle()
        #expect(!device.audio.isSounding(music))
    }

    @Test("A main thread that blocks until another one has asked for sound is not stuck for ever")
    func blocked() async throws {
        let device = try TestDevice()
        let music = try install(device)
        try await device.open(music)
        try await music.perform { try $0.load(seconds: 10, repeats: true) }
        try await music.perform { music in
            let isDone = DispatchSemaphore(value: 0)
            // It has it for itself: the main thread waits.
            nonisolated(unsafe) let player = music.player
            DispatchQueue.global().async {
                _ = unsafe player?.play()
                isDone.signal()
            }
            isDone.wait()
        }
        #expect(music.delegate?.player?.isPlaying == false)
        try await music.perform { $0.play() }
        #expect(device.audio.isSounding(music))
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
