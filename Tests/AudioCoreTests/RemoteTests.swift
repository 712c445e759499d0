import AudioCore
import AudioModel
import Model
import ServiceCore
import Testing

@Suite("What apps are told, and what controls say") struct RemoteTests {
    private var bench = Bench()

    private mutating func player(
        _ app: AppIdentifier = pandora, commands: Set<AudioCommandKind> = [.play, .pause], events: Bool = false,
        hasKey: Bool = true
    ) -> ConnectionID {
        let connection = bench.open(app, hasKey: hasKey)
        bench.ask(connection, .remote(commands: commands, events: events))
        bench.play(connection, app, AudioSettings(.playback))
        bench.forget()
        return connection
    }

    // MARK: News

    @Test("What an app is told it is told in order, each once, and again over a new connection until it has answered")
    mutating func order() {
        let connection = player(events: true)
        for command in [AudioCommand.pause, .next, .play] {
            bench.send(.tool(bench.request(), .command(command)))
        }
        #expect(bench.effects.news(connection) == [.command(.pause), .command(.next), .command(.play)])
        let numbers = bench.effects.tellings(connection).map(\.number)
        #expect(numbers == numbers.sorted() && Set(numbers).count == 3)
        bench.send(.answered(connection, numbers[0], .success))
        bench.send(.detached(connection))
        var hello = AppHello(settings: AudioSettings(.playback), isActive: true, streams: [1: .output])
        (hello.commands, hello.wantsEvents, hello.running) = ([.play, .pause], true, [numbers[1]])
        let again = bench.connect(pandora, hello)
        // The second is being dealt with, and only its answer comes.
        #expect(bench.effects.news(again) == [.command(.play)])
        bench.send(.answered(again, numbers[1], .success))
        bench.send(.answered(again, numbers[2], .success))
        #expect(!bench.isHeld(pandora, .telling))
    }

    @Test("No more is kept for an app than may be, and the oldest gives way")
    mutating func limit() {
        let connection = player()
        bench.send(.detached(connection))
        for _ in 0..<70 { bench.send(.tool(bench.request(), .command(.pause))) }
        let failed = bench.effects.count { if case .reply(_, .status(.failed)) = $0 { true } else { false } }
        #expect(failed == 6)
    }

    @Test("A suspended app is woken for a command, and has its time")
    mutating func waking() {
        let connection = player()
        bench.ask(connection, .stop(1))
        bench.ask(connection, .deactivate(notifies: false))
        bench.stand(pandora, .suspended)
        bench.forget()
        let request = bench.request()
        bench.send(.tool(request, .command(.play)))
        #expect(bench.effects.wakes == [pandora] && bench.effects.news(connection) == [.command(.play)])
        let number = bench.effects.tellings(connection).first?.number ?? 0
        // Not now: it is tried again, so often, and then it is said that it cannot be.
        for _ in 1...4 {
            bench.send(.woken(pandora, number, .notNow))
            #expect(bench.pass(1).wakes == [pandora])
        }
        let last = bench.send(.woken(pandora, number, .notNow))
        guard case .success(.status(.failed))? = last.answer(to: request) else {
            Issue.record("nobody said that it failed: \(last)")
            return
        }
        #expect(bench.pass(20).wakes.isEmpty)
    }

    @Test("Who is woken and says nothing of a command has not done it")
    mutating func noAnswer() {
        let connection = player()
        bench.ask(connection, .stop(1))
        bench.stand(pandora, .suspended)
        bench.wakeAnswer = .allowed
        let request = bench.request()
        bench.send(.tool(request, .command(.play)))
        bench.stand(pandora, .background)
        guard case .success(.status(.failed))? = bench.pass(11).answer(to: request) else {
            Issue.record("it waits for ever")
            return
        }
        #expect(!bench.isHeld(pandora, .telling))
    }

    @Test("A daemon that died is asked again, and one that says never is not")
    mutating func lost() {
        let connection = player()
        bench.ask(connection, .stop(1))
        bench.stand(pandora, .suspended)
        bench.send(.tool(bench.request(), .command(.play)))
        let number = bench.effects.tellings(connection).last?.number ?? 0
        bench.send(.systemDetached)
        bench.send(.woken(pandora, number, .lost))
        bench.forget()
        #expect(bench.send(.systemAttached).wakes == [pandora])
        bench.send(.woken(pandora, number, .never))
        #expect(bench.pass(20).wakes.isEmpty)
        #expect(bench.effects.reports.contains(.notWoken(pandora, .command(.play))))
    }

    @Test("Without the key nothing wakes an app, which is said at once")
    mutating func withoutKey() {
        let connection = player(hasKey: false)
        bench.ask(connection, .stop(1))
        bench.stand(pandora, .suspended)
        #expect(bench.tool(.command(.play)).refusal == .notWoken("pandora"))
        #expect(bench.effects.wakes.isEmpty)
    }

