import AVFoundation
import AudioModel
import AudioTesting
import CoreMedia
import Foundation
import IOSFoundation
import Testing

@Suite struct `What is observed of a player` {
    let audio = AppAudio()
    let folder: Folder

    init() throws { folder = try Folder() }

    private func item(_ name: String = "a.wav") throws -> AVPlayerItem {
        AVPlayerItem(url: try makeSound(folder.file(name), seconds: 2))
    }

    @Test func `is told on the main thread when it changes, and once`() async throws {
        let player = audio.use { AVPlayer(playerItem: nil) }
        let (rates, states) = (Bell<Float>(), Bell<AVPlayer.TimeControlStatus>())
        let first = player.observe(\.rate, named: "rate", options: [.new]) { _, change in
            dispatchPrecondition(condition: .onQueue(.main))
            rates.ring(change.newValue ?? -1)
        }
        let second = player.observe(\.timeControlStatus, named: "timeControlStatus", options: [.initial, .new]) {
            states.ring($1.newValue ?? .waitingToPlayAtSpecifiedRate)
        }
        player.replaceCurrentItem(with: try item())
        player.play()
        #expect(await states.first(2) == [.paused, .playing])
        player.volume = 0.5
        player.pause()
        #expect(await rates.first(2) == [1, 0])
        #expect(await states.first(3) == [.paused, .playing, .paused])
        first.invalidate()
        second.invalidate()
        #expect(rates.all == [1, 0])
    }

    @Test func `of its item goes on with the next item`() async throws {
        let (one, other) = (try item("a.wav"), AVPlayerItem(url: folder.file("missing.wav")))
        let player = audio.use { AVPlayer(playerItem: nil) }
        let states = Bell<String>()
        let observation = player.observe(
            \.currentItem?.status, named: "currentItem.status", options: [.initial, .new]
        ) { _, change in
            states.ring((change.newValue ?? nil).map { "\($0)" } ?? "none")
        }
        player.replaceCurrentItem(with: one)
        #expect(await states.first(2) == ["none", "readyToPlay"])
        player.replaceCurrentItem(with: other)
        #expect(await states.first(3) == ["none", "readyToPlay", "failed"])
        observation.invalidate()
    }

    private final class Listener: NSObject, NSKeyValueObserver, Sendable {
        let bell = Bell<String>()

        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            // As iOS code reads it.
            let number = change?[.newKey] as? NSNumber
            bell.ring("\(keyPath ?? "") \(number.map { "\($0.intValue)" } ?? "no number")")
        }
    }

    @Test func `comes as numbers where it is observed by name`() async throws {
        let (item, listener) = (try item(), Listener())
        unsafe item.addObserver(listener, forKeyPath: "status", options: [.initial, .new], context: nil)
        unsafe item.addObserver(listener, forKeyPath: "playbackLikelyToKeepUp", options: .new, context: nil)
        let player = audio.use { AVPlayer(playerItem: item) }
        let heard = await listener.bell.first(3)
        #expect(heard.first == "status 0")
        #expect(Set(heard.dropFirst()) == ["status 1", "playbackLikelyToKeepUp 1"])
        item.removeObserver(listener, forKeyPath: "status")
        item.removeObserver(listener, forKeyPath: "playbackLikelyToKeepUp")
        withExtendedLifetime(player) {}
    }

    @Test func `of the session is the device's volume`() async throws {
        let volumes = Bell<Float>()
        let session = audio.use { AVAudioSession.sharedInstance() }
        let observation = session.observe(\.outputVolume, named: "outputVolume", options: [.initial, .new]) {
            volumes.ring($1.newValue ?? -1)
        }
        audio.service.surround { $0.volume = 0.75 }
        let heard = await volumes.first(2)
        #expect(heard == [0.5, 0.75])
        observation.invalidate()
    }
}
