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

extension AVPlayerItem {
    /// It plays on without waiting, or never will, when this returns.
    fileprivate func isFed() async {
        await withCheckedContinuation { continuation in whenLikelyToKeepUp { continuation.resume() } }
    }
}

@Suite struct `A stream of HTTP` {
    let audio = AppAudio()
    let folder: Folder

    init() throws { folder = try Folder() }

    private func sound(_ name: String, seconds: Double) throws -> Data {
        try Data(contentsOf: makeSound(folder.file(name), seconds: seconds))
    }

    private func play(_ server: Server) -> (AVPlayer, AVPlayerItem, ItemPosts) {
        let item = AVPlayerItem(url: server.url)
        let posts = ItemPosts(item)
        let player = audio.use { AVPlayer(playerItem: item) }
        player.play()
        return (player, item, posts)
    }

    /// Where each request's range begins.
    private func firstBytes(_ server: Server) -> [Int] {
        server.requests.compactMap { head in
            head.lowercased().components(separatedBy: "range: bytes=").dropFirst().first.flatMap {
                Int($0.prefix { $0.isNumber })
            }
        }
    }

    /// Plays for so long. It begins with a second of samples, and a busy machine may be late with the next.
    private func listen(to player: AVPlayer, _ item: AVPlayerItem, for seconds: Double) async {
        let end = player.currentTime().seconds + seconds
        for _ in 0..<1000 where player.currentTime().seconds < end - 0.001 {
            await item.isFed()
            audio.device.advance(by: min(0.1, end - player.currentTime().seconds))
        }
    }

    /// Plays on until something was posted.
    private func playOn(_ item: AVPlayerItem, _ posts: ItemPosts, until name: String, seconds: Int = 60) async {
        for _ in 0..<seconds * 2 {
            await item.isFed()
            audio.device.advance(by: 0.5)
            await mainThreadIsDone()
            if posts.bell.all.contains(name) { return }
        }
        let why = item.error?.localizedDescription ?? "it is at \(item.currentTime().seconds) seconds"
        Issue.record("\(name) was not posted: \(why)")
    }

    @Test(arguments: ["a.wav", "a.flac", "a.mp3", "a.ogg", "a.opus", "a.aiff"], [true, false])
    func `is played to its end`(_ name: String, _ takesRanges: Bool) async throws {
        let rate = name == "a.opus" ? 48_000 : 44_100
        let url = try makeSound(folder.file(name), seconds: 4, rate: rate)
        let server = try Server(.init(body: Data(contentsOf: url), takesRanges: takesRanges))
        defer { server.close() }
        let (player, item, posts) = play(server)
        #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate || item.status == .readyToPlay)
        await item.isFed()
        #expect(item.status == .readyToPlay)
        #expect(player.timeControlStatus == .playing)
        #expect(abs(item.duration.seconds - 4) < 0.1)
        audio.device.advance(by: 0.5)
        #expect(abs(player.currentTime().seconds - 0.5) < 0.01)
        await playOn(item, posts, until: ItemPosts.end)
        #expect(abs(Double(audio.heard.count) / 2 / Double(rate) - 4) < 0.1)
        #expect(abs(pitch(audio.heard, rate: rate) - 440) < 5)
    }

    @Test func `is heard before all of it has come, and is fetched at once`() async throws {
        let body = try sound("a.wav", seconds: 10)
        let server = try Server(.init(body: body, holdsAt: body.count / 2))
        defer { server.close() }
        let (player, item, posts) = play(server)
        await listen(to: player, item, for: 2)
        #expect(abs(player.currentTime().seconds - 2) < 0.01)
        #expect(item.loadedFraction <= 0.51)
        let loaded = item.loadedTimeRanges.map(\.timeRangeValue)
        #expect(loaded.first?.start == .zero && (loaded.last?.end.seconds ?? 10) <= 5.1)
        // It may have to wait for the machine before; the last time it waits for the server.
        for _ in 0..<200 where player.timeControlStatus == .playing || player.currentTime().seconds < 3.9 {
            await item.isFed()
            audio.device.advance(by: 0.1)
            // That it waits is told there. What waits for the server is not fed before that lets go.
            await mainThreadIsDone()
        }
        #expect(posts.bell.all.contains(ItemPosts.stalled))
        #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        #expect(player.reasonForWaitingToPlay == .toMinimizeStalls)
        #expect(player.rate == 1)
        #expect(player.currentTime().seconds < 5.1)
        server.letGo()
        await playOn(item, posts, until: ItemPosts.end)
        #expect(audio.heard.count / 2 == 441_000)
        // A server that is silent for long is asked again, for what has not come.
        let starts = firstBytes(server)
        #expect(starts.first == 0)
        #expect(starts.dropFirst().allSatisfy { $0 >= body.count / 2 })
    }

