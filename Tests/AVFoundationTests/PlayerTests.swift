import AVFAudio
import AVFoundation
import AudioDevices
import AudioModel
import AudioTesting
import AudioWire
import CoreMedia
import Foundation
import Synchronization
import Testing

/// What was posted about an item.
final class ItemPosts: @unchecked Sendable {  // The tokens are only given back.
    let bell = Bell<String>()
    private var tokens: [any NSObjectProtocol] = []

    init(_ item: AVPlayerItem?) {
        for name: NSNotification.Name in [
            .AVPlayerItemDidPlayToEndTime, .AVPlayerItemFailedToPlayToEndTime, .AVPlayerItemPlaybackStalled,
        ] {
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: item, queue: nil) { [bell] note in
                    bell.ring(note.name.rawValue)
                })
        }
    }

    deinit { tokens.forEach(NotificationCenter.default.removeObserver) }

    static let end = NSNotification.Name.AVPlayerItemDidPlayToEndTime.rawValue
    static let failed = NSNotification.Name.AVPlayerItemFailedToPlayToEndTime.rawValue
    static let stalled = NSNotification.Name.AVPlayerItemPlaybackStalled.rawValue
}

@Suite struct `A player of items` {
    let audio = AppAudio()
    let folder: Folder

    init() throws { folder = try Folder() }

    private func item(_ name: String = "a.wav", seconds: Double = 2, hertz: Double = 440) throws -> AVPlayerItem {
        AVPlayerItem(url: try makeSound(folder.file(name), seconds: seconds, hertz: hertz))
    }

    private func player(_ item: AVPlayerItem?) -> AVPlayer { audio.use { AVPlayer(playerItem: item) } }

    @Test func `plays a file and tells of its end`() async throws {
        let item = try item()
        let posts = ItemPosts(item)
        let player = player(item)
        #expect(item.status == .readyToPlay)
        #expect(item.duration == CMTime(value: 2, timescale: 1))
        #expect(player.timeControlStatus == .paused)
        player.play()
        #expect(player.rate == 1)
        #expect(player.timeControlStatus == .playing)
        audio.device.advance(by: 1)
        #expect(abs(player.currentTime().seconds - 1) < 0.001)
        audio.device.advance(by: 2)
        #expect(await posts.bell.first(1) == [ItemPosts.end])
        #expect(player.rate == 0)
        #expect(audio.heard.count == 2 * 88_200)
        #expect(audio.service.methods == [.start, .stop])
    }

    @Test func `pauses, seeks and plays on`() async throws {
        let player = player(try item(seconds: 20))
        player.play()
        audio.device.advance(by: 1)
        player.pause()
        audio.device.advance(by: 5)
        #expect(abs(player.currentTime().seconds - 1) < 0.001)
        #expect(await player.seek(to: CMTime(seconds: 10, preferredTimescale: 600)))
        #expect(player.currentTime().seconds == 10)
        player.play()
        audio.device.advance(by: 2)
        #expect(abs(player.currentTime().seconds - 12) < 0.001)
    }

    @Test func `goes where it is told to before it has an item that is open`() throws {
        let item = try item(seconds: 20)
        item.seek(to: CMTime(value: 5, timescale: 1))
        #expect(item.currentTime().seconds == 5)
        let player = player(item)
        #expect(player.currentTime().seconds == 5)
        player.play()
        audio.device.advance(by: 1)
        #expect(abs(player.currentTime().seconds - 6) < 0.001)
    }

    @Test func `plays at another rate, softer, or not at all`() throws {
        let player = player(try item(seconds: 20))
        player.defaultRate = 1.5
        player.volume = 0.5
        player.play()
        #expect(player.rate == 1.5)
        audio.device.advance(by: 2)
        #expect(abs(player.currentTime().seconds - 3) < 0.05)
        #expect(abs(pitch(audio.heard, rate: 44_100) - 440) < 12)
        #expect(abs(peak(audio.heard.suffix(10_000)) - 0.25) < 0.02)
        player.isMuted = true
        audio.device.advance(by: 1)
        #expect(peak(audio.heard.suffix(10_000)) < 0.001)
        #expect(player.volume == 0.5)
        player.rate = -1
        #expect(player.rate == 0)
    }

