import AudioCore
import AudioModel
import Model
import ServiceCore
import Testing

/// A process of the service that goes on where another one ended.
@Suite("What outlives the service's process") struct RestoringTests {
    private var bench = Bench()

    private mutating func playing(_ app: AppIdentifier, _ settings: AudioSettings = AudioSettings(.playback)) -> NodeID
    {
        let connection = bench.open(app)
        bench.ask(connection, .remote(commands: [.play, .pause], events: false))
        return bench.play(connection, app, settings) ?? NodeID(0)
    }

    private mutating func greet(
        _ app: AppIdentifier, isActive: Bool = true, isInterrupted: Bool = false, plays: Bool = true,
        _ settings: AudioSettings = AudioSettings(.playback)
    ) -> ConnectionID {
        var hello = AppHello(settings: settings, isActive: isActive, isInterrupted: isInterrupted)
        if plays { hello.streams = [1: .output] }
        hello.commands = [.play, .pause]
        return bench.connect(app, hello)
    }

    /// The system is there for a new process.
    private mutating func attach(_ states: [AppIdentifier: AppStanding.State]) {
        for (app, state) in states.sorted(by: { $0.key.rawValue < $1.key.rawValue }) { bench.stand(app, state) }
        bench.send(.conditions(facts()))
        bench.send(.systemAttached)
    }

    @Test("Who plays is stated as held, and plays on before and after it says hello")
    mutating func playsOn() {
        _ = playing(pandora)
        bench.stand(pandora, .background)
        bench.restart()
        #expect(bench.isHeld(pandora))
        let node = bench.node(.app(pandora), stream: 1)
        attach([pandora: .background])
        #expect(bench.gain(node) == 1 && bench.isHeld(pandora))
        _ = greet(pandora)
        #expect(bench.sounds(pandora) && bench.isHeld(pandora) && bench.session(pandora) == "active")
        #expect(!bench.effects.contains { if case .drop = $0 { true } else { false } })
        #expect(bench.system.target == .app(pandora))
    }

    @Test("Who does not come again in time is held no longer")
    mutating func late() {
        _ = playing(pandora)
        bench.stand(pandora, .background)
        bench.restart()
        bench.node(.app(pandora), stream: 1)
        attach([pandora: .background])
        bench.pass(6)
        #expect(!bench.isHeld(pandora) && !bench.sounds(pandora))
    }

    @Test(
        "A stop that is ordered of the new process is answered when the app has said what it plays, and plays no more")
    mutating func stopOrdered() {
        let settings = AudioSettings(.playback)
        let connection = bench.open(pandora, hasKey: false)
        _ = bench.play(connection, pandora, settings)
        bench.restart()
        attach([pandora: .background])
        let order = OrderID(1 << 40)
        let stopped = AudioEffect.stopped(order)
        #expect(!bench.send(.stop(pandora, .playing, order)).contains(stopped))
        _ = bench.node(.app(pandora), stream: 1)
        #expect(!bench.effects.contains(stopped))
        var hello = AppHello(settings: settings, isActive: true)
        hello.streams = [1: .output]
        bench.connect(pandora, hasKey: false, hello)
        bench.pass(1)
        #expect(bench.effects.contains(stopped) && !bench.sounds(pandora))
        #expect(!bench.isHeld(pandora))
    }

    @Test("Who has ended since then is not spoken of")
    mutating func ended() {
        _ = playing(pandora)
        bench.stand(pandora, .none)
        #expect(!bench.isHeld(pandora))
        bench.restart()
        #expect(bench.system.holds.isEmpty)
    }

    @Test("How loud a node was in the time of the service before is set right")
    mutating func gain() {
        let node = playing(pandora)
        _ = playing(navigator, AudioSettings(.playback, options: .duckOthers))
        #expect(bench.gain(node) == 0.3)
        bench.restart()
        let again = bench.node(.app(pandora), stream: 1)
        bench.stand(navigator, .none)
        attach([pandora: .background])
        _ = greet(pandora)
        #expect(bench.effects.gains(again).last == 1 && bench.gain(again) == 1)
    }

    @Test("Who was interrupted stays so, is told when it is over, and once", arguments: [true, false])
    mutating func interrupted(hasHeard: Bool) {
        _ = playing(pandora)
        _ = playing(radio)
        bench.restart()
        attach([pandora: .background, radio: .active])
        let second = greet(radio)
        // One that has not heard of it says that it is active.
        let first = greet(pandora, isActive: !hasHeard, isInterrupted: hasHeard, plays: !hasHeard)
        #expect(bench.session(pandora) == "interrupted" && bench.session(radio) == "active")
        #expect(bench.effects.news(first) == (hasHeard ? [] : [.interrupted(.other)]))
        #expect(!bench.sounds(pandora))
        bench.hear(first)
        bench.forget()
        bench.ask(second, .deactivate(notifies: true))
        #expect(bench.effects.news(first) == [.interruptionEnded(shouldResume: true)])
    }

