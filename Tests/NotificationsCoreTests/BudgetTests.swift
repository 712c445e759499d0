import Model
import NotificationsCore
import Testing

@Suite("The budget of silent pushes") struct BudgetTests {
    private var number: UInt64 = 0
    private var bench = Bench()

    init() {
        _ = bench.authorized(journal, .suspended)
        bench.send(.link(.gateway("g")))
        bench.forgetEffects()
    }

    /// A silent push comes, by a tool: registration is another matter.
    private mutating func push(
        _ payload: String = Bench.silent, type: PushType = .background, expires: WallTime? = nil
    ) -> [NotificationEffect] {
        number += 1
        return bench.send(
            .tool(bench.request(), .push(Bench.push(number, payload, type: type, expires: expires))))
    }

    /// The system wakes the app, which is done at once.
    private mutating func handle(_ effects: [NotificationEffect]) -> [NotificationEffect] {
        guard let wake = effects.wakes.first else { return [] }
        bench.send(.woken(wake.telling.id, .allowed))
        return bench.send(.windowEnded(wake.telling.id.app, .push, .done))
    }

    private var sentence: String { bench.system.sentence(for: journal, at: bench.now) ?? "" }

    @Test("Three wake the app, the fourth waits until there is one more, twenty minutes after the first")
    mutating func capacity() {
        for _ in 1...3 {
            let effects = push()
            #expect(effects.wakes.map(\.window) == [.push] && handle(effects).wakes.isEmpty)
            bench.pass(60)
        }
        #expect(push().wakes.isEmpty)
        #expect(
            sentence == "4 silent pushes came in the last hour, 3 went to the app; one has waited since "
                + "2026-07-01T00:03:00Z and goes at 2026-07-01T00:20:00Z (3, and one more every 20 minutes), or before "
                + "that with the next keep-alive, an alert that is shown, or when the user opens the app")
        #expect(bench.pass(17 * 60 - 1).wakes.isEmpty)
        let late = bench.pass(2)
        #expect(late.wakes.map(\.telling.words) == ["push 4"])
        _ = handle(late)
        #expect(
            sentence == "4 silent pushes came in the last hour, 4 went to the app; the next one waits until "
                + "2026-07-01T00:40:00Z (3, and one more every 20 minutes)")
        // After an hour and more, all three are there again.
        bench.pass(3 * 1200)
        #expect(
            sentence == "0 silent pushes came in the last hour, 0 went to the app; 3 more may wake it now "
                + "(3, and one more every 20 minutes)")
    }

    @Test("Of those that wait only the newest is kept")
    mutating func newest() {
        for _ in 1...3 { _ = handle(push()) }
        for _ in 4...9 { #expect(push().wakes.isEmpty) }
        let superseded = bench.effects.reports.filter {
            if case .pushDropped(_, _, .superseded) = $0 { true } else { false }
        }
        #expect(superseded.count == 5)
        #expect(bench.store.records.keys.count { $0 == .held(journal) } == 1)
        bench.restart()
        #expect(bench.pass(1201).wakes.map(\.telling.words) == ["push 9"])
    }

    @Test("Three hundred a day wake an app 72 times and three more, and no more than three an hour on the way")
    mutating func day() {
        var wakes: [Instant] = []
        for step in 0..<86_400 / 60 {
            var effects = bench.pass(60)
            // One every 4.8 minutes.
            if step % 24 == 0 || step * 5 / 24 != (step - 1) * 5 / 24 { effects += push() }
            guard !effects.wakes.isEmpty else { continue }
            wakes.append(bench.now)
            #expect(effects.wakes.count == 1)
            _ = handle(effects)
        }
        #expect(number >= 290 && number <= 310, "\(number)")
        #expect((73...75).contains(wakes.count), "\(wakes.count)")
        for (place, wake) in wakes.enumerated().dropFirst(6) {
            #expect(wake - wakes[place - 3] >= .seconds(3600 - 120))
        }
    }

    @Test("The next keep-alive lets one through, and costs nothing")
    mutating func keepAlive() {
        for _ in 1...4 { _ = handle(push()) }
        bench.send(.link(.up(network: "n", longestKeepAlive: nil)))
        #expect(sentence.contains("with the next keep-alive at 2026-07-01T00:04:00Z, an alert"))
        #expect(bench.pass(240).keepAlives == 1)
        let effects = bench.send(.link(.keepAliveAnswered))
        #expect(effects.wakes.map(\.telling.words) == ["push 4"])
        _ = handle(effects)
        #expect(bench.system.pushStatus(of: journal, at: bench.now)?.nextAt == Bench.start + .seconds(1200))
        #expect(bench.send(.link(.keepAliveAnswered)).wakes.isEmpty)
    }

    @Test("An alert that is shown lets one through, and one that is not shown does not")
    mutating func alert() {
        for _ in 1...4 { _ = handle(push()) }
        let shown = push(Bench.alert, type: .alert)
        #expect(shown.presented.count == 1 && shown.wakes.map(\.telling.words) == ["push 4"])
        _ = handle(shown)
        bench.ask(tool: .decide(journal, isAllowed: false))
        #expect(push().wakes.isEmpty && push(Bench.alert, type: .alert).wakes.isEmpty)
        bench.ask(tool: .decide(journal, isAllowed: true))
        // With content of its own it takes the other's place.
        let both = push(#"{"aps":{"alert":"a","content-available":1}}"#, type: .alert)
        #expect(both.presented.count == 1 && both.wakes.map(\.telling.words) == ["push \(number)"])
    }

    @Test("So does an alert of another app: the device is awake then, whoever woke it")
    mutating func alertOfAnother() {
        _ = bench.authorized(chat, .suspended)
        for _ in 1...4 { _ = handle(push()) }
        let alert = bench.send(
            .tool(bench.request(), .push(Bench.push(99, Bench.alert, app: chat, type: .alert))))
        #expect(alert.presented.map(\.app) == [chat] && alert.wakes.map(\.telling.words) == ["push 4"])
    }

    @Test("Opening the app gives it what waits at once, and charges nothing; on the screen nothing waits")
    mutating func opening() {
        for _ in 1...4 { _ = handle(push()) }
        #expect(bench.send(.appState(journal, .active)).told.map(\.words) == ["push 4"])
        #expect(push().told.map(\.words) == ["push 5"])
        #expect(bench.system.pushStatus(of: journal, at: bench.now)?.left == 0)
        for telling in bench.system.tellings(of: journal) {
            bench.send(.answered(ConnectionID(1), telling.id.number, .fetched(.noData)))
        }
        for _ in 0..<20 { #expect(push().wakes.isEmpty) }
        // More than some at once wait for their turn.
        #expect(bench.system.tellings(of: journal).count == 8)
        #expect(bench.effects.told.last?.words == "push 13")
        for telling in bench.system.tellings(of: journal) {
            bench.send(.answered(ConnectionID(1), telling.id.number, .fetched(.noData)))
        }
        #expect(bench.effects.told.last?.words == "push 25")
    }

    @Test("While the app is busy with one, the next waits for the end of that")
    mutating func busy() {
        let first = push()
        bench.send(.woken(first.wakes[0].telling.id, .allowed))
        #expect(push().wakes.isEmpty)
        #expect(
            sentence.hasSuffix("one has waited since 2026-07-01T00:00:00Z until the app is done with the one before it")
        )
        #expect(bench.send(.windowEnded(journal, .push, .late)).wakes.map(\.telling.words) == ["push 2"])
    }

    @Test("In Low Power Mode none goes by time; a charger lets them through")
    mutating func lowPower() {
        bench.send(.conditions(NotificationConditions(isLowPower: true)))
        #expect(push().wakes.isEmpty && bench.pass(7200).wakes.isEmpty)
        bench.send(.link(.up(network: "n", longestKeepAlive: nil)))
        #expect(bench.send(.link(.keepAliveAnswered)).wakes.isEmpty)
        #expect(
            sentence.hasSuffix("Low Power Mode: a charger, an alert that is shown or opening the app lets it through"))
        let charging = bench.send(.conditions(NotificationConditions(isCharging: true, isLowPower: true)))
        #expect(charging.wakes.map(\.telling.words) == ["push 1"])
    }

    @Test("An app that the user closed gets none until it is opened or the machine starts again")
    mutating func closed() {
        for _ in 1...4 { _ = handle(push()) }
        let closed = bench.send(.closedByUser(journal))
        #expect(closed.reports == [.pushDropped(app: journal.rawValue, PushID(high: 7, low: 4), .closedByUser)])
        bench.send(.appState(journal, .none))
        #expect(push().wakes.isEmpty && bench.pass(7200).wakes.isEmpty)
        #expect(sentence.hasSuffix("the user closed it, so no push wakes it until it is opened"))
        #expect(push(Bench.alert, type: .alert).presented.count == 1)
        bench.restart()
        #expect(push().wakes.isEmpty)
        bench.reboot(after: 60)
        #expect(push().wakes.map(\.telling.words) == ["push 8"])
        bench.send(.closedByUser(journal))
        bench.send(.appState(journal, .active))
        bench.send(.appState(journal, .suspended))
        #expect(push().wakes.map(\.telling.words) == ["push 9"])
    }

    @Test("Priority 10 is no way around it, and a call is")
    mutating func types() {
        for _ in 1...3 { _ = handle(push()) }
        #expect(push(type: .alert).wakes.isEmpty)
        #expect(push(#"{"aps":{}}"#, type: .voip).wakes.map(\.telling.words) == ["push 5"])
    }

    @Test("An app without the key in UIBackgroundModes is not woken, and gets them on the screen")
    mutating func mode() {
        bench.send(.appModes(journal, receivesPushes: false))
        #expect(push().wakes.isEmpty && bench.pass(7200).wakes.isEmpty)
        #expect(bench.effects.reports == [.pushDropped(app: journal.rawValue, PushID(high: 7, low: 1), .missingMode)])
        bench.send(.appState(journal, .active))
        #expect(push().told.map(\.words) == ["push 2"])
    }

    @Test("One that expires while it waits is dropped")
    mutating func expiry() {
        for _ in 1...3 { _ = handle(push()) }
        _ = push(expires: Bench.start + .seconds(600))
        #expect(bench.pass(601).reports == [.pushDropped(app: journal.rawValue, PushID(high: 7, low: 4), .expired)])
        #expect(bench.pass(7200).wakes.isEmpty)
    }

    @Test("A restart gives nothing back, and a clock that was set back does not stop the earning")
    mutating func clocks() {
        for _ in 1...4 { _ = handle(push()) }
        bench.pass(300)
        #expect(bench.restart().wakes.isEmpty)
        bench.send(.clockChanged(bench.offset - .seconds(86_400 * 30)))
        #expect(push().wakes.isEmpty)
        #expect(bench.pass(1201).wakes.count == 1)
    }

    @Test("Each app has its own")
    mutating func apps() {
        for _ in 1...4 { _ = handle(push()) }
        _ = bench.authorized(chat, .suspended)
        let silent = Bench.push(99, Bench.silent, app: chat, type: .background)
        let other = bench.send(.tool(bench.request(), .push(silent)))
        #expect(other.wakes.map(\.telling.id.app) == [chat])
    }

    @Test("A push whose app ended before it heard of it comes again, and not for ever")
    mutating func gone() {
        var effects = push()
        for time in 1...3 {
            #expect(effects.wakes.map(\.telling.words) == ["push 1"])
            bench.send(.woken(effects.wakes[0].telling.id, .allowed))
            effects = bench.send(.windowEnded(journal, .push, .gone))
            if time == 3 { #expect(effects.wakes.isEmpty) }
        }
        #expect(bench.system.tellings(of: journal).isEmpty)
        let refused = push()
        bench.send(.woken(refused.wakes[0].telling.id, .never))
        #expect(bench.effects.reports.last == .pushDropped(app: journal.rawValue, PushID(high: 7, low: 2), .notWoken))
    }

    @Test("One that the app on the screen is never done with is given up, and a report says so")
    mutating func hangs() {
        _ = bench.attach(journal)
        let told = push().told
        #expect(told.map(\.words) == ["push 1"])
        bench.pass(29)
        #expect(bench.system.tellings(of: journal).count == 1 && bench.effects.reports.isEmpty)
        bench.pass(2)
        #expect(bench.system.tellings(of: journal).isEmpty)
        #expect(
            bench.effects.reports == told.map { .untold($0.id, "it did not call its completion handler in time") })
    }

    @Test("A restart while the app has one asks for it once more by the same number, since its end may be lost")
    mutating func restartInWindow() {
        let first = push()
        bench.send(.woken(first.wakes[0].telling.id, .allowed))
        #expect(bench.restart().wakes == first.wakes)
        bench.send(.woken(first.wakes[0].telling.id, .notNow))
        // The app was at it: that was this one.
        #expect(bench.send(.windowEnded(journal, .push, .done)).wakes.isEmpty)
        #expect(bench.system.tellings(of: journal).isEmpty)
        let second = push()
        bench.send(.woken(second.wakes[0].telling.id, .allowed))
        #expect(bench.restart().wakes == second.wakes)
        // It is not: what it had ended while no one was there to hear of it.
        bench.send(.woken(second.wakes[0].telling.id, .allowed))
        #expect(bench.send(.windowEnded(journal, .push, .done)).wakes.isEmpty)
        #expect(bench.system.tellings(of: journal).isEmpty)
    }
}

