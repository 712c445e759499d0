import AVFAudio
import AudioClient
import AudioDevices
import AudioModel
import AudioTesting
import AudioWire
import Foundation
import Synchronization
import Testing
import Wire

/// What was posted about a session.
private final class Posts: @unchecked Sendable {  // The token is only given back.
    let bell = Bell<[String: Int]>()
    let routes = Bell<[String]>()
    private var token: (any NSObjectProtocol)?

    init(_ name: Notification.Name, _ session: AVAudioSession) {
        token = NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) {
            [bell, routes] note in
            var info: [String: Int] = [:]
            for (key, value) in note.userInfo ?? [:] {
                if let key = key as? String {
                    info[key] = (value as? UInt).map { Int($0) } ?? (value as? Bool == true ? 1 : 0)
                }
            }
            let previous = note.userInfo?[AVAudioSessionRouteChangePreviousRouteKey] as? AVAudioSessionRouteDescription
            if let previous { routes.ring(previous.outputs.map(\.portType.rawValue)) }
            bell.ring(info)
        }
    }

    deinit { token.map(NotificationCenter.default.removeObserver) }
}

@Suite struct `The session` {
    let audio = AppAudio()
    var session: AVAudioSession { audio.session }

    @Test func `is one for the app`() {
        audio.use { #expect(AVAudioSession.sharedInstance() === AVAudioSession.sharedInstance()) }
        #expect(session.category == .soloAmbient)
        #expect(session.mode == .default)
    }

    @Test(arguments: [
        (AVAudioSession.Category.ambient, "AVAudioSessionCategoryAmbient"),
        (.soloAmbient, "AVAudioSessionCategorySoloAmbient"),
        (.playback, "AVAudioSessionCategoryPlayback"), (.record, "AVAudioSessionCategoryRecord"),
        (.playAndRecord, "AVAudioSessionCategoryPlayAndRecord"), (.multiRoute, "AVAudioSessionCategoryMultiRoute"),
    ])
    func `takes each category by Apple's name`(_ category: AVAudioSession.Category, _ name: String) throws {
        #expect(category.rawValue == name)
        try session.setCategory(category)
        #expect(session.category == category)
        #expect(session.availableCategories.contains(category))
    }

    @Test func `tells the service what it is for`() throws {
        try session.setCategory(
            .playback, mode: .spokenAudio, options: [.interruptSpokenAudioAndMixWithOthers, .duckOthers])
        let settings = try AudioSettings(json: #require(audio.service.params(.set).last))
        #expect(settings.category == .playback)
        #expect(settings.mode == .spokenAudio)
        #expect(settings.ducks && settings.interruptsSpeech)
        #expect(session.categoryOptions.rawValue == 0x13)
        try session.setMode(.default)
        #expect(session.categoryOptions.rawValue == 0x13)
        try session.setCategory(.playback, mode: .default, policy: .longFormAudio)
        #expect(session.routeSharingPolicy == .longFormAudio)
        #expect(session.categoryOptions == [])
    }

    @Test func `refuses what contradicts itself, with Apple's number and a sentence`() throws {
        let mixing = try #require(throws: NSError.self) {
            try session.setCategory(.soloAmbient, options: .mixWithOthers)
        }
        #expect(mixing.code == AVAudioSession.ErrorCode.badParam.rawValue)
        #expect(mixing.domain == NSOSStatusErrorDomain)
        #expect(mixing.localizedDescription.contains("does not mix"))
        #expect(throws: NSError.self) { try session.setCategory(.init(rawValue: "Karaoke")) }
        #expect(throws: NSError.self) { try session.setMode(.voiceChat) }
        #expect(session.category == .soloAmbient)
    }

    @Test func `is activated and deactivated`() async throws {
        try session.setActive(true)
        try session.setActive(false, options: .notifyOthersOnDeactivation)
        #expect(try await session.activate(options: []))
        #expect(audio.service.methods == [.activate, .deactivate, .activate])
        #expect(audio.service.params(.deactivate).first?["notifies"] == true)
    }

    @Test(arguments: [
        (AudioErrorCode.cannotInterruptOthers, AVAudioSession.ErrorCode.cannotInterruptOthers, 560_557_684),
        (.insufficientPriority, .insufficientPriority, 561_017_449),
        (.cannotStartPlaying, .cannotStartPlaying, 561_015_905),
        (.isBusy, .isBusy, 560_030_580), (.cannotStartRecording, .cannotStartRecording, 561_145_187),
        (.missingEntitlement, .missingEntitlement, 1_701_737_535), (.unspecified, .unspecified, 2_003_329_396),
        (.resourceNotAvailable, .resourceNotAvailable, 561_145_203),
    ])
    func `throws Apple's numbers where the service refuses`(
        _ code: AudioErrorCode, _ name: AVAudioSession.ErrorCode, _ number: Int
    ) throws {
        audio.service.refuse(.activate, code, "a call goes on")
        let error = try #require(throws: NSError.self) { try session.setActive(true) }
        #expect(error.code == number)
        #expect(name.rawValue == number)
        #expect(error.localizedDescription == "a call goes on")
    }

    @Test func `posts the begin and the end of an interruption`() async throws {
        let posts = Posts(AVAudioSession.interruptionNotification, session)
        try session.setActive(true)
        await audio.service.tell(.interrupted(.other))
        await audio.service.tell(.interruptionEnded(shouldResume: true))
        await audio.service.tell(.interrupted(.appWasSuspended))
        await audio.service.tell(.interrupted(.routeDisconnected))
        await audio.service.tell(.interruptionEnded(shouldResume: false))
        #expect(
            await posts.bell.first(5) == [
                ["AVAudioSessionInterruptionTypeKey": 1, "AVAudioSessionInterruptionReasonKey": 0],
                ["AVAudioSessionInterruptionTypeKey": 0, "AVAudioSessionInterruptionOptionKey": 1],
                [
                    "AVAudioSessionInterruptionTypeKey": 1, "AVAudioSessionInterruptionReasonKey": 1,
                    "AVAudioSessionInterruptionWasSuspendedKey": 1,
                ],
                ["AVAudioSessionInterruptionTypeKey": 1, "AVAudioSessionInterruptionReasonKey": 4],
                ["AVAudioSessionInterruptionTypeKey": 0, "AVAudioSessionInterruptionOptionKey": 0],
            ])
    }

