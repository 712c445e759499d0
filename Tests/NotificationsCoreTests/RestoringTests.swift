import Model
import NotificationsCore
import Simulation
import Testing

@Suite("What a dead process leaves") struct RestoringTests {
    /// What happens to a machine whose apps are not there, so that all that a system knows is durable.
    private func events(seed: UInt64, count: Int) -> [(after: Double, event: NotificationEvent)] {
        var random = SplitMix64(seed: seed)
        var events: [(Double, NotificationEvent)] = [
            (0, .attached(ConnectionID(1), journal)), (0, .attached(ConnectionID(2), chat)),
            (0, .app(ConnectionID(1), RequestID(1), .authorize([.alert, .sound, .badge]))),
            (0, .app(ConnectionID(2), RequestID(2), .authorize([.alert, .provisional]))),
        ]
        for number in 0..<count {
            let app = random.oneIn(3) ? chat : journal
            let connection = ConnectionID(app == journal ? 1 : 2)
            let request = RequestID(UInt64(number + 10))
            func ask(_ asked: AppRequest) -> NotificationEvent { .app(connection, request, asked) }
            let event: NotificationEvent
            switch random.below(14) {
            case 0...4: event = ask(.add(Self.note(&random)))
            case 5: event = ask(.removePending(["n\(random.below(9))"]))
            case 6: event = ask(.removeDelivered(random.oneIn(3) ? nil : ["n\(random.below(9))"]))
            case 7: event = ask(.setBadge(random.below(5)))
            case 8, 9: event = .acted(NotificationID(UInt64(1 + random.below(20))), random.oneIn(2) ? .open : .dismiss)
            case 10, 11: event = .tool(request, .push(Self.push(&random, number, app)))
            case 12: event = .closedByUser(app)
            default: event = .timer
            }
            events.append((Double(random.below(4000)), event))
        }
        return events
    }

    private static func note(_ random: inout SplitMix64) -> NotificationRequest {
        let trigger: NotificationTrigger
        switch random.below(4) {
        case 0: trigger = .after(seconds: .seconds(Double(60 + random.below(20_000))), repeats: random.oneIn(2))
        case 1:
            trigger = .matching(
                CalendarComponents(hour: random.below(24), minute: random.below(60)), repeats: random.oneIn(2))
        case 2: trigger = .matching(CalendarComponents(minute: random.below(60)), repeats: true)
        default: trigger = .now
        }
        return Bench.note("n\(random.below(9))", trigger, badge: random.oneIn(4) ? random.below(9) : nil)
    }

    private static func push(_ random: inout SplitMix64, _ number: Int, _ app: AppIdentifier) -> PushMessage {
        let mutable = #"{"aps":{"alert":"x","mutable-content":1}}"#
        let payload = random.oneIn(2) ? Bench.silent : random.oneIn(2) ? Bench.alert : mutable
        // Some come twice.
        return Bench.push(UInt64(random.oneIn(4) ? max(0, number - 5) : number), payload, app: app)
    }

    /// - Parameter deaths: behind these events another process begins.
    private func run(_ events: [(after: Double, event: NotificationEvent)], deaths: Set<Int>) -> (
        Bench, [NotificationEffect]
    ) {
        var bench = Bench(zone: .berlin, start: WallTime("2026-10-24T10:00:00Z"), hasSystem: false)
        var effects: [NotificationEffect] = []
        for (place, (seconds, event)) in events.enumerated() {
            effects += bench.pass(seconds)
            effects += bench.send(event)
            guard deaths.contains(place) else { continue }
            let again = bench.restart()
            // A helper is asked again, and that is all.
            #expect(again.allSatisfy { if case .mutate = $0 { true } else { false } }, "\(again)")
            bench.send(.attached(ConnectionID(1), journal))
            bench.send(.attached(ConnectionID(2), chat))
        }
        return (bench, effects + bench.pass(100_000))
    }

