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
        // It may be seen while it begins.
        #expect(await states.until(.playing).filter { $0 != .waitingToPlayAtSpecifiedRate } == [.paused, .playing])
        player.volume = 0.5
        player.pause()
        #expect(await rates.until(0) == [1, 0])
        #expect(await states.until(.paused, after: 1).last == .paused)
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
        _ = await states.until("readyToPlay")
        player.replaceCurrentItem(with: other)
        // It may be seen while it is opened.
        #expect(await states.until("failed").filter { $0 != "unknown" } == ["none", "readyToPlay", "failed"])
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

    @Test func `of what has come are ranges of times`() async throws {
        let item = try item()
        let ranges = Bell<CMTimeRange>()
        let observation = item.observe(\.loadedTimeRanges, named: "loadedTimeRanges", options: [.new]) { item, _ in
            if let range = item.loadedTimeRanges.first?.timeRangeValue { ranges.ring(range) }
        }
        #expect(item.loadedTimeRanges.isEmpty && item.seekableTimeRanges.isEmpty)
        let player = audio.use { AVPlayer(playerItem: item) }
        let heard = await ranges.first(1)
        #expect(heard == [CMTimeRange(start: .zero, duration: CMTime(value: 2, timescale: 1))])
        #expect(item.seekableTimeRanges == item.loadedTimeRanges)
        observation.invalidate()
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

extension Bell where Value: Equatable {
    /// What has come until a value has, not counting the first ones.
    fileprivate func until(_ value: Value, after count: Int = 0) async -> [Value] {
        var heard = await first(count + 1)
        while heard.dropFirst(count).last != value {
            heard = Array(await first(heard.count + 1).prefix(heard.count + 1))
        }
        return heard
    }
}
