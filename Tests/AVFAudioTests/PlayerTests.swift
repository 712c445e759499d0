import AVFAudio
import AudioDevices
import AudioModel
import AudioTesting
import AudioWire
import Foundation
import Testing
import Wire

/// Hears of a player's end.
private final class Delegate: NSObject, AVAudioPlayerDelegate, @unchecked Sendable {  // The bell is safe to share.
    let calls = Bell<String>()

    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
        calls.ring("finished \(flag)")
    }
    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {
        calls.ring("broken")
    }
    func audioPlayerBeginInterruption(_ player: AVAudioPlayer) { calls.ring("interrupted") }
    func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int) {
        calls.ring("interruption ended \(flags)")
    }
}

@Suite struct `A player` {
    let audio = AppAudio()
    let folder: Folder
    private let delegate = Delegate()

    init() throws { folder = try Folder() }

    private func player(seconds: Double = 1, channels: Int = 2) throws -> AVAudioPlayer {
        let url = try makeSound(folder.file("a.wav"), seconds: seconds, channels: channels)
        let player = try audio.use { try AVAudioPlayer(contentsOf: url) }
        player.delegate = delegate
        return player
    }

    @Test func `asks the service before it opens its stream, which carries the number`() throws {
        let player = try player()
        #expect(audio.device.outputs.isEmpty)
        #expect(player.play())
        #expect(audio.service.methods == [.start])
        let number = try #require(audio.service.params(.start).first?["stream"]?.int)
        #expect(audio.device.outputs.map(\.setup.stream) == [Int64(number)])
        #expect(audio.device.outputs.map(\.setup.rate) == [44_100])
    }

    @Test func `opens nothing and says so where the service refuses`() throws {
        audio.service.refuse(.start, .cannotStartPlaying)
        let player = try player()
        #expect(!player.play())
        #expect(!player.isPlaying)
        #expect(audio.device.outputs.isEmpty)
        audio.service.allow(.start)
        #expect(player.play())
    }

    @Test func `plays every sample once and tells its delegate at the end`() async throws {
        let player = try player()
        player.play()
        audio.device.advance(by: 0.25)
        #expect(abs(player.currentTime - 0.25) < 0.001)
        #expect(player.isPlaying)
        audio.device.advance(by: 1)
        #expect(await delegate.calls.first(1) == ["finished true"])
        #expect(!player.isPlaying)
        #expect(player.currentTime == 0)
        #expect(audio.heard.count == 88_200)
        let loudest = zip(audio.heard, (0..<44_100).flatMap { [sine($0), sine($0)] }).map { abs($0 - $1) }.max()
        #expect(try #require(loudest) < 0.001)
        #expect(audio.device.outputs.first?.misses == 0)
        #expect(audio.service.methods == [.start, .stop])
    }

    @Test func `begins again after its end`() async throws {
        let player = try player(seconds: 0.2)
        player.play()
        audio.device.advance(by: 1)
        _ = await delegate.calls.first(1)
        #expect(player.play())
        audio.device.advance(by: 0.1)
        #expect(abs(player.currentTime - 0.1) < 0.001)
    }

    @Test func `pauses where it is`() throws {
        let player = try player()
        player.play()
        audio.device.advance(by: 0.3)
        player.pause()
        audio.device.advance(by: 5)
        #expect(!player.isPlaying)
        #expect(abs(player.currentTime - 0.3) < 0.001)
        player.play()
        audio.device.advance(by: 0.2)
        #expect(abs(player.currentTime - 0.5) < 0.001)
    }

    @Test func `gives up its stream when it is stopped and stays where it was`() throws {
        let player = try player()
        player.play()
        audio.device.advance(by: 0.3)
        player.stop()
        #expect(audio.device.outputs.isEmpty)
        #expect(abs(player.currentTime - 0.3) < 0.001)
        player.play()
        audio.device.advance(by: 0.1)
        #expect(abs(player.currentTime - 0.4) < 0.001)
    }

    @Test func `goes where it is told to, playing or not`() throws {
        let player = try player(seconds: 10)
        player.currentTime = 7
        #expect(player.currentTime == 7)
        player.play()
        audio.device.advance(by: 1)
        #expect(abs(player.currentTime - 8) < 0.001)
        player.currentTime = 2.5
        #expect(abs(player.currentTime - 2.5) < 0.001)
        audio.device.advance(by: 0.5)
        #expect(abs(player.currentTime - 3) < 0.001)
        player.currentTime = -4
        #expect(player.currentTime == 0)
        player.currentTime = .nan
        #expect(player.currentTime == 0)
    }

    @Test func `repeats as often as it is told to`() async throws {
        let player = try player(seconds: 0.5)
        player.numberOfLoops = 2
        player.play()
        audio.device.advance(by: 0.75)
        #expect(abs(player.currentTime - 0.25) < 0.001)
        audio.device.advance(by: 2)
        #expect(await delegate.calls.first(1) == ["finished true"])
        #expect(audio.heard.count == 3 * 44_100)
    }

    @Test func `repeats for ever where the number is negative`() throws {
        let player = try player(seconds: 0.5)
        player.numberOfLoops = -1
        player.play()
        audio.device.advance(by: 60.1)
        #expect(player.isPlaying)
        #expect(abs(player.currentTime - 0.1) < 0.001)
    }

    @Test func `is as loud as it is told to, and to the side`() throws {
        let player = try player(seconds: 2, channels: 1)
        player.volume = 0.5
        player.pan = 1
        player.play()
        audio.device.advance(by: 1)
        let heard = audio.heard.dropFirst(4_000)
        #expect(abs(peak(heard) - 0.25) < 0.01)
        #expect(peak(stride(from: 4_000, to: audio.heard.count, by: 2).map { audio.heard[$0] }) == 0)
    }