@Suite("Keep-alives") struct KeepAliveTests {
    private func up(_ bench: inout Bench, _ network: String = "home", longest: Model.Span? = nil) {
        bench.send(.link(.up(network: network, longestKeepAlive: longest)))
    }

    private func interval(_ bench: Bench) -> Double { bench.system.linkStatus(at: bench.now).keepAlive?.seconds ?? 0 }

    @Test("They begin with four minutes, grow by a tenth to 28 minutes, and are remembered by network")
    func growth() {
        var bench = Bench()
        up(&bench)
        var expected = 240.0
        for _ in 0..<30 {
            #expect(abs(interval(bench) - expected) < 0.01)
            #expect(bench.pass(expected - 1).keepAlives == 0 && bench.pass(2).keepAlives == 1)
            bench.send(.link(.keepAliveAnswered))
            expected = min(1680, expected * 1.1)
        }
        #expect(interval(bench) == 1680)
        bench.send(.link(.down))
        #expect(bench.pass(10_000).keepAlives == 0)
        up(&bench, "train")
        #expect(interval(bench) == 240)
        bench.restart()
        up(&bench)
        #expect(interval(bench) == 1680)
        up(&bench, longest: .seconds(600))
        #expect(interval(bench) == 600)
    }

    @Test("One that is not answered within thirty seconds ends the link, and the next interval is shorter")
    func loss() {
        var bench = Bench()
        up(&bench)
        bench.pass(241)
        #expect(!bench.pass(28).contains(.linkIsDead))
        #expect(bench.pass(2).contains(.linkIsDead))
        #expect(!bench.system.linkStatus(at: bench.now).isUp)
        up(&bench)
        #expect(abs(interval(bench) - 168) < 0.01)
        for _ in 0..<10 {
            bench.pass(interval(bench) + 1)
            bench.send(.link(.down))
            up(&bench)
        }
        #expect(interval(bench) == 60)
        // An end at another time says nothing.
        bench.send(.link(.down))
        up(&bench)
        #expect(interval(bench) == 60)
    }