    @Test func `calls its observers as time passes`() async throws {
        let player = player(try item(seconds: 20))
        let (periodic, boundary) = (Bell<Double>(), Bell<Int>())
        let queue = DispatchQueue(label: "observer")
        let token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 2), queue: queue) {
            periodic.ring($0.seconds)
        }
        let other = player.addBoundaryTimeObserver(
            forTimes: [1, 12].map { CMBoxedTime(time: CMTime(value: $0, timescale: 1)) }, queue: nil
        ) { boundary.ring(1) }
        audio.device.advance(by: 5)
        #expect(periodic.all.isEmpty)
        player.play()
        audio.device.advance(by: 2.1)
        let times = await periodic.first(4)
        #expect(times.map { ($0 * 2).rounded() / 2 } == [0.5, 1, 1.5, 2])
        #expect(await boundary.first(1).count == 1)
        await player.seek(to: CMTime(value: 11, timescale: 1))
        audio.device.advance(by: 2)
        #expect(await boundary.first(2).count == 2)
        player.removeTimeObserver(token)
        player.removeTimeObserver(other)
        let count = queue.sync { periodic.all.count }
        audio.device.advance(by: 3)
        #expect(queue.sync { periodic.all.count } == count)
    }

    @Test func `pauses during an interruption and does not go on by itself`() async throws {
        let player = player(try item(seconds: 20))
        player.play()
        audio.device.advance(by: 1)
        await audio.service.tell(.interrupted(.other))
        #expect(player.rate == 0)
        #expect(player.timeControlStatus == .paused)
        await audio.service.tell(.interruptionEnded(shouldResume: true))
        audio.device.advance(by: 2)
        #expect(abs(player.currentTime().seconds - 1) < 0.001)
        player.play()
        #expect(player.timeControlStatus == .playing)
    }

    @Test func `stays where it is when the service refuses`() throws {
        audio.service.refuse(.start, .cannotStartPlaying)
        let player = player(try item())
        player.play()
        #expect(player.rate == 0)
        #expect(audio.device.outputs.isEmpty)
    }

    @Test func `says why an item cannot be played`() throws {
        let url = folder.file("a.webm")
        try Data([0x1a, 0x45, 0xdf, 0xa3] + [UInt8](repeating: 0, count: 100)).write(to: url)
        let item = AVPlayerItem(url: url)
        let player = player(item)
        #expect(item.status == .failed)
        #expect(item.error?.localizedDescription.contains("WebM") == true)
        #expect((item.error as? AVError)?.code == .fileFormatNotRecognized)
        player.play()
        #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        #expect(audio.device.outputs.isEmpty)
        #expect(AVPlayerItem(url: folder.file("none.wav")).status == .unknown)
    }

    @Test func `plays another item`() throws {
        let (first, second) = (try item("a.wav"), try item("b.wav", seconds: 5, hertz: 880))
        let player = player(first)
        player.play()
        audio.device.advance(by: 0.5)
        player.replaceCurrentItem(with: second)
        #expect(audio.device.outputs.count == 1)
        audio.device.advance(by: 1)
        #expect(abs(pitch(audio.heard, rate: 44_100) - 880) < 5)
        #expect(abs(first.currentTime().seconds - 0.5) < 0.001)
        player.replaceCurrentItem(with: nil)
        #expect(audio.device.outputs.isEmpty)
        #expect(player.currentTime() == .zero)
        #expect(player.reasonForWaitingToPlay == .noItemToPlay)
    }

    @Test func `plays a queue`() async throws {
        let items = try (0..<3).map { try item("\($0).wav", seconds: 1) }
        let posts = items.map(ItemPosts.init)
        let player = audio.use { AVQueuePlayer(items: Array(items.prefix(2))) }
        player.insert(items[2], after: items[0])
        #expect(player.items() == [items[0], items[2], items[1]])
        #expect(!player.canInsert(items[1], after: nil))
        player.play()
        audio.device.advance(by: 1.5)
        #expect(player.currentItem === items[2])
        #expect(player.rate == 1)
        audio.device.advance(by: 3)
        for post in posts { #expect(await post.bell.first(1) == [ItemPosts.end]) }
        #expect(player.items().isEmpty)
        player.insert(items[0], after: nil)
        #expect(player.currentItem === items[0])
        player.removeAllItems()
        #expect(player.currentItem == nil)
    }

    @Test func `ends with its object`() async throws {
        do {
            let player = player(try item())
            player.play()
            audio.device.advance(by: 0.5)
        }
        let end = ContinuousClock.now + .seconds(20)
        // The thread that decodes may hold the player for a moment longer, and says nothing when it lets go.
        while !audio.device.outputs.isEmpty, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
        #expect(audio.device.outputs.isEmpty)
    }
}

@Suite struct `Times` {
    @Test func `are fractions`() {
        let time = CMTimeMake(value: 1, timescale: 3)
        #expect(time + time + time == CMTime(value: 1, timescale: 1))
        #expect(CMTime(value: 600, timescale: 600) == CMTime(value: 1, timescale: 1))
        #expect(CMTime(seconds: 1.5, preferredTimescale: 600).value == 900)
        #expect(CMTimeGetSeconds(CMTime(value: 5, timescale: 2)) == 2.5)
        #expect(CMTime(value: 1, timescale: 2) < CMTime(value: 2, timescale: 3))
        #expect(CMTime(value: 3, timescale: 1) - CMTime(value: 1, timescale: 2) == CMTime(value: 5, timescale: 2))
        #expect(CMTime(value: 3, timescale: 2).convertScale(1, method: .default).value == 2)
    }

    @Test func `may be none`() {
        #expect(!CMTime.invalid.isValid)
        #expect(CMTime.indefinite.seconds.isNaN)
        #expect(CMTime(seconds: .nan, preferredTimescale: 1) == .invalid)
        #expect(CMTime(seconds: .infinity, preferredTimescale: 1) == .positiveInfinity)
        #expect(CMTime(value: 1, timescale: 0) == .invalid)
        #expect(CMTime.zero < .positiveInfinity)
        #expect(CMTime.negativeInfinity < .zero)
        #expect((CMTime.zero + .indefinite).isIndefinite)
        #expect(CMTime(value: .max, timescale: 1) + CMTime(value: .max, timescale: 1) == .positiveInfinity)
    }
}