    @Test("An interruption that ends wakes who may go on, and waits for who may not")
    mutating func ends() {
        for resumes in [true, false] {
            var bench = Bench()
            let connection = bench.open(pandora)
            bench.play(connection, pandora, AudioSettings(.playback))
            bench.stand(pandora, .background)
            bench.tool(.interruption(isBegin: true, resumes: false))
            bench.hear(connection)
            bench.pass(1)
            #expect(!bench.isHeld(pandora))
            bench.stand(pandora, .suspended)
            bench.tool(.interruption(isBegin: false, resumes: resumes))
            #expect(bench.effects.wakes == (resumes ? [pandora] : []))
        }
    }

    // MARK: Controls

    @Test("A command is given as the player takes it, and refused where it takes nothing of the kind")
    func translation() {
        typealias Row = (takes: Set<AudioCommandKind>, events: Bool, plays: Bool, AudioCommand, AudioCommand?)
        let rows: [Row] = [
            ([.play, .pause], false, true, .toggle, .pause), ([.play, .pause], false, false, .toggle, .play),
            ([.toggle], false, true, .toggle, .toggle), ([.toggle], false, true, .pause, .toggle),
            ([.toggle], false, false, .play, .toggle), ([.toggle], false, true, .play, nil),
            ([.toggle], false, false, .pause, nil), ([.pause], false, true, .stop, .pause),
            ([.stop], false, true, .stop, .stop), ([.play], false, true, .toggle, nil),
            ([.play], false, true, .next, nil),
            ([.next], false, true, .next, .next), ([], true, true, .toggle, .toggle), ([], true, true, .next, .next),
            ([], true, true, .beginSeekingForward, .beginSeekingForward), ([], true, true, .seek(3), nil),
            ([.seek], false, true, .seek(3), .seek(3)), ([.like], true, true, .like, .like),
            ([], true, true, .like, nil),
        ]
        for row in rows {
            var bench = Bench()
            let connection = bench.open(pandora)
            bench.ask(connection, .remote(commands: row.takes, events: row.events))
            let node = bench.play(connection, pandora, AudioSettings(.playback)) ?? NodeID(0)
            if !row.plays {
                bench.ask(connection, .stop(1))
                bench.send(.nodeRuns(node, false))
            }
            bench.forget()
            let answer = bench.tool(.command(row.3))
            #expect(bench.effects.news(connection) == (row.4.map { [.command($0)] } ?? []), "\(row)")
            if row.4 == nil { #expect(answer.refusal == .playerDoesNot("pandora", row.3.kind), "\(row)") }
        }
    }

    @Test("Presses that follow each other at once are one: toggle, next, previous")
    mutating func presses() {
        let connection = player(commands: [], events: true)
        for (counts, command) in [
            ([1], AudioCommand.toggle), ([2], .next), ([3], .previous), ([1, 1], .next), ([1, 1, 1], .previous),
            ([2, 2, 1], .previous),
        ] {
            bench.forget()
            for count in counts {
                bench.send(.tool(bench.request(), .press(count)))
                bench.pass(0.3)
            }
            bench.pass(0.2)
            #expect(bench.hear(connection) == [.command(command)], "\(counts)")
            let answers = bench.effects.count { if case .reply = $0 { true } else { false } }
            #expect(answers == counts.count)
        }
        for _ in 0..<100 { bench.send(.tool(bench.request(), .press(1))) }
    }

    @Test("Controls belong to who was heard last and obeys: not to who mixes, asks nothing or has never played")
    mutating func target() {
        #expect(bench.system.target == nil && bench.tool(.command(.play)).refusal == .noPlayer)
        _ = player()
        let shy = bench.open(radio)
        bench.play(shy, radio, AudioSettings(.playback))
        #expect(bench.system.target == .app(pandora))
        bench.ask(shy, .remote(commands: [.play], events: false))
        #expect(bench.system.target == .app(radio))
        let mixing = bench.open(navigator)
        bench.ask(mixing, .remote(commands: [.play], events: true))
        bench.play(mixing, navigator, AudioSettings(.playback, options: .mixWithOthers))
        #expect(bench.system.target == .app(radio))
        bench.send(.forgotten(radio))
        #expect(bench.system.target == .app(pandora))
    }

    @Test("A seek button goes up for the player that it went down for, whoever has played since")
    mutating func seeking() {
        let directions: [(begin: AudioCommand, end: AudioCommand)] = [
            (.beginSeekingForward, .endSeekingForward), (.beginSeekingBackward, .endSeekingBackward),
        ]
        for (begin, end) in directions {
            bench = Bench()
            let first = player(commands: [.seekForward, .seekBackward])
            bench.tool(.command(begin))
            let second = player(radio, commands: [.seekForward, .seekBackward])
            #expect(bench.system.target == .app(radio))
            bench.tool(.command(end))
            #expect(bench.effects.news(second).isEmpty && bench.effects.news(first).last == .command(end))
            bench.forget()
            // It is up: another end belongs to the controls' player, as every other command.
            bench.tool(.command(end))
            #expect(bench.effects.news(second) == [.command(end)] && bench.effects.news(first).isEmpty)
        }
    }

    @Test("A player that has ended in the meantime is not launched to hear that a seek button went up")
    mutating func seekingEnded() {
        let first = player(commands: [.seekForward])
        bench.tool(.command(.beginSeekingForward))
        let second = player(radio, commands: [.seekForward])
        bench.stand(pandora, .none)
        bench.forget()
        bench.tool(.command(.endSeekingForward))
        #expect(bench.effects.wakes.isEmpty && bench.effects.news(first).isEmpty)
        #expect(bench.effects.news(second) == [.command(.endSeekingForward)])
    }

    @Test("A program's player is thawed for a command, and one that does not come to it has failed")
    mutating func programs() {
        bench.run(mpv)
        let (player, request) = (PlayerID(1), bench.request())
        bench.send(
            .playerAppeared(
                player, PlayerDescription(owner: .app(mpv), name: "mpv", nowPlaying: NowPlaying(), commands: [.play])))
        let node = bench.node(.app(mpv))
        bench.send(.nodeRuns(node, false))
        bench.stand(mpv, .suspended)
        bench.forget()
        bench.send(.tool(request, .command(.play)))
        #expect(bench.isHeld(mpv, .telling) && bench.effects.controls.isEmpty)
        bench.stand(mpv, .background)
        #expect(bench.effects.controls == [.play])
        guard case .success(.status(.failed))? = bench.pass(11).answer(to: request) else {
            Issue.record("it waits for ever")
            return
        }
        #expect(!bench.isHeld(mpv, .telling))
        // One that cannot run is not sent anything after its time.
        bench.holdAnswer = nil
        bench.stand(mpv, .suspended)
        bench.forget()
        bench.send(.tool(bench.request(), .command(.play)))
        bench.pass(11)
        bench.stand(mpv, .background)
        #expect(bench.effects.controls.isEmpty)
    }

    // MARK: Routes

    @Test("Losing what one hears alone pauses music, and not a conversation", arguments: [true, false])
    func headphones(talks: Bool) {
        var bench = Bench()
        let connection = bench.open(pandora)
        bench.tool(.plug(.headphones))
        bench.play(
            connection, pandora, talks ? AudioSettings(.playAndRecord, mode: .voiceChat) : AudioSettings(.playback))
        #expect(bench.party(pandora).map { bench.system.route(of: $0.session).map(\.kind) }?.first == .headphones)
        bench.forget()
        bench.tool(.unplug(.headphones))
        let told = bench.effects.news(connection)
        guard case .routeChanged(.oldDeviceUnavailable, let previous, let pauses)? = told.first else {
            Issue.record("it was not told: \(told)")
            return
        }
        #expect(pauses == !talks && previous.first?.kind == .headphones)
        #expect(bench.party(pandora)?.streams[.own(1)]?.wish == talks)
    }

    @Test("Each category has its route, which overrides and options change")
    func routes() {
        typealias Row = (AudioSettings, plugged: [AudioPortKind], toSpeaker: Bool, [AudioPortKind])
        let call = AudioSettings(.playAndRecord)
        let rows: [Row] = [
            (AudioSettings(.playback), [], false, [.speaker]), (AudioSettings(.record), [], false, [.microphone]),
            (AudioSettings(.ambient), [.headphones], false, [.headphones]),
            (call, [], false, [.receiver, .microphone]),
            (call, [], true, [.speaker, .microphone]), (call, [.headphones], false, [.headphones, .microphone]),
            (call, [.headphones], true, [.speaker, .microphone]),
            (call, [.headphones, .headsetMicrophone], false, [.headphones, .headsetMicrophone]),
            (AudioSettings(.playAndRecord, options: .defaultToSpeaker), [], false, [.speaker, .microphone]),
            (call, [.bluetooth], false, [.receiver, .microphone]),
            (AudioSettings(.playback), [.bluetooth], false, [.bluetooth]),
            (AudioSettings(.playAndRecord, options: .allowBluetooth), [.bluetooth], false, [.bluetooth, .microphone]),
            (AudioSettings(.playback), [.hdmi, .headphones], false, [.headphones]),
        ]
        for row in rows {
            var bench = Bench()
            for kind in row.plugged { bench.tool(.plug(kind)) }
            let connection = bench.open(pandora)
            bench.ask(connection, .set(row.0))
            bench.ask(connection, .override(toSpeaker: row.toSpeaker))
            #expect(bench.system.status.players.first?.route.map(\.kind) == row.3, "\(row)")
        }
    }
}
