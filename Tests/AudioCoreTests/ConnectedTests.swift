import AudioCore
import AudioModel
import Model
import ServiceCore
import Testing

/// The sound server waits for every process that is linked, also for one that is suspended and gives nothing: who is
/// linked is held until that is undone.
@Suite("What is connected") struct ConnectedTests {
    @Test("A player that is paused on the screen keeps its way out, and is held until that is taken when it leaves")
    func leaves() {
        for hasKey in [true, false] {
            var bench = Bench()
            let connection = bench.open(pandora, hasKey: hasKey)
            let node = bench.play(connection, pandora, AudioSettings(.playback)) ?? NodeID(0)
            bench.ask(connection, .stop(1))
            bench.send(.nodeRuns(node, false))
            #expect(!bench.isHeld(pandora) && bench.isHeld(pandora, .connected))
            #expect(bench.effects.permits(node) == [true])
            bench.permitsAtOnce = false
            bench.stand(pandora, .background)
            #expect(bench.effects.permits(node) == [true, false])
            #expect(bench.isHeld(pandora, .connected))
            guard let order = bench.effects.lastOrder(node) else {
                Issue.record("nothing is taken down")
                return
            }
            bench.send(.permitted(node, order))
            #expect(!bench.isHeld(pandora, .connected))
            // Opened again it plays as before.
            bench.permitsAtOnce = true
            bench.stand(pandora, .active)
            bench.ask(connection, .start(1, .output))
            #expect(bench.effects.permits(node).last == true && bench.sounds(pandora))
        }
    }

    @Test("Who is paused by the controls out of sight is let go when its way out is taken, and gets it back to play")
    func pausedOutOfSight() {
        var bench = Bench()
        let connection = bench.open(pandora)
        let node = bench.play(connection, pandora, AudioSettings(.playback)) ?? NodeID(0)
        bench.stand(pandora, .background)
        bench.permitsAtOnce = false
        bench.ask(connection, .stop(1))
        bench.send(.nodeRuns(node, false))
        #expect(bench.isHeld(pandora) && !bench.isHeld(pandora, .connected))
        if let order = bench.effects.lastOrder(node) { bench.send(.permitted(node, order)) }
        #expect(bench.system.holds.isEmpty)
        bench.permitsAtOnce = true
        bench.ask(connection, .start(1, .output))
        #expect(bench.effects.permits(node) == [true, false, true])
        #expect(bench.isHeld(pandora) && !bench.isHeld(pandora, .connected))
    }

    @Test("Nothing is given back before the other one is there")
    func order() {
        var bench = Bench()
        let connection = bench.open(pandora)
        let node = bench.play(connection, pandora) ?? NodeID(0)
        bench.holdAnswer = nil
        bench.ask(connection, .stop(1))
        bench.send(.nodeRuns(node, false))
        #expect(bench.isHeld(pandora))
        bench.send(.held(pandora, .connected, .allowed))
        #expect(!bench.isHeld(pandora) && bench.isHeld(pandora, .connected))
        let request = bench.request()
        bench.send(.app(connection, request, .start(1, .output)))
        #expect(bench.isHeld(pandora, .connected))
        bench.send(.held(pandora, .playing, .allowed))
        #expect(bench.isHeld(pandora) && !bench.isHeld(pandora, .connected))
    }

    @Test("The daemon that takes the hold back waits until the way out is taken")
    func stop() {
        var bench = Bench()
        let connection = bench.open(pandora, hasKey: false)
        let node = bench.play(connection, pandora) ?? NodeID(0)
        bench.ask(connection, .stop(1))
        bench.send(.nodeRuns(node, false))
        bench.permitsAtOnce = false
        bench.stand(pandora, .background)
        let order = OrderID(1 << 40)
        #expect(!bench.send(.stop(pandora, .connected, order)).hasStopped(order))
        guard let lowering = bench.effects.lastOrder(node) else {
            Issue.record("nothing is taken down")
            return
        }
        #expect(bench.send(.permitted(node, lowering)).hasStopped(order))
        #expect(!bench.isHeld(pandora, .connected))
    }

    @Test("A service that is new holds who is connected, and lets go who stands still out of sight")
    func restart() {
        var bench = Bench()
        let connection = bench.open(pandora)
        let first = bench.play(connection, pandora, AudioSettings(.playback)) ?? NodeID(0)
        bench.ask(connection, .stop(1))
        bench.send(.nodeRuns(first, false))
        bench.permitsAtOnce = false
        bench.stand(pandora, .background)
        bench.permitsAtOnce = true
        bench.restart()
        #expect(bench.isHeld(pandora, .connected))
        bench.send(.systemAttached)
        bench.stand(pandora, .background)
        bench.connect(pandora, hasKey: true, AppHello())
        let node = bench.node(.app(pandora), stream: 1, isRunning: false)
        bench.pass(10)
        #expect(bench.effects.permits(node).last == false)
        #expect(bench.system.holds.isEmpty)
    }

