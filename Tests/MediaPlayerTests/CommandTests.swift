import AudioClient
import AudioModel
import AudioTesting
import Foundation
import MediaPlayer
import Testing

@MainActor @Suite struct `The command center` {
    private let service = FakeService()
    private let client: AudioClient
    private let center: MPRemoteCommandCenter

    init() {
        client = service.client()
        client.start()
        center = MPRemoteCommandCenter(client)
    }

    @Test func `is one for the app`() {
        #expect(MPRemoteCommandCenter.shared() === MPRemoteCommandCenter.shared())
    }

    @Test func `obeys what has a target and is enabled`() {
        let token = center.playCommand.addTarget { _ in .success }
        center.pauseCommand.addTarget { _ in .success }
        center.nextTrackCommand.isEnabled = false
        center.nextTrackCommand.addTarget { _ in .success }
        #expect(service.obeyed == [["play"], ["play", "pause"]])
        center.nextTrackCommand.isEnabled = true
        center.pauseCommand.isEnabled = false
        center.playCommand.removeTarget(token)
        center.nextTrackCommand.removeTarget(nil)
        #expect(
            service.obeyed.dropFirst(2) == [["play", "pause", "next"], ["play", "next"], ["next"], []])
    }

    @Test func `calls the target and answers what it says`() async {
        var status = MPRemoteCommandHandlerStatus.success
        var events: [MPRemoteCommandEvent] = []
        center.playCommand.addTarget { event in
            events.append(event)
            return status
        }
        #expect(await service.press(.play) == .success)
        #expect(events.first?.command === center.playCommand)
        #expect((events.first?.timestamp ?? 0) > 0)
        let words: [(MPRemoteCommandHandlerStatus, Int, AudioCommandStatus)] = [
            (.noSuchContent, 100, .noSuchContent), (.noActionableNowPlayingItem, 110, .noActionableItem),
            (.deviceNotFound, 120, .deviceNotFound), (.commandFailed, 200, .failed),
        ]
        for (word, number, answer) in words {
            status = word
            #expect(word.rawValue == number)
            #expect(await service.press(.play) == answer)
        }
        #expect(await service.press(.stop) == .failed)
    }

    @Test func `gives each event its value`() async {
        var seen: [String] = []
        func note(_ command: MPRemoteCommand, _ words: @escaping (MPRemoteCommandEvent) -> String) {
            command.addTarget { event in
                seen.append(words(event))
                return .success
            }
        }
        note(center.skipForwardCommand) { "skip \(($0 as? MPSkipIntervalCommandEvent)?.interval ?? -1)" }
        note(center.skipBackwardCommand) { "back \(($0 as? MPSkipIntervalCommandEvent)?.interval ?? -1)" }
        note(center.changePlaybackPositionCommand) {
            "to \(($0 as? MPChangePlaybackPositionCommandEvent)?.positionTime ?? -1)"
        }
        note(center.changePlaybackRateCommand) {
            "rate \(($0 as? MPChangePlaybackRateCommandEvent)?.playbackRate ?? -1)"
        }
        note(center.ratingCommand) { "rating \(($0 as? MPRatingCommandEvent)?.rating ?? -1)" }
        note(center.changeShuffleModeCommand) {
            "shuffle \((($0 as? MPChangeShuffleModeCommandEvent)?.shuffleType).map { "\($0)" } ?? "none")"
        }
        note(center.changeRepeatModeCommand) {
            "repeat \((($0 as? MPChangeRepeatModeCommandEvent)?.repeatType).map { "\($0)" } ?? "none")"
        }
        note(center.seekForwardCommand) {
            "seek \((($0 as? MPSeekCommandEvent)?.type).map { "\($0)" } ?? "none")"
        }
        note(center.likeCommand) { "like \(($0 as? MPFeedbackCommandEvent)?.isNegative ?? true)" }
        center.skipForwardCommand.preferredIntervals = [30, 60]
        let commands: [AudioCommand] = [
            .skipForward(10), .skipForward(0), .skipBackward(15), .seek(61.5), .rate(1.5), .rating(0.5), .shuffle(true),
            .repeats(.one), .beginSeekingForward, .endSeekingForward, .like,
        ]
        for command in commands { #expect(await service.press(command) == .success) }
        #expect(
            seen == [
                "skip 10.0", "skip 30.0", "back 15.0", "to 61.5", "rate 1.5", "rating 0.5", "shuffle items",
                "repeat one", "seek beginSeeking", "seek endSeeking", "like false",
            ])
    }

    @Test func `says what buttons skip by, while the app obeys them`() {
        client.nowPlaying.title = "Song"
        center.skipForwardCommand.preferredIntervals = [30, 60]
        #expect(service.nowPlaying.compactMap(\.skipForward) == [], "nothing obeys it yet")
        center.skipForwardCommand.addTarget { _ in .success }
        #expect(service.nowPlaying.last?.skipForward == 30 && service.nowPlaying.last?.title == "Song")
        center.skipBackwardCommand.addTarget { _ in .success }
        #expect(service.nowPlaying.last?.skipBackward == nil, "it names none")
        center.skipBackwardCommand.preferredIntervals = [15]
        #expect(service.nowPlaying.last?.skipBackward == 15 && service.nowPlaying.last?.skipForward == 30)
        // What plays next keeps them.
        client.nowPlaying.title = "Another"
        #expect(service.nowPlaying.last?.title == "Another" && service.nowPlaying.last?.skipForward == 30)
        let count = service.nowPlaying.count
        center.skipForwardCommand.preferredIntervals = [30]
        #expect(service.nowPlaying.count == count)
        center.skipForwardCommand.isEnabled = false
        #expect(service.nowPlaying.last?.skipForward == nil && service.nowPlaying.last?.skipBackward == 15)
        center.skipBackwardCommand.preferredIntervals = [NSNumber(value: -1)]
        #expect(service.nowPlaying.last?.skipBackward == nil)
    }

    private final class Player {
        var calls = 0
        func play(_ event: MPRemoteCommandEvent) -> MPRemoteCommandHandlerStatus {
            calls += 1
            return .success
        }
    }

    @Test func `calls methods of objects, which it does not keep`() async {
        var player: Player? = Player()
        let action = MPRemoteCommand.Action("play", Player.play)
        if let player { center.playCommand.addTarget(player, action: action) }
        #expect(await service.press(.play) == .success)
        #expect(player?.calls == 1)
        if let player { center.playCommand.removeTarget(player, action: .init("pause", Player.play)) }
        #expect(await service.press(.play) == .success)
        if let player { center.playCommand.removeTarget(player, action: action) }
        #expect(await service.press(.play) == .failed)
        if let player { center.playCommand.addTarget(player, action: action) }
        player = nil
        #expect(await service.press(.play) == .failed)
    }

    @Test func `takes the one button of a headset for play and pause`() async {
        var seen: [String] = []
        center.playCommand.addTarget { _ in
            seen.append("play")
            return .success
        }
        center.pauseCommand.addTarget { _ in
            seen.append("pause")
            return .success
        }
        #expect(await service.press(.toggle) == .success)
        MPNowPlayingInfoCenter(client).playbackState = .playing
        #expect(await service.press(.toggle) == .success)
        #expect(seen == ["play", "pause"])
    }

    @Test func `leaves to the responder chain what has no target`() async {
        let chain = Chain()
        client.use(events: chain)
        center.playCommand.addTarget { _ in .noSuchContent }
        #expect(await service.press(.play) == .noSuchContent)
        #expect(await service.press(.next) == .success)
        #expect(chain.commands == [.next])
    }

    private final class Chain: AudioCommandHandler {
        var commands: [AudioCommand] = []
        func perform(_ command: AudioCommand) -> AudioCommandStatus? {
            commands.append(command)
            return .success
        }
    }

    @Test func `forgets its targets with the app`() async {
        center.playCommand.addTarget { _ in .success }
        center.pauseCommand.isEnabled = false
        client.reset()
        client.start()
        #expect(center.pauseCommand.isEnabled)
        #expect(await service.press(.play) == .failed)
    }
}