    @Test("One that was suspended while it was interrupted is woken when that is over, though its streams come first")
    mutating func suspended() {
        let node = playing(pandora)
        _ = playing(radio)
        bench.stand(pandora, .suspended)
        bench.send(.nodeRuns(node, false))
        bench.wakeAnswer = .allowed
        bench.restart()
        bench.node(.app(pandora), stream: 1, isRunning: false)
        attach([pandora: .suspended, radio: .active])
        #expect(bench.session(pandora) == "interrupted")
        let second = greet(radio)
        bench.ask(second, .deactivate(notifies: true))
        #expect(bench.effects.wakes == [pandora])
        bench.stand(pandora, .background)
        let first = greet(pandora, isActive: false, isInterrupted: true, plays: false)
        #expect(bench.effects.news(first) == [.interruptionEnded(shouldResume: true)])
    }

    @Test(
        "The controls still belong to one that was paused and suspended, though its streams come first",
        arguments: 0..<3)
    mutating func paused(order: Int) {
        let connection = bench.open(pandora)
        bench.ask(connection, .remote(commands: [.play, .pause], events: false))
        let node = bench.play(connection, pandora, AudioSettings(.playback)) ?? NodeID(0)
        bench.stand(pandora, .background)
        bench.ask(connection, .stop(1))
        bench.send(.nodeRuns(node, false))
        bench.stand(pandora, .suspended)
        bench.wakeAnswer = .allowed
        bench.restart()
        // Streams, the state of the app, and that it runs, in whatever order.
        let steps: [(inout Bench) -> Void] = [
            { $0.node(.app(pandora), stream: 1, isRunning: false) }, { $0.stand(pandora, .suspended) },
            { $0.send(.programStarted($0.description(pandora))) },
        ]
        for index in steps.indices { steps[(index + order) % steps.count](&bench) }
        attach([:])
        #expect(bench.party(pandora)?.kind == .app && bench.system.target == .app(pandora))
        #expect(bench.effects.contains { if case .own(.publish(pandora, _)) = $0 { true } else { false } })
        bench.tool(.command(.play))
        #expect(bench.effects.wakes == [pandora])
    }

    @Test("What interrupted somebody and is over since then is over for the next process, too")
    mutating func over() {
        _ = playing(pandora)
        bench.send(.conditions(facts(call: .connected)))
        bench.restart()
        attach([pandora: .background])
        let connection = greet(pandora, isActive: false, isInterrupted: true, plays: false)
        #expect(bench.effects.news(connection) == [.interruptionEnded(shouldResume: true)])
    }

    @Test("Two that say that they are active and do not mix are not so both")
    mutating func both() {
        _ = playing(radio)
        bench.restart()
        attach([pandora: .background, radio: .active])
        _ = greet(radio)
        let first = greet(pandora, plays: false)
        #expect(bench.session(radio) == "active" && bench.session(pandora) == "interrupted")
        #expect(bench.effects.news(first) == [.interrupted(.other)])
    }

    @Test("A program keeps its place among those that played, though its streams come before its name")
    mutating func programs() {
        bench.run(mpv)
        let player = PlayerID(1)
        let description = PlayerDescription(owner: .app(mpv), name: "mpv", nowPlaying: NowPlaying(), commands: [.play])
        bench.send(.playerAppeared(player, description))
        let node = bench.node(.app(mpv))
        bench.send(.nodeRuns(node, false))
        #expect(bench.system.target == .app(mpv))
        bench.restart()
        bench.node(.app(mpv), isRunning: false)
        bench.send(.playerAppeared(player, description))
        attach([mpv: .active])
        bench.send(.programStarted(bench.description(mpv)))
        #expect(bench.system.target == .app(mpv))
    }

    @Test("An app is not taken for a program when its streams come before its connection")
    mutating func appsAreApps() {
        _ = playing(navigator, AudioSettings(.playback, options: .mixWithOthers))
        bench.restart()
        bench.send(.programStarted(bench.description(navigator)))
        bench.node(.app(navigator), stream: 1)
        #expect(bench.party(navigator)?.kind == .app)
        attach([navigator: .active])
        _ = greet(navigator, AudioSettings(.playback, options: .mixWithOthers))
        #expect(bench.sounds(navigator) && bench.system.target == nil)
    }

    @Test("A program that the service finds is not one that has just begun")
    mutating func foundProgram() {
        var bench = Bench(isAttached: false)
        bench.send(.systemAttached)
        let connection = bench.open(pandora)
        bench.play(connection, pandora, AudioSettings(.playback))
        bench.send(.graphAttached)
        bench.node(.outsider(pid: 8))
        #expect(bench.session(pandora) == "active")
        // Another one that begins later interrupts.
        bench.pass(10)
        bench.node(.outsider(pid: 9))
        #expect(bench.session(pandora) == "interrupted")
    }

    @Test("A new process that comes before the system's word of it begins with nothing")
    mutating func newProcess() {
        _ = playing(pandora)
        bench.send(.attached(ConnectionID(900), AppDescription(pandora, process: 99, name: "pandora", hasKey: true)))
        #expect(bench.session(pandora) == "inactive")
        bench.pass(1)
        #expect(!bench.isHeld(pandora))
    }
}