    @Test("Traffic takes the place of one, and a warm radio brings it forward by no more than half")
    func alignment() {
        var bench = Bench()
        up(&bench)
        bench.pass(200)
        bench.send(.link(.traffic))
        #expect(bench.pass(239).keepAlives == 0 && bench.pass(2).keepAlives == 1)
        bench.send(.link(.keepAliveAnswered))
        let grown = interval(bench)
        bench.pass(100)
        #expect(bench.send(.conditions(NotificationConditions(isRadioWarm: true))).keepAlives == 0)
        #expect(bench.pass(grown / 2 - 101).keepAlives == 0 && bench.pass(2).keepAlives == 1)
        // It was sent before its time: that it works says nothing of the network.
        bench.send(.link(.keepAliveAnswered))
        #expect(interval(bench) == grown)
        bench.send(.conditions(NotificationConditions()))
        bench.pass(grown * 0.75)
        #expect(bench.send(.conditions(NotificationConditions(isRadioWarm: true))).keepAlives == 1)
    }

    @Test("What comes while one is under way shows that the link lives")
    func life() {
        var bench = Bench()
        up(&bench)
        bench.pass(241)
        bench.send(.link(.traffic))
        #expect(!bench.pass(100).contains(.linkIsDead))
        bench.pass(150)
        bench.send(.pushArrived(Bench.push(1, Bench.alert), sequence: 1))
        #expect(!bench.pass(100).contains(.linkIsDead))
    }

    @Test("So many networks are remembered, the latest")
    func networks() {
        var bench = Bench()
        for number in 0..<40 {
            up(&bench, "n\(number)")
            bench.pass(241)
            bench.send(.link(.keepAliveAnswered))
        }
        let kept = bench.store.records.keys.compactMap { if case .network(let name) = $0 { name } else { nil } }
        #expect(kept.count == 32 && !kept.contains("n7") && kept.contains("n8"))
    }
}