    @Test("That the hold is refused silences nobody")
    func refused() {
        var bench = Bench()
        let connection = bench.open(pandora)
        let node = bench.play(connection, pandora) ?? NodeID(0)
        bench.holdAnswer = .refused
        bench.ask(connection, .stop(1))
        bench.send(.nodeRuns(node, false))
        #expect(!bench.isHeld(pandora))
        bench.holdAnswer = .allowed
        #expect(bench.ask(connection, .start(1, .output)).isDone && bench.sounds(pandora))
        // It is not asked again before it stands otherwise.
        bench.ask(connection, .stop(1))
        bench.forget()
        bench.pass(1)
        #expect(bench.effects.isEmpty)
    }

    @Test("Whom the system does not wait for is taken down at once, and does not fade out")
    func unheld() {
        var bench = Bench()
        bench.open(pandora, hasKey: false)
        bench.holdAnswer = .refused
        bench.stand(pandora, .background)
        let node = bench.node(.app(pandora))
        #expect(bench.effects.permits(node) == [true, false])
    }

    @Test("A start over a connection that broke is answered, and the next one begins without it")
    func brokenConnection() {
        var bench = Bench()
        let connection = bench.open(pandora)
        bench.holdAnswer = nil
        let request = bench.request()
        bench.send(.app(connection, request, .start(1, .output)))
        bench.send(.detached(connection))
        bench.forget()
        bench.connect(pandora)
        #expect(bench.effects.answer(to: request).refusal != nil)
    }

    @Test("A program may be between two pieces for a second, unless its player says that it is paused")
    func pieces() {
        for says in [nil, NowPlaying.State.playing, .paused] {
            var bench = Bench()
            bench.run(mpv)
            if let says { bench.player(1, of: .app(mpv), says) }
            let first = bench.node(.app(mpv))
            bench.stand(mpv, .background)
            bench.send(.nodeRuns(first, false))
            #expect(bench.isHeld(mpv) == (says != .paused), "\(String(describing: says))")
            guard says != .paused else { continue }
            bench.send(.nodeGone(first))
            bench.pass(0.5)
            #expect(bench.isHeld(mpv))
            let second = bench.node(.app(mpv))
            bench.pass(3)
            #expect(bench.isHeld(mpv) && bench.gain(second) == 1)
            bench.send(.nodeRuns(second, false))
            bench.pass(1.1)
            #expect(bench.effects.permits(second).last == false)
            #expect(bench.system.holds.isEmpty, "\(String(describing: says))")
        }
    }

    @Test("A program that is told to play out of sight gets its way out, and loses it if it plays nothing")
    func controlled() {
        for plays in [true, false] {
            var bench = Bench()
            bench.run(mpv)
            bench.player(1, of: .app(mpv), .playing)
            let node = bench.node(.app(mpv))
            bench.pass(1)
            bench.player(1, .paused)
            bench.send(.nodeRuns(node, false))
            bench.stand(mpv, .background)
            bench.stand(mpv, .suspended)
            bench.tool(.command(.play))
            bench.stand(mpv, .background)
            #expect(bench.effects.controls == [.play])
            #expect(bench.effects.permits(node).last == true)
            if plays {
                bench.player(1, .playing)
                bench.send(.nodeRuns(node, true))
            }
            bench.pass(20)
            #expect(bench.isHeld(mpv) == plays)
            #expect(!bench.isHeld(mpv, .connected))
        }
    }
}

extension [AudioEffect] {
    /// What the sound server was told of it.
    fileprivate func permits(_ node: NodeID) -> [Bool] {
        compactMap { if case .own(.permit(node, let isPermitted, _)) = $0 { isPermitted } else { nil } }
    }

    fileprivate func lastOrder(_ node: NodeID) -> OrderID? {
        compactMap { if case .own(.permit(node, _, let order)) = $0 { order } else { nil } }.last
    }

    fileprivate func hasStopped(_ order: OrderID) -> Bool {
        contains { if case .stopped(order) = $0 { true } else { false } }
    }
}

extension Bench {
    /// A program's player is there, or says something else.
    fileprivate mutating func player(_ number: UInt64, of owner: PartyID? = nil, _ state: NowPlaying.State) {
        var playing = NowPlaying()
        playing.state = state
        guard let owner else {
            send(.playerChanged(PlayerID(number), playing, commands: [.play, .pause]))
            return
        }
        send(
            .playerAppeared(
                PlayerID(number),
                PlayerDescription(owner: owner, name: "mpv", nowPlaying: playing, commands: [.play, .pause])))
    }
}