    @Test func `posts changes of the route, with the one of before`() async throws {
        let posts = Posts(AVAudioSession.routeChangeNotification, session)
        try session.setActive(true)
        audio.service.surround { $0.route = [AudioPort(.headphones, name: "Headphones")] }
        #expect(session.currentRoute.outputs.map(\.portType) == [.headphones])
        audio.service.surround { $0.route = [AudioPort(.speaker, name: "Speaker")] }
        await audio.service.tell(
            .routeChanged(.oldDeviceUnavailable, previous: [AudioPort(.headphones, name: "Headphones")], pauses: true))
        #expect(await posts.bell.first(1).first?[AVAudioSessionRouteChangeReasonKey] == 2)
        #expect(posts.routes.all == [["Headphones"]])
        #expect(session.currentRoute.outputs.map(\.portType) == [.builtInSpeaker])
        #expect(session.currentRoute.outputs.map(\.portName) == ["Speaker"])
    }

    @Test func `posts the hint to be silent`() async throws {
        let posts = Posts(AVAudioSession.silenceSecondaryAudioHintNotification, session)
        try session.setActive(true)
        #expect(!session.secondaryAudioShouldBeSilencedHint)
        await audio.service.tell(.silenceHint(true))
        #expect(session.secondaryAudioShouldBeSilencedHint)
        await audio.service.tell(.silenceHint(false))
        #expect(
            await posts.bell.first(2).map { $0[AVAudioSessionSilenceSecondaryAudioHintTypeKey] } == [1, 0])
    }

    @Test func `posts that the sound server went and came, once each`() async throws {
        let lost = Posts(AVAudioSession.mediaServicesWereLostNotification, session)
        let reset = Posts(AVAudioSession.mediaServicesWereResetNotification, session)
        let folder = try Folder()
        let url = try makeSound(folder.file("a.wav"))
        let players = try audio.use { try (0..<2).map { _ in try AVAudioPlayer(contentsOf: url) } }
        for player in players { player.play() }
        audio.device.setServer(isThere: false)
        audio.device.setServer(isThere: true)
        _ = await reset.bell.first(1)
        await mainThreadIsDone()
        #expect(lost.bell.all.count == 1)
        #expect(reset.bell.all.count == 1)
        withExtendedLifetime(players) {}
    }

    @Test func `says what surrounds it`() {
        audio.service.surround {
            $0.volume = 0.25
            $0.otherAudioPlays = true
        }
        #expect(session.outputVolume == 0.25)
        #expect(session.isOtherAudioPlaying)
        #expect(session.sampleRate == 48_000)
        #expect(session.ioBufferDuration > 0)
        #expect(session.inputNumberOfChannels == 0)
        #expect(session.availableInputs == nil)
    }

    @Test func `asks the device for what the app would like when it is active, and says what the device does`() throws {
        #expect(session.ioBufferDuration == 1024.0 / 48_000)
        try session.setPreferredIOBufferDuration(256 / 48_000)
        #expect(session.preferredIOBufferDuration == 256.0 / 48_000)
        #expect(session.ioBufferDuration == 1024.0 / 48_000, "not before it is active")
        try session.setActive(true)
        #expect(session.ioBufferDuration == 256.0 / 48_000)
        // At once now. The device takes powers of two of frames, from 32 to 2048.
        for (wish, frames) in [(0.005, 128), (10, 2048), (1e300, 2048), (1e-9, 32), (0, 1024)] {
            try session.setPreferredIOBufferDuration(wish)
            #expect(session.ioBufferDuration == Double(frames) / 48_000)
            #expect(session.preferredIOBufferDuration == wish)
        }
        try session.setPreferredSampleRate(44_100)
        #expect(session.sampleRate == 48_000, "the device has no other rate")
        #expect(session.preferredSampleRate == 44_100)
        for wrong in [-1, Double.nan, .infinity] {
            #expect(throws: NSError.self) { try session.setPreferredIOBufferDuration(wrong) }
            #expect(throws: NSError.self) { try session.setPreferredSampleRate(wrong) }
        }
        #expect(session.preferredSampleRate == 44_100)
    }

    @Test func `has a rate that the device can have, from the first sound on`() throws {
        audio.home.use(ClockedDevice(otherRates: [44_100]))
        try session.setPreferredSampleRate(44_100)
        try session.setPreferredIOBufferDuration(512 / 44_100)
        #expect(session.sampleRate == 48_000)
        let folder = try Folder()
        let url = try makeSound(folder.file("a.wav"))
        let player = try audio.use { try AVAudioPlayer(contentsOf: url) }
        #expect(player.play(), "which activates the session")
        #expect(session.sampleRate == 44_100)
        #expect(session.ioBufferDuration == 512.0 / 44_100)
        // Another device, as that of a simulation, hears of it too.
        audio.home.use(ClockedDevice())
        #expect(session.ioBufferDuration == 512.0 / 48_000)
        audio.home.client.reset()
        #expect(session.ioBufferDuration == 1024.0 / 48_000)
    }

    @Test func `hands over what is recorded as often as the app would like`() throws {
        try session.setCategory(.record)
        try session.setPreferredIOBufferDuration(0.005)
        let engine = audio.use { AVAudioEngine() }
        let times = Bell<Double>()
        let device = audio.device
        engine.inputNode.installTap(onBus: 0, bufferSize: 64, format: nil) { _, _ in times.ring(device.now) }
        try engine.start()
        device.advance(by: 0.1)
        let pauses = zip(times.all, times.all.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }
        #expect(pauses.count > 10)
        #expect(pauses.allSatisfy { abs($0 - 0.005) < 0.001 })
    }

    @Test func `goes to the speaker in a call only`() throws {
        #expect(throws: NSError.self) { try session.overrideOutputAudioPort(.speaker) }
        try session.setCategory(.playAndRecord)
        try session.overrideOutputAudioPort(.speaker)
        #expect(audio.service.params(.override).last?["speaker"] == true)
        try session.overrideOutputAudioPort(.none)
        #expect(audio.service.params(.override).last?["speaker"] == false)
    }

    @Test func `has inputs where it records`() throws {
        try session.setCategory(.playAndRecord)
        let input = try #require(session.availableInputs?.first)
        #expect(input.portType == .builtInMic)
        try session.setPreferredInput(input)
        #expect(session.preferredInput == input)
        #expect(session.inputNumberOfChannels == 1)
    }

    @Test(arguments: [(AudioPermission.granted, true), (.denied, false)])
    func `asks for the microphone`(_ permission: AudioPermission, _ may: Bool) async {
        audio.service.permit(permission)
        let answer = await AudioHome.$current.withValue(audio.home) {
            await AVAudioApplication.requestRecordPermission()
        }
        #expect(answer == may)
    }

    @Test func `has the numbers of Apple's permissions`() {
        #expect(AVAudioSession.RecordPermission.undetermined.rawValue == 1_970_168_948)
        #expect(AVAudioSession.RecordPermission.denied.rawValue == 1_684_369_017)
        #expect(AVAudioSession.RecordPermission.granted.rawValue == 1_735_552_628)
        #expect(AVAudioSession.PortOverride.speaker.rawValue == 1_936_747_378)
    }

    @Test func `forgets its wishes with the app`() throws {
        try session.setCategory(.playback, options: .mixWithOthers)
        try session.setPreferredIOBufferDuration(0.01)
        audio.home.client.reset()
        #expect(session.category == .soloAmbient)
        #expect(session.categoryOptions == [])
        #expect(session.preferredIOBufferDuration == 0)
    }
}