    @Test func `changes its volume soon, also when it has played for long`() throws {
        let player = try player(seconds: 60)
        player.play()
        audio.device.advance(by: 30)
        player.volume = 0
        audio.device.advance(by: 1)
        #expect(peak(audio.heard.suffix(44_100)) < 0.001)
        #expect(abs(player.currentTime - 31) < 0.001)
    }

    @Test func `fades`() throws {
        let player = try player(seconds: 10)
        player.setVolume(0, fadeDuration: 0)
        player.play()
        player.setVolume(1, fadeDuration: 4)
        audio.device.advance(by: 9)
        let loudness = (0..<9).map { second in
            peak(audio.heard[second * 88_200..<(second + 1) * 88_200].suffix(2_000))
        }
        #expect(loudness.prefix(4) == loudness.prefix(4).sorted()[...])
        #expect(abs(loudness[1] - 0.25) < 0.05)
        #expect(abs(loudness[8] - 0.5) < 0.01)
    }

    @Test(arguments: [0.5, 1.5, 2.0]) func `plays faster and slower at the same pitch`(_ rate: Double) async throws {
        let player = try player(seconds: 4)
        player.enableRate = true
        player.rate = Float(rate)
        player.play()
        audio.device.advance(by: 1)
        #expect(abs(player.currentTime - rate) < 0.05)
        #expect(abs(pitch(audio.heard, rate: 44_100) - 440) < 12)
        audio.device.advance(by: 10)
        _ = await delegate.calls.first(1)
        #expect(abs(Double(audio.heard.count) / 88_200 - 4 / rate) < 0.1)
    }

    @Test func `goes back to its usual speed without a jump`() throws {
        let player = try player(seconds: 20)
        player.enableRate = true
        player.rate = 2
        player.play()
        audio.device.advance(by: 3)
        player.rate = 1
        audio.device.advance(by: 2)
        #expect(abs(player.currentTime - 8) < 0.5)
        let before = player.currentTime
        audio.device.advance(by: 1)
        #expect(abs(player.currentTime - before - 1) < 0.001)
    }

    @Test func `waits for its moment`() throws {
        let player = try player()
        #expect(player.play(atTime: player.deviceCurrentTime + 5))
        #expect(player.isPlaying)
        audio.device.advance(by: 4.9)
        #expect(audio.device.outputs.isEmpty)
        audio.device.advance(by: 0.6)
        #expect(abs(player.currentTime - 0.5) < 0.001)
    }

    @Test func `has meters`() throws {
        let player = try player()
        #expect(player.averagePower(forChannel: 0) == -160)
        player.isMeteringEnabled = true
        player.play()
        audio.device.advance(by: 0.5)
        player.updateMeters()
        #expect(abs(player.peakPower(forChannel: 0) + 6.02) < 0.1)
        #expect(abs(player.averagePower(forChannel: 1) + 9.03) < 0.2)
        #expect(player.averagePower(forChannel: 7) == -160)
    }

    @Test func `stands still during an interruption and does not go on by itself`() async throws {
        let player = try player(seconds: 20)
        player.play()
        audio.device.advance(by: 2)
        await audio.service.tell(.interrupted(.other))
        #expect(!player.isPlaying)
        #expect(audio.device.outputs.first?.isRunning == false)
        await audio.service.tell(.interruptionEnded(shouldResume: true))
        audio.device.advance(by: 2)
        #expect(!player.isPlaying)
        #expect(abs(player.currentTime - 2) < 0.001)
        #expect(await delegate.calls.first(2) == ["interrupted", "interruption ended 1"])
        #expect(player.play())
    }

    @Test func `stands still when its headphones are taken away`() async throws {
        let player = try player(seconds: 20)
        player.play()
        audio.device.advance(by: 1)
        await audio.service.tell(
            .routeChanged(.oldDeviceUnavailable, previous: [AudioPort(.headphones, name: "H")], pauses: true))
        #expect(!player.isPlaying)
        #expect(delegate.calls.all == [])
    }

    @Test func `that did not play hears nothing of an interruption`() async throws {
        let player = try player()
        player.play()
        player.pause()
        await audio.service.tell(.interrupted(.other))
        await audio.service.tell(.interruptionEnded(shouldResume: true))
        #expect(delegate.calls.all == [])
    }

    @Test func `survives the sound server`() async throws {
        let player = try player(seconds: 5)
        player.play()
        audio.device.advance(by: 1)
        audio.device.setServer(isThere: false)
        audio.device.advance(by: 10)
        #expect(abs(player.currentTime - 1) < 0.001)
        audio.device.setServer(isThere: true)
        audio.device.advance(by: 1)
        #expect(abs(player.currentTime - 2) < 0.001)
        audio.device.advance(by: 4)
        #expect(await delegate.calls.first(1) == ["finished true"])
    }

    @Test func `ends with its object`() throws {
        weak var gone: AVAudioPlayer?
        do {
            let player = try player()
            player.play()
            gone = player
        }
        #expect(gone == nil)
        #expect(audio.device.outputs.isEmpty)
        #expect(audio.service.methods == [.start, .stop])
    }

    @Test func `plays what is in memory`() throws {
        let url = try makeSound(folder.file("a.ogg"), seconds: 2)
        let player = try audio.use { try AVAudioPlayer(data: Data(contentsOf: url)) }
        #expect(abs(player.duration - 2) < 0.01)
        #expect(player.url == nil)
        #expect(player.data != nil)
        player.play()
        audio.device.advance(by: 1)
        #expect(abs(pitch(audio.heard, rate: 44_100) - 440) < 5)
    }
}
