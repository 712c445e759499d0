import AudioCore
import AudioModel
import Model
import ServiceCore
import Testing

/// Who may sound where, and for whom the system is asked.
@Suite("What may run") struct RunningTests {
    @Test("An app sounds where its category, its key and what it plays let it", arguments: AudioCategory.allCases)
    func apps(category: AudioCategory) {
        for hasKey in [true, false] {
            for (state, isVisible) in [
                (AppStanding.State.active, true), (.inactive, true), (.background, true), (.background, false),
                (.suspended, false),
            ] {
                for (isSilent, isLocked, call) in Self.surroundings {
                    for direction in AudioDirection.allCases {
                        check(category, direction, hasKey, state, isVisible, isSilent, isLocked, call)
                    }
                }
            }
        }
    }

    private static let surroundings: [(Bool, Bool, DeviceFacts.Call)] = [true, false].flatMap { isSilent in
        [true, false].flatMap { isLocked in DeviceFacts.Call.allCases.map { (isSilent, isLocked, $0) } }
    }

    private func check(
        _ category: AudioCategory, _ direction: AudioDirection, _ hasKey: Bool, _ state: AppStanding.State,
        _ isVisible: Bool, _ isSilent: Bool, _ isLocked: Bool, _ call: DeviceFacts.Call
    ) {
        let isPossible = direction == .output ? category.hasOutput : category.hasInput
        var bench = Bench()
        let connection = bench.open(pandora, hasKey: hasKey)
        bench.ask(connection, .set(AudioSettings(category)))
        let answer = bench.ask(connection, .start(1, direction))
        #expect(answer.isDone == isPossible, "\(category) \(direction)")
        guard isPossible else { return }
        let node = bench.node(.app(pandora), stream: 1, direction)
        bench.tool(.ringer(isSilent: isSilent))
        bench.stand(pandora, state, isVisible: isVisible)
        bench.send(.conditions(facts(isLocked: isLocked, call: call)))
        bench.pass(1)
        let runs =
            state != .suspended && call != .connected
            && (isVisible || hasKey && category != .ambient && category != .soloAmbient)
        let what = "\(category) \(direction), key \(hasKey), \(state) \(isVisible), \(isSilent) \(isLocked) \(call)"
        guard let party = bench.party(pandora) else { return }
        #expect((direction == .output ? party.sounds : party.records) == runs, "\(what)")
        let hold = direction == .output ? AudioHold.playing : .recording
        if runs || state != .suspended { #expect(bench.isHeld(pandora, hold) == runs, "\(what)") }
        guard direction == .output, runs else { return }
        let isMuted = call == .ringing || (isSilent || isLocked) && (category == .ambient || category == .soloAmbient)
        #expect(bench.gain(node) == (isMuted ? 0 : 1), "\(what)")
    }

    @Test("A program sounds on the screen, and with the key behind it; an outsider anywhere")
    func programs() {
        for hasKey in [true, false] {
            for state in [AppStanding.State.active, .inactive, .background, .suspended] {
                var bench = Bench()
                bench.run(mpv, hasKey: hasKey)
                let (node, other) = (bench.node(.app(mpv)), bench.node(.outsider(pid: 3), role: .game))
                bench.stand(mpv, state)
                bench.pass(1)
                let runs = state == .active || state == .inactive || state == .background && hasKey
                #expect((bench.gain(node) ?? 0 > 0) == runs, "\(hasKey) \(state)")
                #expect(bench.gain(other) == 1)
                #expect(bench.system.holds.allSatisfy { $0.app == mpv })
            }
        }
    }

    @Test("It sounds when the system has said that it holds it, and not before")
    func order() {
        var bench = Bench()
        let connection = bench.open(pandora)
        bench.holdAnswer = nil
        let request = bench.request()
        #expect(bench.send(.app(connection, request, .start(1, .output))).answer(to: request) == nil)
        #expect(!bench.sounds(pandora))
        #expect(bench.send(.held(pandora, .playing, .allowed)).answer(to: request).isDone)
        #expect(bench.sounds(pandora))
    }

    @Test("A start is answered even if the app leaves the screen before the system has said anything")
    func lateStart() {
        var bench = Bench()
        let connection = bench.open(pandora, hasKey: false)
        bench.holdAnswer = nil
        let request = bench.request()
        bench.send(.app(connection, request, .start(1, .output)))
        let effects = bench.stand(pandora, .background)
        guard case .cannotStartPlaying? = effects.answer(to: request).refusal else {
            Issue.record("it waits for ever: \(effects)")
            return
        }
        // What the system allows after all is given back.
        #expect(bench.send(.held(pandora, .playing, .allowed)).contains { if case .drop = $0 { true } else { false } })
    }

    @Test("In an active session what may not sound out of sight is refused at once")
    func refusedOutOfSight() {
        var bench = Bench()
        let connection = bench.open(pandora)
        bench.ask(connection, .set(AudioSettings(.ambient)))
        bench.ask(connection, .activate)
        bench.stand(pandora, .background)
        guard case .cannotStartPlaying? = bench.ask(connection, .start(1, .output)).refusal else {
            Issue.record("it was not refused")
            return
        }
    }

    @Test("A number that was given for the loudspeaker opens no microphone")
    func directions() {
        var bench = Bench()
        let connection = bench.open(pandora)
        bench.ask(connection, .set(AudioSettings(.playAndRecord)))
        bench.tool(.permission(pandora, .denied))
        bench.ask(connection, .start(1, .output))
        bench.node(.app(pandora), stream: 1, .input)
        #expect(bench.party(pandora)?.records == false)
        #expect(bench.party(pandora)?.streams[.own(1)]?.node == nil)
        guard case .invalid? = bench.ask(connection, .start(1, .input)).refusal ?? .invalid("") else {
            Issue.record("it may record by that number")
            return
        }
    }

    @Test("A program's second node of a number that stands still plays nothing, though the first one did")
    func secondStandsStill() {
        var bench = Bench()
        bench.node(.outsider(pid: 7), stream: 2)
        bench.node(.outsider(pid: 7), stream: 2, isRunning: false)
        let party = bench.system.parties[.outsider(pid: 7)]
        #expect(party?.streams[.own(2)]?.isInUse == false)
    }

    @Test("A second node of a number takes its place, and neither is lost when one goes")
    func twoNodes() {
        var bench = Bench()
        let connection = bench.open(pandora)
        let first = bench.play(connection, pandora) ?? NodeID(0)
        let second = bench.node(.app(pandora), stream: 1)
        #expect(bench.party(pandora)?.streams[.own(1)]?.node == second)
        bench.ask(connection, .stop(1))
        bench.send(.nodeGone(second))
        bench.send(.nodeRuns(first, false))
        bench.send(.nodeGone(first))
        #expect(bench.party(pandora)?.streams.isEmpty == true)
    }

    @Test("Who says that it plays out of sight, and gives nothing or silence, is held no longer than its time")
    func silence() {
        for gives in [true, false] {
            var bench = Bench()
            let connection = bench.open(pandora)
            bench.ask(connection, .set(AudioSettings(.playback)))
            bench.ask(connection, .start(1, .output))
            let node = gives ? bench.node(.app(pandora), stream: 1) : NodeID(0)
            bench.stand(pandora, .background)
            bench.pass(9)
            #expect(bench.isHeld(pandora))
            for _ in 0..<12 {
                if gives { bench.send(.level(node, 0)) }
                bench.pass(1)
            }
            #expect(!bench.isHeld(pandora), "\(gives)")
            #expect(bench.system.why(pandora).contains("nothing but silence"), "\(gives)")
            #expect(bench.effects.reports.count == 1)
            // Seen again, it is as before.
            bench.stand(pandora, .active)
            #expect(bench.sounds(pandora), "\(gives)")
        }
    }

    @Test("While the sound server is away who played is held, but not for ever")
    func server() {
        var bench = Bench()
        let connection = bench.open(pandora)
        bench.play(connection, pandora, AudioSettings(.playback))
        bench.run(mpv)
        bench.node(.app(mpv), role: .game)
        bench.stand(pandora, .background)
        bench.stand(mpv, .background)
        bench.send(.graphDetached)
        bench.pass(50)
        #expect(bench.isHeld(pandora) && bench.isHeld(mpv))
        bench.pass(20)
        #expect(!bench.isHeld(pandora) && !bench.isHeld(mpv))
    }

    @Test("What was cut off comes back with the sound server as it was, and interrupts nobody")
    func serverReturns() {
        var bench = Bench()
        bench.node(.outsider(pid: 9))
        let connection = bench.open(pandora)
        bench.play(connection, pandora, AudioSettings(.playback))
        bench.send(.graphDetached)
        bench.send(.graphAttached)
        let outsider = bench.node(.outsider(pid: 9))
        let node = bench.node(.app(pandora), stream: 1)
        #expect(bench.gain(node) == 1 && bench.session(pandora) == "active")
        bench.pass(1)
        #expect(bench.gain(outsider) == 0)
    }

    @Test("A program that comes back with the sound server and stands still has stopped")
    func comesBackSilent() {
        var bench = Bench()
        bench.node(.outsider(pid: 9), stream: 2)
        bench.send(.graphDetached)
        bench.send(.graphAttached)
        bench.node(.outsider(pid: 9), stream: 2, isRunning: false)
        bench.pass(70)
        #expect(bench.system.parties[.outsider(pid: 9)]?.session.activity == .inactive)
    }

    @Test("A paused program that is let go does not count as one that plays")
    func pausedProgram() {
        var bench = Bench()
        bench.run(mpv)
        let player = PlayerID(1)
        var playing = NowPlaying()
        playing.state = .playing
        bench.send(
            .playerAppeared(
                player, PlayerDescription(owner: .app(mpv), name: "mpv", nowPlaying: playing, commands: [.play])))
        let node = bench.node(.app(mpv))
        let connection = bench.open(pandora)
        bench.play(connection, pandora, AudioSettings(.playback))
        #expect(bench.effects.controls == [.pause])
        playing.state = .paused
        bench.send(.nodeRuns(node, false))
        bench.send(.playerChanged(player, playing, commands: [.play]))
        bench.pass(1)
        bench.ask(connection, .deactivate(notifies: false))
        bench.pass(1)
        #expect(!bench.sounds(mpv) && !bench.isHeld(mpv))
        #expect(bench.system.target == .app(mpv))
        bench.run(radio)
        #expect(bench.session(mpv) == "inactive")
    }
}