    @Test func `goes on where it was when the network breaks`() async throws {
        let body = try sound("a.wav", seconds: 6)
        let server = try Server(.init(body: body, breaksAfter: 300_000, breaks: 2))
        defer { server.close() }
        let (player, item, posts) = play(server)
        await playOn(item, posts, until: ItemPosts.end)
        #expect(player.rate == 0)
        try #require(audio.heard.count / 2 == 6 * 44_100)
        let loudest = (0..<6 * 44_100).map { abs(audio.heard[$0 * 2] - sine($0)) }.max()
        #expect(try #require(loudest) < 0.001)
        let starts = firstBytes(server)
        #expect(starts.first == 0)
        #expect(starts.dropFirst().allSatisfy { $0 >= 300_000 })
    }

    @Test func `is sought in, also where it has not come`() async throws {
        let body = try sound("a.wav", seconds: 60)
        let server = try Server(.init(body: body, holdsAt: 1_000_000))
        defer { server.close() }
        let (player, item, _) = play(server)
        await item.isFed()
        #expect(await player.seek(to: CMTime(value: 50, timescale: 1)))
        #expect(player.currentTime().seconds == 50)
        await item.isFed()
        await listen(to: player, item, for: 1)
        #expect(abs(player.currentTime().seconds - 51) < 0.01)
        #expect(server.requests.count > 1)
    }

    @Test func `is found where the server sends it`() async throws {
        let server = try Server(.init(body: try sound("a.flac", seconds: 2), redirects: true))
        defer { server.close() }
        let (player, item, posts) = play(server)
        await playOn(item, posts, until: ItemPosts.end)
        #expect(item.status == .readyToPlay)
        #expect(player.rate == 0)
    }

    @Test(arguments: ["a.mp3", "a.flac", "a.wav"]) func `may have no length`(_ name: String) async throws {
        let server = try Server(.init(body: try sound(name, seconds: 3), takesRanges: false, saysLength: false))
        defer { server.close() }
        let (player, item, _) = play(server)
        await item.isFed()
        #expect(item.status == .readyToPlay, "\(item.error?.localizedDescription ?? "no reason")")
        await listen(to: player, item, for: 1)
        #expect(abs(player.currentTime().seconds - 1) < 0.01)
    }

    @Test(arguments: ["a.mp3", "a.flac", "a.wav", "a.ogg"])
    func `may have no end in sight`(_ name: String) async throws {
        let body = try sound(name, seconds: 16)
        let behaviour = Server.Behaviour(
            body: body, takesRanges: false, saysLength: false, holdsAt: body.count * 3 / 4)
        let server = try Server(behaviour)
        defer { server.close() }
        let (player, item, posts) = play(server)
        await item.isFed()
        #expect(item.status == .readyToPlay, "\(item.error?.localizedDescription ?? "no reason")")
        await listen(to: player, item, for: 1)
        #expect(abs(player.currentTime().seconds - 1) < 0.01)
        server.letGo()
        await playOn(item, posts, until: ItemPosts.end)
        #expect(abs(Double(audio.heard.count) / 88_200 - 16) < 0.1)
    }

