import Model
import NotificationsCore
import Testing

@Suite("What is shown") struct PresentingTests {
    private static let answers = [
        NotificationCategory(
            identifier: "message",
            actions: [
                NotificationAction(
                    identifier: "reply", title: "Reply",
                    textInput: NotificationAction.TextInput(buttonTitle: "Send", placeholder: "…")),
                NotificationAction(identifier: "mute", title: "Mute"),
                NotificationAction(identifier: "show", title: "Show", options: [.foreground]),
            ], options: [.customDismissAction])
    ]

    // MARK: Authorization

    @Test("Without authorization a notification is accepted and not shown; once it is given, the next one is")
    func authorization() {
        var bench = Bench()
        let app = bench.attach(journal)
        bench.send(.appState(journal, .background))
        #expect(bench.add(app, "a").isDone && bench.effects.shown.isEmpty)
        #expect(bench.effects.reports == [.notShown(journal, identifier: "a", .notAuthorized)])
        guard case .success(.authorized(true)) = bench.ask(app, .authorize([.alert, .sound])) else {
            Issue.record("it was not granted")
            return
        }
        bench.add(app, "b")
        #expect(bench.effects.shown == ["b"])
        #expect(bench.system.settings(of: journal)?.showsBadge == false)
    }

    @Test("A notification is critical only where the app was allowed that, whatever a provider or a helper writes")
    func critical() {
        var bench = Bench()
        let app = bench.authorized()
        var note = Bench.note("a")
        note.content.interruption = .critical
        #expect(bench.effects(of: .add(note), on: app).presented.map(\.level) == [.active])
        bench.ask(app, .authorize([.criticalAlert]))
        #expect(bench.effects(of: .add(note), on: app).presented.map(\.level) == [.critical])
        note.content.interruption = .timeSensitive
        #expect(bench.effects(of: .add(note), on: app).presented.map(\.level) == [.timeSensitive])
    }

    @Test("What a person denied stays denied, whatever the app asks; and what a person allows is shown")
    func decision() {
        var bench = Bench()
        let app = bench.authorized()
        bench.ask(app, .setBadge(3))
        bench.add(app, "a")
        bench.ask(tool: .decide(journal, isAllowed: false))
        #expect(bench.effects.withdrawn.count == 1 && bench.effects.badges == [3, 0])
        guard case .success(.authorized(false)) = bench.ask(app, .authorize([.alert])) else {
            Issue.record("it was granted")
            return
        }
        bench.add(app, "b")
        #expect(bench.effects.shown == ["a"] && bench.system.delivered(of: journal).isEmpty)
        #expect(bench.ask(app, .setBadge(4)).refusal == .notAllowed)
        bench.ask(tool: .decide(journal, isAllowed: true))
        bench.add(app, "c")
        #expect(bench.effects.shown == ["a", "c"] && bench.effects.badges == [3, 0, 3])
        #expect(bench.ask(tool: .decide(chat, isAllowed: true)).refusal == .noSuchApp)
    }

    @Test("The first answer can be no")
    func refusing() {
        var rules = NotificationRules()
        rules.grantsAtFirst = false
        var bench = Bench(rules: rules)
        let app = bench.attach()
        guard case .success(.authorized(false)) = bench.ask(app, .authorize([.alert])) else {
            Issue.record("it was granted")
            return
        }
        #expect(bench.system.settings(of: journal)?.status == .denied)
    }

    @Test("Provisionally, notifications go to the list, without banner and sound")
    func provisional() {
        var bench = Bench()
        let app = bench.authorized(journal, .background, [.alert, .sound, .provisional])
        bench.ask(app, .add(Bench.note("a", sound: "default")))
        #expect(bench.effects.presented.map(\.hasBanner) == [false] && bench.effects.presented.first?.sound == nil)
        #expect(bench.system.delivered(of: journal).count == 1)
        bench.ask(app, .authorize([.alert, .sound]))
        bench.ask(app, .add(Bench.note("b", sound: "default")))
        #expect(bench.effects.presented.map(\.hasBanner) == [false, true])
        #expect(bench.effects.presented.last?.sound == "default")
    }

