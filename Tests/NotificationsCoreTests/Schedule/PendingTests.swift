import Model
import NotificationsCore
import Testing

@Suite("Requests that wait") struct PendingTests {
    private func after(_ seconds: Double, repeats: Bool = false) -> NotificationTrigger {
        .after(seconds: .seconds(seconds), repeats: repeats)
    }

    private func daily(_ hour: Int, _ minute: Int = 0, repeats: Bool = true) -> NotificationTrigger {
        .matching(CalendarComponents(hour: hour, minute: minute), repeats: repeats)
    }

    @Test("An interval is shown when it is over, and once")
    func interval() {
        var bench = Bench()
        let app = bench.authorized()
        bench.add(app, "tea", after(300))
        #expect(bench.pass(299.5).shown.isEmpty)
        let shown = bench.pass(1).presented
        #expect(shown.map(\.notification.request.identifier) == ["tea"] && shown.first?.hasBanner == true)
        #expect(shown.first?.notification.date == Bench.start + .seconds(300))
        #expect(shown.first?.notification.isLate == false)
        #expect(bench.pass(100_000).shown.isEmpty && bench.system.pending(of: journal).isEmpty)
        #expect(bench.system.delivered(of: journal).count == 1)
    }

    @Test("A repeating interval replaces what it showed before")
    func repeats() {
        var bench = Bench()
        let app = bench.authorized()
        bench.add(app, "stand", after(3600, repeats: true))
        #expect(bench.pass(4 * 3600 + 1).shown == ["stand", "stand", "stand", "stand"])
        #expect(bench.system.delivered(of: journal).map(\.notification.date) == [Bench.start + .seconds(4 * 3600)])
        #expect(Set(bench.effects.presented.map(\.id)).count == 1)
    }

    @Test("What cannot be is refused with the parameter that is wrong")
    func refusals() {
        var bench = Bench()
        let app = bench.authorized()
        var components = CalendarComponents()
        let bad: [(NotificationTrigger, String)] = [
            (after(0), "seconds"), (after(-1), "seconds"), (after(59, repeats: true), "seconds"),
            (after(1e12), "seconds"), (.push, "trigger"), (.matching(components, repeats: true), "components"),
            (.matching(CalendarComponents(hour: 24), repeats: true), "hour"),
            (.matching(CalendarComponents(hour: 1).with { $0.weekdayOrdinal = 2 }, repeats: false), "weekdayOrdinal"),
            (
                .region(RegionTrigger(identifier: "r", latitude: 91, longitude: 0, radius: 1), repeats: false),
                "region"
            ),
            (
                .region(RegionTrigger(identifier: "r", latitude: .nan, longitude: 0, radius: 1), repeats: false),
                "region"
            ),
        ]
        for (trigger, parameter) in bad {
            let refusal = bench.add(app, "x", trigger).refusal
            guard case .invalid(let wrong, _)? = refusal else {
                Issue.record("\(trigger) was not refused: \(String(describing: refusal))")
                continue
            }
            #expect(wrong == parameter)
        }
        for never in [CalendarComponents(day: 30).with { $0.month = 2 }, CalendarComponents(year: 2020)] {
            #expect(bench.add(app, "x", .matching(never, repeats: true)).refusal == .noDate)
        }
        components.zone = ZoneRules(identifier: "bad", initialOffset: 1_000_000)
        components.hour = 1
        #expect(!bench.add(app, "x", .matching(components, repeats: true)).isDone)
        #expect(!bench.add(app, "", after(1)).isDone)
        #expect(!bench.add(app, String(repeating: "x", count: 513), after(1)).isDone)
        var note = Bench.note("x", after(1))
        note.content.body = String(repeating: "x", count: 17_000)
        #expect(!bench.ask(app, .add(note)).isDone)
        note.content.body = ""
        note.content.badge = -1
        #expect(!bench.ask(app, .add(note)).isDone)
        #expect(bench.system.pending(of: journal).isEmpty)
    }

