import AudioClient
import AudioModel
import AudioTesting
import Foundation
import MediaPlayer
import Testing

@Suite struct `The now playing center` {
    private let service = FakeService()
    private let center: MPNowPlayingInfoCenter
    private let client: AudioClient

    init() {
        client = service.client()
        client.start()
        center = MPNowPlayingInfoCenter(client)
    }

    /// A PNG of one pixel, as far as it is read.
    private func image(_ last: UInt8) throws -> UIImage {
        let head: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
        return try #require(UIImage(data: Data(head + [0, 0, 0, 1, 0, 0, 0, 1, last])))
    }

    @Test func `says what plays`() throws {
        center.nowPlayingInfo = [
            MPMediaItemPropertyTitle: "Song", MPMediaItemPropertyArtist: "Band", MPMediaItemPropertyAlbumTitle: "Album",
            MPMediaItemPropertyGenre: "Rock", MPMediaItemPropertyPlaybackDuration: 180,
            MPNowPlayingInfoPropertyElapsedPlaybackTime: NSNumber(value: 12.5),
            MPNowPlayingInfoPropertyPlaybackRate: Float(1), MPMediaItemPropertyAlbumTrackNumber: 3,
            MPMediaItemPropertyAlbumTrackCount: 11, MPNowPlayingInfoPropertyIsLiveStream: true,
        ]
        var expected = NowPlaying()
        (expected.title, expected.artist, expected.album, expected.genre) = ("Song", "Band", "Album", "Rock")
        (expected.duration, expected.elapsed, expected.rate) = (180, 12.5, 1)
        (expected.track, expected.trackCount, expected.isLive) = (3, 11, true)
        #expect(service.nowPlaying == [expected])
        #expect(center.nowPlayingInfo?[MPMediaItemPropertyTitle] as? String == "Song")
        center.playbackState = .paused
        #expect(service.nowPlaying.last?.state == .paused)
        #expect(service.nowPlaying.last?.title == "Song")
        center.nowPlayingInfo = nil
        center.playbackState = .unknown
        #expect(service.nowPlaying.last == NowPlaying())
    }

    @Test func `says the same only once`() {
        center.nowPlayingInfo = [MPMediaItemPropertyTitle: "Song"]
        center.nowPlayingInfo = [MPMediaItemPropertyTitle: "Song"]
        #expect(service.nowPlaying.count == 1)
    }

    @Test func `leaves out what is no number and cuts what is too long`() {
        center.nowPlayingInfo = [
            MPMediaItemPropertyTitle: String(repeating: "x", count: 10_000),
            MPMediaItemPropertyPlaybackDuration: Double.infinity, MPNowPlayingInfoPropertyPlaybackRate: "fast",
        ]
        #expect((service.nowPlaying.last?.title?.utf8.count ?? 0) <= NowPlaying.longestText)
        #expect(service.nowPlaying.last?.duration == nil)
        #expect(service.nowPlaying.last?.rate == nil)
    }

    @Test func `writes its picture to a file, one at a time`() throws {
        let (first, second) = (try image(1), try image(2))
        let artwork = MPMediaItemArtwork(boundsSize: first.size) { _ in first }
        center.nowPlayingInfo = [MPMediaItemPropertyTitle: "A", MPMediaItemPropertyArtwork: artwork]
        let path = try #require(service.nowPlaying.last?.artwork)
        #expect(FileManager.default.contents(atPath: path) == first.pngData())
        center.nowPlayingInfo = [
            MPMediaItemPropertyTitle: "A",
            MPMediaItemPropertyArtwork: MPMediaItemArtwork(boundsSize: first.size) { _ in first },
        ]
        #expect(service.nowPlaying.count == 1)
        center.nowPlayingInfo = [
            MPMediaItemPropertyTitle: "A",
            MPMediaItemPropertyArtwork: MPMediaItemArtwork(boundsSize: second.size) { _ in second },
        ]
        let next = try #require(service.nowPlaying.last?.artwork)
        #expect(next != path)
        #expect(!FileManager.default.fileExists(atPath: path))
        client.reset()
        #expect(!FileManager.default.fileExists(atPath: next))
        #expect(center.nowPlayingInfo == nil)
    }

    @Test func `hands a JPEG on as it is`() throws {
        let photo = Data([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 2, 0, 3, 1, 1, 0x11, 0, 0xff, 0xd9])
        let image = try #require(UIImage(data: photo))
        center.nowPlayingInfo = [
            MPMediaItemPropertyArtwork: MPMediaItemArtwork(boundsSize: image.size) { _ in image }
        ]
        let path = try #require(service.nowPlaying.last?.artwork)
        #expect(path.hasSuffix(".jpg") && FileManager.default.contents(atPath: path) == photo)
        client.reset()
    }

    @Test func `has Apple's keys`() {
        #expect(MPMediaItemPropertyTitle == "title")
        #expect(MPMediaItemPropertyPlaybackDuration == "playbackDuration")
        #expect(MPNowPlayingInfoPropertyPlaybackRate == "MPNowPlayingInfoPropertyPlaybackRate")
        #expect(MPMediaType.anyVideo.contains(.movie))
        #expect(MPNowPlayingPlaybackState.interrupted.rawValue == 4)
    }
}