    @Test("Sound, badge and alert each go only where they were granted")
    func options() {
        var bench = Bench()
        let app = bench.authorized(journal, .background, [.badge])
        bench.ask(app, .add(Bench.note("a", badge: 5, sound: "bell")))
        #expect(bench.effects.shown.isEmpty && bench.effects.badges == [5] && bench.effects.sounds.isEmpty)
        bench.ask(app, .authorize([.sound]))
        bench.ask(app, .add(Bench.note("b", sound: "bell")))
        #expect(bench.effects.shown.isEmpty && bench.effects.sounds == ["bell"])
        bench.ask(app, .authorize([.alert]))
        bench.ask(app, .add(Bench.note("c", sound: "bell")))
        #expect(bench.effects.presented.first?.sound == "bell" && bench.effects.sounds == ["bell"])
    }

    // MARK: On the screen

    @Test("An app on the screen decides, and only what it wants is shown")
    func willPresent() {
        var bench = Bench()
        let app = bench.authorized(journal, .active)
        func answer(_ identifier: String, _ options: PresentationOptions) -> [NotificationEffect] {
            let told = bench.effects(of: .add(Bench.note(identifier, badge: 7, sound: "bell")), on: app).told
            #expect(told.map(\.words) == ["present \(identifier)"])
            return bench.send(.answered(app, told.first?.id.number ?? 0, .present(options)))
        }
        #expect(answer("none", []).presented.isEmpty && bench.system.delivered(of: journal).isEmpty)
        #expect(bench.effects.reports == [.notShown(journal, identifier: "none", .declinedByApp)])
        let list = answer("list", [.list]).presented
        #expect(list.map(\.hasBanner) == [false] && list.first?.sound == nil)
        let sound = answer("sound", [.sound, .badge])
        #expect(sound.sounds == ["bell"] && sound.badges == [7] && sound.presented.isEmpty)
        let banner = answer("banner", [.banner])
        #expect(banner.presented.map(\.hasBanner) == [true])
        // It is in no list, and is gone with its banner.
        #expect(bench.system.delivered(of: journal).map(\.notification.request.identifier) == ["list"])
        bench.send(.expired(banner.presented[0].id))
        #expect(bench.effects.withdrawn == [banner.presented[0].id])
        bench.send(.expired(list[0].id))
        #expect(bench.system.delivered(of: journal).count == 1)
        #expect(answer("old", [.alert]).presented.map(\.hasBanner) == [true])
        #expect(bench.system.delivered(of: journal).count == 2)
    }

    @Test("An app on the screen that does not answer within ten seconds shows nothing")
    func noAnswer() {
        var bench = Bench()
        let app = bench.authorized(journal, .active)
        let number = bench.effects(of: .add(Bench.note("a")), on: app).told.first?.id.number ?? 0
        #expect(bench.pass(9.9).reports.isEmpty)
        #expect(bench.pass(0.2).reports == [.notShown(journal, identifier: "a", .noAnswer)])
        #expect(bench.send(.answered(app, number, .present([.banner, .list]))).presented.isEmpty)
        #expect(bench.system.delivered(of: journal).isEmpty && bench.system.tellings(of: journal).isEmpty)
    }

    @Test("An app on the screen that cannot be asked, or is asked too much, has nothing taken from the user")
    func notAsked() {
        var bench = Bench()
        let app = bench.authorized(journal, .active)
        bench.send(.detached(app))
        // From a tool: registration is another matter.
        bench.send(.pushArrived(Bench.push(1, Bench.alert), sequence: nil))
        #expect(bench.effects.told.isEmpty && bench.pass(9.9).presented.isEmpty)
        #expect(bench.pass(0.2).presented.count == 1)
        _ = bench.attach()
        bench.forgetEffects()
        for number in 2...66 {
            bench.send(.pushArrived(Bench.push(UInt64(number), Bench.alert), sequence: nil))
        }
        #expect(bench.effects.told.count == 64 && bench.effects.presented.count == 1)
        #expect(bench.effects.reports.isEmpty)
    }