    @Test("A second request of an identifier replaces the first")
    func replacement() {
        var bench = Bench()
        let app = bench.authorized()
        bench.add(app, "a", after(100))
        bench.add(app, "a", after(200))
        #expect(bench.system.pending(of: journal).count == 1)
        #expect(bench.pass(150).shown.isEmpty && bench.pass(100).shown == ["a"])
        bench.add(app, "b", after(100))
        #expect(bench.effects.shown == ["a"])
        bench.add(app, "b")
        #expect(bench.effects.shown == ["a", "b"] && bench.system.pending(of: journal).isEmpty)
        #expect(bench.pass(200).shown.isEmpty)
    }

    @Test("Of more than 64 the soonest are kept, and what is dropped is said")
    func overflow() {
        var bench = Bench()
        let app = bench.authorized()
        for number in 1...64 { #expect(bench.add(app, "n\(number)", after(Double(number) * 100)).isDone) }
        #expect(bench.add(app, "late", after(6401)).refusal == .tooManyPending)
        #expect(bench.effects.reports == [.overflow(journal, dropped: "late")])
        bench.forgetEffects()
        guard case .success(.added(let dropped)) = bench.add(app, "soon", after(50)) else {
            Issue.record("the sooner one was refused")
            return
        }
        #expect(dropped == ["n64"] && bench.effects.reports == [.overflow(journal, dropped: "n64")])
        #expect(bench.system.pending(of: journal).count == 64)
        // What replaces another one takes no room, and another app has its own.
        #expect(bench.add(app, "n1", after(9000)).isDone)
        let other = bench.authorized(chat)
        #expect(bench.add(other, "x", after(9000)).isDone)
        // A place is due at no time, and makes room for what is.
        let region = RegionTrigger(identifier: "home", latitude: 1, longitude: 2, radius: 100)
        #expect(bench.add(app, "home", .region(region, repeats: false)).refusal == .tooManyPending)
        #expect(bench.pass(7000).shown.count == 63)
    }

    @Test("Pending requests are listed in the order in which they are due, and can be removed")
    func removal() {
        var bench = Bench()
        let app = bench.authorized()
        bench.add(app, "c", after(300))
        bench.add(app, "a", after(100))
        bench.add(app, "b", daily(1))
        let views = bench.system.pending(of: journal)
        #expect(views.map(\.request.identifier) == ["a", "c", "b"])
        #expect(views.map(\.due) == [100, 300, 3600].map { Bench.start + .seconds($0) })
        bench.ask(app, .removePending(["a", "none"]))
        #expect(bench.system.pending(of: journal).map(\.request.identifier) == ["c", "b"])
        bench.ask(app, .removePending(nil))
        #expect(bench.system.pending(of: journal).isEmpty && bench.pass(10_000).shown.isEmpty)
        #expect(bench.nextDeadline() == nil)
    }

    @Test("A calendar trigger repeats at its next match, strictly behind the last")
    func calendar() {
        var bench = Bench(zone: .berlin, start: WallTime("2026-10-24T00:00:00Z"))
        let app = bench.authorized()
        bench.add(app, "news", daily(8))
        bench.add(app, "once", daily(9, repeats: false))
        let dates = bench.pass(3 * 86_400).presented.map(\.notification.date.text)
        #expect(
            dates == [
                "2026-10-24T06:00:00Z", "2026-10-24T07:00:00Z", "2026-10-25T07:00:00Z", "2026-10-26T07:00:00Z",
            ])
        #expect(bench.system.pending(of: journal).map(\.due?.text) == ["2026-10-27T07:00:00Z"])
    }

    @Test("A date that has just passed is shown at once, once; one that is over is refused")
    func justPast() {
        var bench = Bench()
        let app = bench.authorized()
        bench.pass(100.25)
        func at(_ second: Int, _ repeats: Bool = false) -> NotificationTrigger {
            .matching(
                CalendarComponents(year: 2026, month: 7, day: 1, hour: 0, minute: 1, second: second), repeats: repeats)
        }
        // It is 00:01:40.25.
        let shown = bench.effects(of: .add(Bench.note("a", at(40))), on: app)
        #expect(shown.shown == ["a"] && shown.presented.first?.notification.isLate == false)
        #expect(shown.presented.first?.notification.date.text == "2026-07-01T00:01:40Z")
        #expect(bench.effects(of: .add(Bench.note("b", at(36))), on: app).shown == ["b"])
        #expect(bench.effects(of: .add(Bench.note("c", at(40, true))), on: app).shown == ["c"])
        #expect(bench.system.pending(of: journal).isEmpty && bench.pass(100_000).shown.isEmpty)
        #expect(bench.add(app, "d", at(30)).refusal == .noDate)
        #expect(bench.restart().shown.isEmpty)
    }

