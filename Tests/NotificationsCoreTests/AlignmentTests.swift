import Model
import NotificationsCore
import Testing

@Suite("Silent pushes where waking the radio costs much") struct AlignmentTests {
    private static let mobile = NotificationConditions(isRadioDear: true)
    private var bench = Bench()
    private var number: UInt64 = 0

    init() {
        bench.send(.link(.gateway("g")))
        for app in [journal, chat] {
            let connection = bench.authorized(app, .suspended)
            _ = bench.effects(of: .register, on: connection)
            bench.send(.link(.token(topic: app.rawValue, "ab")))
        }
        bench.forgetEffects()
    }

    private mutating func push(
        _ payload: String = Bench.silent, to app: AppIdentifier = journal
    ) -> [NotificationEffect] {
        number += 1
        return bench.send(.pushArrived(Bench.push(number, payload, app: app, type: .background), sequence: number))
    }

    private mutating func handle(_ effects: [NotificationEffect]) {
        for wake in effects.wakes {
            bench.send(.woken(wake.telling.id, .allowed))
            bench.send(.windowEnded(wake.telling.id.app, .push, .done))
        }
    }

    private mutating func up(_ conditions: NotificationConditions = mobile) -> [NotificationEffect] {
        bench.send(.conditions(conditions))
        return bench.send(.link(.up(network: "n", longestKeepAlive: nil)))
    }

    /// Three wake the app; more would wait.
    private mutating func spend() -> [NotificationEffect] {
        var last: [NotificationEffect] = []
        for _ in 1...3 {
            last = push()
            handle(last)
        }
        return last
    }

    @Test("The gateway is told to have patience, unless the device charges or its radio costs little")
    mutating func patience() {
        #expect(up().advice == ["patience 600"])
        #expect(
            bench.system.sentence(for: journal, at: bench.now)
                == "0 silent pushes came in the last hour, 0 went to the app; 3 more may wake it now (3, and one more "
                + "every 20 minutes), each after up to 10 minutes at the gateway")
        // Nothing is sent for this alone.
        #expect(bench.send(.conditions(NotificationConditions(isCharging: true, isRadioDear: true))).advice == [])
        #expect(bench.send(.link(.traffic)).advice == ["patience 0"])
        #expect(bench.send(.conditions(NotificationConditions(isLowPower: true, isRadioDear: true))).advice == [])
        #expect(bench.send(.link(.traffic)).advice == ["patience 3600"])
        bench.send(.link(.down))
        #expect(up(NotificationConditions()).advice == [])
        #expect(spend().advice == [])
    }

    @Test("With the last one that may wake the app the gateway hears until when the next one waits")
    mutating func hold() {
        _ = up()
        #expect(spend().advice == ["hold org.example.journal 1200"])
        #expect(
            bench.system.sentence(for: journal, at: bench.now)
                == "3 silent pushes came in the last hour, 3 went to the "
                + "app; the next one waits at the gateway, where it costs no radio, until 2026-07-01T00:20:00Z (3, and "
                + "one more every 20 minutes)")
        // Said once.
        #expect(bench.send(.link(.traffic)).advice == [])
        for _ in 1...13 {
            bench.pass(100)
            #expect(bench.send(.link(.traffic)).advice == [])
        }
        #expect(push().advice == ["hold org.example.journal 1100"])
    }

    @Test("What waits at the gateway for an app is asked for when the user opens the app, or closes it")
    mutating func opened() {
        _ = up()
        _ = spend()
        #expect(bench.send(.appState(journal, .active)).advice == ["hold org.example.journal never"])
        bench.send(.appState(journal, .suspended))
        #expect(bench.send(.link(.traffic)).advice == ["hold org.example.journal 1200"])
        #expect(bench.send(.closedByUser(journal)).advice == ["hold org.example.journal never"])
        #expect(bench.send(.appState(chat, .active)).advice == ["hold org.example.chat never"])
        bench.send(.appState(chat, .suspended))
        #expect(bench.send(.link(.traffic)).advice.contains("hold org.example.chat"))
    }

    @Test("While the radio is awake the gateway hears at once that an app has left the screen")
    mutating func warm() {
        _ = up()
        #expect(bench.send(.appState(chat, .active)).advice == ["hold org.example.chat never"])
        let warm = NotificationConditions(isRadioWarm: true, isRadioDear: true)
        #expect(bench.send(.conditions(warm)).advice == [])
        #expect(bench.send(.appState(chat, .suspended)).advice == ["hold org.example.chat"])
        bench.send(.appState(chat, .active))
        bench.send(.conditions(Self.mobile))
        #expect(bench.send(.appState(chat, .suspended)).advice == [])
        #expect(bench.send(.conditions(warm)).advice == ["hold org.example.chat"])
    }

    @Test("What comes behind a keep-alive or an alert is let through without the budget, one for each app")
    mutating func opening() {
        _ = up()
        _ = spend()
        #expect(push().wakes.isEmpty)
        bench.pass(250)
        #expect(bench.effects.keepAlives == 1)
        let kept = bench.send(.link(.keepAliveAnswered))
        #expect(kept.wakes.map(\.telling.words) == ["push 4"])
        handle(kept)
        // It had its one.
        #expect(push().wakes.isEmpty)
        bench.pass(60)
        let alert = push(Bench.alert, to: chat)
        #expect(alert.wakes.map(\.telling.words) == ["push 5"])
        handle(alert)
        bench.pass(60)
        _ = push(Bench.alert, to: chat)
        let behind = push()
        #expect(behind.wakes.map(\.telling.words) == ["push \(number)"])
        handle(behind)
        #expect(push().wakes.isEmpty)
        bench.pass(11)
        #expect(push(to: chat).wakes.count == 1)
    }

    @Test("A new connection knows nothing of what was said on the one before")
    mutating func again() {
        _ = up()
        _ = spend()
        bench.send(.link(.down))
        #expect(bench.send(.appState(journal, .active)).advice == [])
        bench.send(.appState(journal, .suspended))
        #expect(up().advice == ["patience 600", "hold org.example.journal 1200"])
    }
}

extension [NotificationEffect] {
    fileprivate var advice: [String] {
        compactMap { effect in
            switch effect {
            case .patience(let span): "patience \(Int(span.seconds))"
            case .hold(let topic, .never): "hold \(topic) never"
            case .hold(let topic, .ordinary): "hold \(topic)"
            case .hold(let topic, .lasts(let span)): "hold \(topic) \(Int(span.seconds))"
            default: nil
            }
        }
    }
}