    @Test("One that leaves the screen while it is asked does not decide any more")
    func leaves() {
        var bench = Bench()
        let app = bench.authorized(journal, .active)
        let number = bench.effects(of: .add(Bench.note("a")), on: app).told.first?.id.number ?? 0
        #expect(bench.send(.appState(journal, .background)).shown == ["a"])
        #expect(bench.send(.answered(app, number, .present([]))).isEmpty)
        #expect(bench.pass(60).isEmpty && bench.system.delivered(of: journal).count == 1)
    }

    // MARK: Lists and badges

    @Test("A second one of an identifier replaces what is shown, and is the latest of the list")
    func replaces() {
        var bench = Bench()
        let app = bench.authorized()
        for identifier in ["a", "b", "a"] { bench.add(app, identifier) }
        let ids = bench.effects.presented.map(\.id)
        #expect(ids[0] == ids[2] && ids[0] != ids[1])
        #expect(bench.system.delivered(of: journal).map(\.notification.request.identifier) == ["b", "a"])
        bench.restart()
        #expect(bench.system.delivered(of: journal).map(\.notification.request.identifier) == ["b", "a"])
    }

    @Test("Removing delivered ones withdraws them from the screen; other apps keep theirs")
    func removal() {
        var bench = Bench()
        let app = bench.authorized()
        let other = bench.authorized(chat)
        for identifier in ["a", "b", "c"] { bench.add(app, identifier) }
        bench.add(other, "a")
        let ids = bench.effects.presented.map(\.id)
        bench.ask(app, .removeDelivered(["a", "none"]))
        #expect(bench.effects.withdrawn == [ids[0]])
        bench.ask(app, .removeDelivered(nil))
        #expect(bench.effects.withdrawn == [ids[0], ids[1], ids[2]])
        #expect(bench.system.delivered(of: chat).count == 1 && bench.system.app(of: ids[3]) == chat)
    }

    @Test("The list has an end: the oldest goes")
    func bound() {
        var bench = Bench()
        let app = bench.authorized()
        for number in 0..<130 { bench.add(app, "n\(number)") }
        #expect(bench.system.delivered(of: journal).count == 128)
        #expect(bench.system.delivered(of: journal).first?.notification.request.identifier == "n2")
        #expect(bench.effects.withdrawn.count == 2)
    }

    @Test("A badge is set by the app and by what is shown, and each process of the app knows it")
    func badges() {
        var bench = Bench()
        let app = bench.authorized()
        let second = bench.attach(journal, .background)
        #expect(bench.ask(app, .setBadge(-1)).refusal != nil)
        let set = bench.effects(of: .setBadge(3), on: app)
        #expect(set.contains(.badge(journal, 3)) && set.contains(.tellBadge(second, 3)))
        #expect(!set.contains(.tellBadge(app, 3)))
        let shown = bench.effects(of: .add(Bench.note("a", badge: 0)), on: app)
        #expect(shown.contains(.badge(journal, 0)) && shown.contains(.tellBadge(app, 0)))
        #expect(bench.effects(of: .add(Bench.note("b", badge: 0)), on: app).badges.isEmpty)
        bench.ask(app, .setBadge(8))
        bench.restart()
        #expect(bench.system.badge(of: journal) == 8)
    }

    // MARK: Answers of people

    @Test("A tap opens the app with the launch option, and its delegate hears of it once")
    func tap() {
        var bench = Bench()
        let app = bench.authorized(journal, .suspended)
        bench.add(app, "a")
        let id = bench.effects.presented[0].id
        let opened = bench.send(.acted(id, .open))
        #expect(opened.opens.map(\.option) == [.localNotification] && opened.withdrawn == [id])
        #expect(opened.opens.first?.response.action == .open && bench.system.delivered(of: journal).isEmpty)
        bench.send(.woken(opened.opens[0].telling.id, .allowed))
        let told = bench.send(.appState(journal, .active)).told
        #expect(told.map(\.words) == ["response a"])
        bench.send(.answered(app, told[0].id.number, .done))
        #expect(bench.system.tellings(of: journal).isEmpty)
        #expect(bench.send(.acted(id, .open)).isEmpty)
        #expect(bench.ask(tool: .act(id, .open)).refusal == .noSuchNotification)
    }