    private func check(_ seed: UInt64, _ deaths: Set<Int>, count: Int) {
        let events = events(seed: seed, count: count)
        // A helper's thirty seconds begin anew with each process, so what it was asked for may be shown behind
        // something else: it is compared apart.
        func comparable(_ effects: [NotificationEffect]) -> [[String]] {
            func wasMutable(_ effect: NotificationEffect) -> Bool {
                guard case .present(let presentation) = effect else { return false }
                return presentation.notification.request.content.userInfo.contains("mutable-content")
            }
            let told = effects.filter { if case .mutate = $0 { false } else { true } }
            return [told.filter { !wasMutable($0) }, told.filter(wasMutable)].map { $0.map { "\($0)" } }
        }
        let (whole, expected) = run(events, deaths: [])
        let (parts, effects) = run(events, deaths: deaths)
        #expect(comparable(effects) == comparable(expected), "seed \(seed), deaths \(deaths.sorted())")
        #expect(parts.store.records == whole.store.records)
    }

    @Test("After a death behind any event all goes on as if there had been none", arguments: UInt64(1)...6)
    func each(seed: UInt64) {
        for death in 0..<60 { check(seed, [death], count: 60) }
    }

    @Test("So it does when a process dies behind every event", arguments: UInt64(1)...40)
    func every(seed: UInt64) { check(seed, Set(0..<150), count: 150) }

    // MARK: Damage

    private static func pending(_ change: (inout PendingRecord) -> Void) -> NotificationStored {
        var record = PendingRecord(
            app: journal, request: Bench.note("a", .after(seconds: .seconds(1), repeats: false)), since: Bench.start)
        record.dueInstant = Instant(nanoseconds: 5)
        change(&record)
        return .pending(record)
    }

    private static func telling(_ number: TellingNumber) -> NotificationStored {
        let notification = ArrivedNotification(request: Bench.note("a"), date: Bench.start)
        return .telling(
            TellingRecord(
                telling: Telling(id: TellingID(journal, number), kind: .willPresent(notification)), way: .connection,
                created: Bench.start))
    }

    private static func delivered(_ id: UInt64, order: UInt64 = 1) -> NotificationStored {
        .delivered(
            DeliveredRecord(
                id: NotificationID(id), app: journal,
                notification: ArrivedNotification(request: Bench.note("a"), date: Bench.start), order: order,
                isListed: true))
    }

    static let damages: [(String, NotificationStored)] = [
        ("no time", pending { $0.dueInstant = nil }), ("two times", pending { $0.due = Bench.start }),
        ("no identifier", pending { $0.request.identifier = "" }),
        ("a push that waits", pending { $0.request.trigger = .push }),
        ("no date", pending { $0.request.trigger = .matching(CalendarComponents(month: 13), repeats: true) }),
        (
            "no zone",
            pending {
                $0.dueInstant = nil
                $0.due = Bench.start
                $0.request.trigger = .matching(
                    CalendarComponents(hour: 1).with { components in
                        components.zone = ZoneRules(
                            identifier: "x", initialOffset: 0,
                            transitions: [
                                ZoneRules.Transition(at: 5, offset: 1), ZoneRules.Transition(at: .min, offset: 1),
                            ])
                    }, repeats: true)
            }
        ),
        ("a number that cannot be", telling(.max)), ("number zero", telling(0)),
        ("a notification that cannot be", delivered(.max)), ("an order that cannot be", delivered(1, order: .max)),
        ("a slot that is not there", .seen(SeenPush(slot: 5000, id: PushID(high: 1, low: 2)))),
        (
            "a payload that is too long",
            .held(
                HeldPush(
                    app: journal, message: Bench.push(1, String(repeating: "x", count: 9000)), since: Bench.start))
        ),
        (
            "categories that are too many",
            .categories(journal, (0..<80).map { NotificationCategory(identifier: "\($0)", actions: []) })
        ),
    ]