    /// The index of the first comes last; the second has none.
    @Test(
        .enabled(if: MediaLibrary.isThere, Comment(rawValue: aacIsMissing)), arguments: ["a.m4a", "a.aac"],
        [true, false])
    func `of AAC is played to its end`(_ name: String, _ takesRanges: Bool) async throws {
        let server = try Server(.init(body: sound(name, seconds: 6), takesRanges: takesRanges))
        defer { server.close() }
        let (player, item, posts) = play(server)
        await item.isFed()
        #expect(item.status == .readyToPlay, "\(item.error?.localizedDescription ?? "no reason")")
        if name == "a.m4a" { #expect(item.duration.seconds == 6) } else { #expect(!item.duration.isNumeric) }
        audio.device.advance(by: 0.5)
        #expect(abs(player.currentTime().seconds - 0.5) < 0.01)
        await playOn(item, posts, until: ItemPosts.end)
        #expect(abs(Double(audio.heard.count) / 88_200 - 6) < 0.1)
        #expect(abs(pitch(audio.heard, rate: 44_100) - 440) < 10)
    }

    @Test(.enabled(if: MediaLibrary.isThere, Comment(rawValue: aacIsMissing))) func `of AAC is sought in`() async throws
    {
        let server = try Server(.init(body: sound("a.m4a", seconds: 30)))
        defer { server.close() }
        let (player, item, _) = play(server)
        await item.isFed()
        #expect(await player.seek(to: CMTime(seconds: 25, preferredTimescale: 1)))
        await item.isFed()
        await listen(to: player, item, for: 1)
        #expect(abs(player.currentTime().seconds - 26) < 0.02)
    }

    @Test(.enabled(if: MediaLibrary.isThere, Comment(rawValue: aacIsMissing)))
    func `of AAC may have no end in sight, as radio`() async throws {
        let body = try sound("a.aac", seconds: 16)
        let server = try Server(
            .init(body: body, takesRanges: false, saysLength: false, holdsAt: body.count * 3 / 4))
        defer { server.close() }
        let (player, item, posts) = play(server)
        await item.isFed()
        #expect(item.status == .readyToPlay, "\(item.error?.localizedDescription ?? "no reason")")
        await listen(to: player, item, for: 1)
        #expect(abs(player.currentTime().seconds - 1) < 0.01)
        server.letGo()
        await playOn(item, posts, until: ItemPosts.end)
        #expect(abs(Double(audio.heard.count) / 88_200 - 16) < 0.1)
    }

    @Test(.enabled(if: MediaLibrary.isThere, Comment(rawValue: aacIsMissing)))
    func `of AAC that is cut off fails with a sentence`() async throws {
        let whole = try sound("a.m4a", seconds: 2)
        let server = try Server(.init(body: whole.prefix(whole.count / 2)))
        defer { server.close() }
        let (_, item, _) = play(server)
        await item.isFed()
        #expect(item.status == .failed)
        #expect((item.error as? AVError)?.code == .fileFailedToParse)
        #expect(item.error?.localizedDescription.contains("cut off") == true)
    }

    @Test func `fails with a sentence`() async throws {
        let answers: [(Server.Behaviour, String)] = [
            (.init(body: Data("gone".utf8), status: 404), "answers 404"),
            (.init(body: Data("<html>Please log in</html>".utf8), type: "text/html"), "in no format"),
            (.init(body: Data("#EXTM3U\n#EXT-X-VERSION:3\n".utf8)), "HLS"),
            (.init(body: Data(), takesRanges: false), "in no format"),
        ]
        for (behaviour, words) in answers {
            let server = try Server(behaviour)
            defer { server.close() }
            let (player, item, _) = play(server)
            await item.isFed()
            #expect(item.status == .failed)
            let sentence = item.error?.localizedDescription ?? ""
            #expect(sentence.contains(words), "\(sentence)")
            #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
        }
    }

    @Test func `fails where nobody answers`() async throws {
        let server = try Server(.init())
        server.close()
        let (player, item, _) = play(server)
        await item.isFed()
        #expect(player.timeControlStatus != .playing)
        #expect(item.status == .failed)
        #expect(item.error?.localizedDescription.contains("does not answer") == true)
    }

    @Test func `is given up with its player`() async throws {
        let body = try sound("a.wav", seconds: 30)
        let server = try Server(.init(body: body, holdsAt: 1_000))
        defer { server.close() }
        weak var gone: AVPlayerItem?
        do {
            let (player, item, _) = play(server)
            gone = item
            withExtendedLifetime(player) {}
        }
        // What was on its way there holds it no longer.
        await mainThreadIsDone()
        #expect(gone == nil)
    }
}