    @Test("Actions go to the background unless they say otherwise; a text goes where it was asked for")
    func actions() {
        var bench = Bench()
        let app = bench.authorized(journal, .suspended)
        bench.ask(app, .setCategories(Self.answers))
        for identifier in ["a", "b", "c", "d"] { bench.add(app, identifier, category: "message") }
        let ids = bench.effects.presented.map(\.id)
        #expect(bench.effects.presented[0].actions.map(\.identifier) == ["reply", "mute", "show"])
        #expect(bench.effects.presented[0].tellsDismissal)
        let reply = bench.send(.acted(ids[0], .custom(identifier: "reply", text: "hello")))
        #expect(reply.wakes.map(\.window) == [.response] && reply.opens.isEmpty)
        #expect(bench.send(.acted(ids[1], .custom(identifier: "show", text: "x"))).opens.count == 1)
        #expect(!bench.ask(tool: .act(ids[2], .custom(identifier: "none", text: nil))).isDone)
        #expect(bench.ask(tool: .act(ids[2], .dismiss)).isDone)
        let actions = bench.system.tellings(of: journal).map { telling -> ResponseAction? in
            if case .didReceive(let response) = telling.kind { response.action } else { nil }
        }
        #expect(
            actions == [
                .custom(identifier: "reply", text: "hello"), .custom(identifier: "show", text: nil), .dismiss,
            ])
        bench.restart()
        #expect(bench.system.categories(of: journal) == Self.answers)
    }

    @Test("A dismissal is told only where the category wants it")
    func dismissal() {
        var bench = Bench()
        let app = bench.authorized(journal, .suspended)
        bench.add(app, "a")
        let gone = bench.send(.acted(bench.effects.presented[0].id, .dismiss))
        #expect(gone.wakes.isEmpty && bench.system.delivered(of: journal).isEmpty)
        #expect(bench.system.tellings(of: journal).isEmpty)
    }

    @Test("What is too much is refused")
    func limits() {
        var bench = Bench()
        let app = bench.authorized()
        let many = (0..<65).map { NotificationCategory(identifier: "c\($0)", actions: []) }
        #expect(!bench.ask(app, .setCategories(many)).isDone)
        let actions = (0..<17).map { NotificationAction(identifier: "a\($0)", title: "") }
        #expect(!bench.ask(app, .setCategories([NotificationCategory(identifier: "c", actions: actions)])).isDone)
        let long = NotificationCategory(identifier: String(repeating: "x", count: 70_000), actions: [])
        #expect(!bench.ask(app, .setCategories([long])).isDone)
        #expect(bench.system.categories(of: journal).isEmpty)
    }

    @Test("A removed app takes everything with it, and may come again")
    func removed() {
        var bench = Bench()
        let app = bench.authorized()
        bench.ask(app, .setCategories(Self.answers))
        bench.ask(app, .setBadge(2))
        bench.add(app, "a")
        bench.add(app, "b", .after(seconds: .seconds(100), repeats: false))
        bench.send(.acted(bench.effects.presented[0].id, .open))
        bench.add(app, "c")
        _ = bench.effects(of: .register, on: app)
        bench.ask(tool: .push(Bench.push(1, Bench.silent)))
        bench.forgetEffects()
        let request = bench.request()
        let effects = bench.send(.forgotten(journal, request))
        #expect(effects.contains(.reply(request, .done)) && effects.badges == [0] && effects.withdrawn.count == 1)
        #expect(effects.unregistrations == ["org.example.journal"])
        #expect(bench.pass(1000).isEmpty && bench.system.apps.isEmpty)
        let left = bench.store.records.keys.filter {
            switch $0 {
            case .counters, .seen: false
            default: true
            }
        }
        #expect(left.isEmpty)
        #expect(bench.ask(app, .settings).refusal == .notAttached)
        _ = bench.authorized()
        #expect(bench.system.settings(of: journal)?.status == .authorized)
    }
}