    @Test("A region is shown when it is entered or left, and again if it repeats")
    func regions() {
        var bench = Bench()
        let app = bench.authorized()
        let home = RegionTrigger(identifier: "home", latitude: 1, longitude: 2, radius: 100, onExit: false)
        bench.add(app, "welcome", .region(home, repeats: true))
        let work = RegionTrigger(identifier: "work", latitude: 1, longitude: 2, radius: 100, onEntry: false)
        bench.add(app, "bye", .region(work, repeats: false))
        #expect(bench.send(.regionCrossed(journal, region: "home", isEntry: false)).shown.isEmpty)
        #expect(bench.send(.regionCrossed(journal, region: "home", isEntry: true)).shown == ["welcome"])
        #expect(bench.send(.regionCrossed(journal, region: "home", isEntry: true)).shown == ["welcome"])
        #expect(bench.send(.regionCrossed(journal, region: "work", isEntry: true)).shown.isEmpty)
        #expect(bench.send(.regionCrossed(journal, region: "work", isEntry: false)).shown == ["bye"])
        #expect(bench.send(.regionCrossed(journal, region: "work", isEntry: false)).shown.isEmpty)
        #expect(bench.send(.regionCrossed(chat, region: "home", isEntry: true)).shown.isEmpty)
        // A tool in the location service's place hears how many waited.
        func crossed(_ region: String, _ app: AppIdentifier = journal) -> Result<NotificationReply, NotificationRefusal>
        {
            bench.ask(tool: .cross(app, region: region, isEntry: true))
        }
        #expect(crossed("home") == .success(.crossed(notifications: 1)))
        #expect(crossed("work") == .success(.crossed(notifications: 0)))
        #expect(crossed("home", chat).refusal == .noSuchApp)
    }

    // MARK: Clocks, zones, and machines that are off

    @Test("Setting the clock moves calendar triggers, and no interval")
    func clock() {
        var bench = Bench()
        let app = bench.authorized()
        bench.add(app, "news", daily(8))
        bench.add(app, "tea", after(3600))
        // To seven o'clock.
        bench.send(.clockChanged(bench.offset + .seconds(7 * 3600)))
        #expect(bench.pass(1800).shown.isEmpty)
        #expect(bench.pass(1801).shown.sorted() == ["news", "tea"])
        // Back to seven: it is not shown again on the same day.
        bench.send(.clockChanged(bench.offset - .seconds(3600)))
        #expect(bench.pass(2 * 3600).shown.isEmpty)
        #expect(bench.pass(24 * 3600).shown == ["news"])
    }

    @Test("A clock that jumps over a time shows it late, once, with the last time that it missed")
    func jump() {
        var bench = Bench()
        let app = bench.authorized()
        bench.add(app, "news", daily(8))
        let shown = bench.send(.clockChanged(bench.offset + .seconds(3 * 86_400 + 10 * 3600))).presented
        #expect(shown.map(\.notification.date.text) == ["2026-07-04T08:00:00Z"])
        #expect(shown.first?.notification.isLate == true)
        #expect(bench.effects.reports == [.late(journal, identifier: "news", by: .seconds(7200))])
        #expect(bench.pass(22 * 3600 + 1).presented.map(\.notification.date.text) == ["2026-07-05T08:00:00Z"])
    }

    @Test("A clock that was years ahead does not silence anything for years")
    func future() {
        var bench = Bench()
        let app = bench.authorized()
        let right = bench.offset
        bench.send(.clockChanged(right + .seconds(86_400 * 800)))
        bench.add(app, "news", daily(8))
        bench.add(app, "tea", after(100_000))
        #expect(bench.pass(9 * 3600).shown == ["news"])
        bench.send(.clockChanged(right))
        #expect(bench.pass(24 * 3600).shown == ["tea", "news"])
    }