    @Test("A damaged record is left out with a reason, and the others are used", arguments: damages.indices)
    func damage(_ place: Int) {
        let (text, record) = Self.damages[place]
        let good = Self.delivered(3)
        var system = NotificationSystem(
            restoring: StoredNotifications([record, good, .app(AppRecord(journal))]), boot: "b")
        #expect(system.damaged.map(\.key) == [record.key], "\(text)")
        #expect(system.damaged.allSatisfy { !$0.reason.isEmpty })
        let effects = system.handle(.clockChanged(.zero), at: Instant(nanoseconds: 1_000_000_000))
        #expect(effects.shown.isEmpty && system.delivered(of: journal).count == 1)
        #expect(system.brokenInvariants().isEmpty)
    }

    @Test("Two of one number, and more than there may be, are left out")
    func tooMany() {
        let many = (0..<70).map { number in Self.pending { $0.request.identifier = "n\(number)" } }
        let twice = [Self.pending { _ in }, Self.pending { _ in }, Self.delivered(1), Self.delivered(1)]
        let tellings = (UInt64(1)...70).map(Self.telling) + [Self.telling(3)]
        #expect(NotificationSystem(restoring: StoredNotifications(many), boot: "b").damaged.count == 6)
        #expect(NotificationSystem(restoring: StoredNotifications(twice), boot: "b").damaged.count == 2)
        #expect(NotificationSystem(restoring: StoredNotifications(tellings), boot: "b").damaged.count == 7)
    }

    @Test("Numbers that are out of order or lost are never given twice, and no sum of them fails")
    func counters() {
        var app = AppRecord(journal)
        app.nextTelling = .max
        app.badge = -5
        app.settings = NotificationSettings(status: .authorized, options: [.alert])
        var budget = BudgetRecord(app: journal, credit: .longest, asOf: WallTime(nanoseconds: .max))
        budget.hour.parts = [HourCount.Part(number: .max, came: .max, passed: .max)]
        var system = NotificationSystem(
            restoring: StoredNotifications([
                Self.delivered(9, order: 4), .budget(budget), .app(app),
                .network(NetworkRecord(network: "n", keepAlive: .longest, used: Bench.start)),
            ]), boot: "b")
        _ = system.handle(.clockChanged(.zero), at: .zero)
        _ = system.handle(.attached(ConnectionID(1), journal), at: .zero)
        let shown = system.handle(.app(ConnectionID(1), RequestID(1), .add(Bench.note("b"))), at: .zero).presented
        #expect(shown.map(\.id) == [NotificationID(10)])
        _ = system.handle(.tool(RequestID(2), .push(Bench.push(1, Bench.silent))), at: .zero)
        _ = system.handle(.acted(NotificationID(10), .open), at: .zero)
        _ = system.handle(.link(.up(network: "n", longestKeepAlive: nil)), at: .zero)
        #expect(system.linkStatus(at: .zero).keepAlive == .seconds(1680) && system.badge(of: journal) == 0)
        #expect(system.brokenInvariants().isEmpty)
    }

    @Test("Clocks that cannot be make nothing trap", arguments: [Int64.min, -1, 0, .max])
    func clocks(_ nanoseconds: Int64) {
        var system = NotificationSystem(boot: "b")
        for offset in [nanoseconds, 0, .max, .min, nanoseconds] {
            _ = system.handle(.clockChanged(Model.Span(nanoseconds: offset)), at: Instant(nanoseconds: nanoseconds))
            _ = system.handle(.attached(ConnectionID(1), journal), at: .zero)
            _ = system.handle(.app(ConnectionID(1), RequestID(1), .authorize([.alert])), at: .zero)
            for trigger in [
                NotificationTrigger.after(seconds: .seconds(60), repeats: true),
                .matching(CalendarComponents(hour: 1), repeats: true),
            ] {
                let note = Bench.note("\(trigger.repeats)", trigger)
                _ = system.handle(.app(ConnectionID(1), RequestID(1), .add(note)), at: .zero)
            }
            _ = system.handle(.tool(RequestID(1), .push(Bench.push(1, Bench.silent))), at: .zero)
            _ = system.sentence(for: journal, at: Instant(nanoseconds: .max))
            _ = system.handle(.timer, at: Instant(nanoseconds: 1 << 60))
            _ = system.nextDeadline()
        }
        #expect(system.apps == [journal])
    }
}