    @Test("In another zone it is eight o'clock there, and no day is left out or doubled")
    func zones() {
        var bench = Bench(zone: .berlin)
        let app = bench.authorized()
        bench.add(app, "news", daily(8))
        #expect(bench.pass(10 * 3600).presented.map(\.notification.date.text) == ["2026-07-01T06:00:00Z"])
        bench.send(.zoneChanged(.newYork))
        #expect(bench.pass(14 * 3600).presented.map(\.notification.date.text) == ["2026-07-01T12:00:00Z"])
        // In Tokyo it is nine in the morning of the second: eight has just been.
        let late = bench.send(.zoneChanged(.tokyo)).presented
        #expect(late.map(\.notification.date.text) == ["2026-07-01T23:00:00Z"])
        #expect(bench.pass(86_400).presented.map(\.notification.date.text) == ["2026-07-02T23:00:00Z"])
        bench.send(.zoneChanged(ZoneRules(identifier: "bad", initialOffset: 1_000_000)))
        #expect(bench.system.pending(of: journal).map(\.due?.text) == ["2026-07-03T23:00:00Z"])
    }

    @Test("What fell due while the machine was off is shown once, late, with its time")
    func off() {
        var bench = Bench()
        let app = bench.authorized()
        bench.add(app, "news", daily(8))
        bench.add(app, "tea", after(600))
        bench.add(app, "stand", after(3600, repeats: true))
        bench.add(app, "later", after(400_000))
        bench.pass(60)
        bench.forgetEffects()
        let shown = bench.reboot(after: 3 * 86_400).presented
        #expect(shown.map(\.notification.request.identifier).sorted() == ["news", "stand", "tea"])
        let dates = Dictionary(
            shown.map { ($0.notification.request.identifier, $0.notification.date.text) }, uniquingKeysWith: { $1 })
        #expect(dates["news"] == "2026-07-03T08:00:00Z" && dates["tea"] == "2026-07-01T00:10:00Z")
        #expect(dates["stand"] == "2026-07-04T00:00:00Z")
        #expect(shown.allSatisfy { $0.notification.isLate == ($0.notification.request.identifier != "stand") })
        // An hour behind the last one, not behind the start.
        let next = bench.pass(3600).presented.filter { $0.notification.request.identifier == "stand" }
        #expect(next.map(\.notification.date.text) == ["2026-07-04T01:00:00Z"])
        let rest = bench.pass(400_000).presented.filter { $0.notification.request.identifier == "later" }
        #expect(rest.map(\.notification.date) == [Bench.start + .seconds(400_000)])
    }

    @Test("A restart of the process alone changes nothing, whatever was done to the clock meanwhile")
    func restart() {
        var bench = Bench()
        let app = bench.authorized()
        bench.add(app, "tea", after(3600))
        bench.add(app, "news", daily(8))
        bench.pass(600)
        bench.offset = bench.offset + .seconds(2 * 3600)
        #expect(bench.restart().shown.isEmpty)
        #expect(bench.pass(2999).shown.isEmpty)
        #expect(bench.pass(2).shown == ["tea"])
        #expect(bench.pass(8 * 3600 - 2 * 3600 - 3602).shown.isEmpty)
        #expect(bench.pass(1).shown == ["news"])
    }

    @Test("Each of ten thousand apps wakes the machine for itself alone, in the order of time")
    func many() throws {
        var system = NotificationSystem(boot: "b")
        _ = system.handle(.clockChanged(.zero), at: .zero)
        for number in 0..<10_000 {
            let app = try #require(AppIdentifier("org.example.app\(number)"))
            let connection = ConnectionID(UInt64(number))
            _ = system.handle(.attached(connection, app), at: .zero)
            _ = system.handle(.app(connection, RequestID(1), .authorize([.alert])), at: .zero)
            let seconds = Double(1 + number * 7919 % 10_000)
            let note = Bench.note("n", .after(seconds: .seconds(seconds), repeats: false))
            _ = system.handle(.app(connection, RequestID(2), .add(note)), at: .zero)
        }
        var count = 0
        while let next = system.nextDeadline() {
            let shown = system.handle(.timer, at: next).shown
            count += 1
            #expect(shown.count == 1 && next == .zero + .seconds(Double(count)))
        }
        #expect(count == 10_000 && system.brokenInvariants().isEmpty)
    }
}

extension CalendarComponents {
    func with(_ change: (inout CalendarComponents) -> Void) -> CalendarComponents {
        var result = self
        change(&result)
        return result
    }
}
