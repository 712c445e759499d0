import Model
import NotificationsCore
import Testing

@Suite("What apps are told, exactly once") struct TellingTests {
    private static let quiet = [
        NotificationCategory(
            identifier: "m", actions: [NotificationAction(identifier: "mute", title: "Mute")], options: [])
    ]

    /// A suspended app, one of whose notifications is acted on.
    private func acted(
        _ bench: inout Bench, _ action: ResponseAction = .open, _ presence: NotificationPresence = .suspended
    ) -> (connection: ConnectionID, effects: [NotificationEffect]) {
        let app = bench.authorized(journal, presence)
        bench.ask(app, .setCategories(Self.quiet))
        bench.add(app, "a", category: "m")
        let id = bench.effects.presented.last?.id ?? NotificationID(0)
        return (app, bench.send(.acted(id, action)))
    }

    private static let mute = ResponseAction.custom(identifier: "mute", text: nil)

    @Test("A service that dies at any moment tells a response once more by the same number, until it is answered")
    func deaths() {
        for moment in 0..<5 {
            var bench = Bench()
            let (app, effects) = acted(&bench)
            guard let open = effects.opens.first else { return missing("nothing is opened") }
            if moment == 0 { #expect(bench.restart().opens.map(\.telling) == [open.telling]) }
            bench.send(.woken(open.telling.id, .allowed))
            if moment == 1 { #expect(bench.restart().opens.isEmpty) }
            bench.send(.appState(journal, .active))
            let connection = moment < 2 ? bench.attach() : app
            if moment == 2 { bench.restart() }
            let last = moment == 2 ? bench.attach() : connection
            #expect(bench.effects.told.last == open.telling, "moment \(moment)")
            if moment == 3 {
                // The app still deals with it.
                bench.restart()
                bench.forgetEffects()
                let again = bench.attach(running: [open.telling.id.number])
                #expect(bench.effects.told.isEmpty && bench.system.tellings(of: journal).count == 1)
                bench.send(.answered(again, open.telling.id.number, .done))
            } else {
                bench.send(.answered(last, open.telling.id.number, .done))
            }
            if moment == 4 { bench.restart() }
            #expect(bench.system.tellings(of: journal).isEmpty, "moment \(moment)")
            bench.forgetEffects()
            _ = bench.attach()
            #expect(bench.effects.told.isEmpty, "moment \(moment)")
        }
    }

    @Test("What waited while an app was told something later is told when its time comes")
    func overtaken() {
        var bench = Bench()
        let (_, effects) = acted(&bench, Self.mute)
        guard let wake = effects.wakes.first else { return missing("nothing is woken") }
        bench.send(.woken(wake.telling.id, .notNow))
        bench.send(.pushArrived(Bench.push(1, Bench.silent, type: .voip), sequence: nil))
        guard let push = bench.effects.wakes.last, push.window == .push else { return missing("no push") }
        bench.send(.woken(push.telling.id, .allowed))
        // The app is at the push, so the system wakes it for nothing else.
        for order in bench.restart().wakes { bench.send(.woken(order.telling.id, .notNow)) }
        bench.forgetEffects()
        // The process deals with the push, which is the second of the two.
        _ = bench.attach(running: [push.telling.id.number])
        #expect(bench.effects.told == [wake.telling])
    }

    @Test("An app that dies before it answers is told again when it comes back, and is not opened by itself")
    func appDies() {
        var bench = Bench()
        let (app, effects) = acted(&bench)
        guard let open = effects.opens.first else { return missing("nothing is opened") }
        bench.send(.woken(open.telling.id, .allowed))
        bench.send(.appState(journal, .active))
        #expect(bench.effects.told.count == 1)
        bench.send(.detached(app))
        let gone = bench.send(.appState(journal, .none))
        #expect(gone.opens.isEmpty && gone.wakes.isEmpty && bench.pass(3600).isEmpty)
        bench.forgetEffects()
        let again = bench.attach()
        #expect(bench.effects.told == [open.telling])
        bench.send(.answered(again, open.telling.id.number, .done))
        #expect(bench.system.tellings(of: journal).isEmpty)
    }

    @Test("One that dies of it each time is not told for ever")
    func poison() {
        var bench = Bench()
        let (app, effects) = acted(&bench)
        guard let open = effects.opens.first else { return missing("nothing is opened") }
        bench.send(.woken(open.telling.id, .allowed))
        bench.send(.appState(journal, .active))
        var connection = app
        for _ in 0..<5 {
            bench.send(.detached(connection))
            bench.send(.appState(journal, .none))
            connection = bench.attach()
        }
        #expect(bench.effects.told.count == 3 && bench.system.tellings(of: journal).isEmpty)
        #expect(bench.effects.reports.count == 1)
    }

    @Test("A background action wakes the app, which is told while its window lasts")
    func background() {
        var bench = Bench()
        let (app, effects) = acted(&bench, Self.mute)
        guard let wake = effects.wakes.first else { return missing("nothing is woken") }
        #expect(wake.window == .response && effects.told.isEmpty)
        bench.send(.woken(wake.telling.id, .allowed))
        let told = bench.send(.appState(journal, .background)).told
        #expect(told == [wake.telling])
        bench.send(.answered(app, wake.telling.id.number, .done))
        bench.send(.windowEnded(journal, .response, .done))
        #expect(bench.system.tellings(of: journal).isEmpty && bench.pass(1000).isEmpty)
    }

    @Test("A wake that is refused for now is tried again, also at once when the window before it ends")
    func notNow() {
        var bench = Bench()
        let (_, effects) = acted(&bench, Self.mute)
        guard let wake = effects.wakes.first else { return missing("nothing is woken") }
        bench.send(.woken(wake.telling.id, .notNow))
        #expect(bench.pass(29).isEmpty)
        #expect(bench.pass(2).wakes == [wake])
        bench.send(.woken(wake.telling.id, .notNow))
        #expect(bench.send(.windowEnded(journal, .response, .done)).wakes == [wake])
        // The daemon died before it answered: its heir is asked.
        bench.send(.woken(wake.telling.id, .lost))
        bench.send(.systemDetached)
        #expect(bench.pass(100).isEmpty)
        #expect(bench.send(.systemAttached).wakes == [wake])
    }

    @Test("An app that ends in its window is woken again, three times at most; one that takes too long is not")
    func window() {
        var bench = Bench()
        let (_, effects) = acted(&bench, Self.mute)
        guard let wake = effects.wakes.first else { return missing("nothing is woken") }
        for time in 1...3 {
            bench.send(.woken(wake.telling.id, .allowed))
            let gone = bench.send(.windowEnded(journal, .response, .gone))
            #expect(gone.wakes == (time < 3 ? [wake] : []))
        }
        #expect(bench.system.tellings(of: journal).isEmpty)
        bench.add(ConnectionID(1), "b", category: "m")
        let second = bench.send(.acted(bench.effects.presented.last?.id ?? NotificationID(0), Self.mute))
        guard let other = second.wakes.first else { return missing("nothing is woken") }
        bench.send(.woken(other.telling.id, .allowed))
        #expect(bench.send(.windowEnded(journal, .response, .late)).wakes.isEmpty)
        #expect(bench.system.tellings(of: journal).isEmpty)
    }

    @Test("Where the end of a window is never told, the app is asked once more by the same number")
    func lostEnd() {
        var bench = Bench()
        let (_, effects) = acted(&bench, Self.mute)
        guard let wake = effects.wakes.first else { return missing("nothing is woken") }
        bench.send(.woken(wake.telling.id, .allowed))
        #expect(bench.pass(59).wakes.isEmpty)
        #expect(bench.pass(2).wakes == [wake])
    }

    @Test("A window that outlives the service, or the system, ends with the one thing for which it was opened")
    func outlived() {
        for dies in [true, false] {
            var bench = Bench()
            let (_, effects) = acted(&bench, Self.mute)
            guard let wake = effects.wakes.first else { return missing("nothing is woken") }
            bench.send(.woken(wake.telling.id, .allowed))
            // The app is at it.
            let again = dies ? bench.restart() : bench.send(.systemDetached) + bench.send(.systemAttached)
            #expect(again.wakes.map(\.telling) == [wake.telling])
            bench.send(.woken(wake.telling.id, .notNow))
            #expect(bench.send(.windowEnded(journal, .response, .done)).wakes.isEmpty)
            #expect(bench.system.tellings(of: journal).isEmpty)
        }
    }

    @Test("An app that the user closed is not woken; when it is opened, it is told")
    func closed() {
        var bench = Bench()
        let (app, effects) = acted(&bench, Self.mute)
        guard let wake = effects.wakes.first else { return missing("nothing is woken") }
        bench.send(.woken(wake.telling.id, .never))
        #expect(bench.pass(3600).wakes.isEmpty)
        bench.send(.detached(app))
        bench.send(.appState(journal, .none))
        bench.forgetEffects()
        _ = bench.attach()
        #expect(bench.effects.told == [wake.telling])
    }

    @Test("What no delegate wants within a day is forgotten, also over a restart")
    func unwanted() {
        var bench = Bench()
        _ = acted(&bench, .open)
        bench.pass(43_000)
        bench.restart()
        #expect(bench.pass(43_300).reports.isEmpty)
        #expect(bench.pass(200).reports.count == 1)
        #expect(bench.system.tellings(of: journal).isEmpty)
    }

    @Test("A tap is not made up for later: an app that cannot be opened now is told when it comes to the screen")
    func surprise() {
        var bench = Bench()
        let (_, effects) = acted(&bench)
        guard let open = effects.opens.first else { return missing("nothing is opened") }
        bench.send(.woken(open.telling.id, .notNow))
        #expect(bench.pass(3600).opens.isEmpty)
        #expect(bench.send(.appState(journal, .active)).told == [open.telling])
    }

    @Test("An app may ask for what it comes to the screen, until it has dealt with that")
    func opening() {
        var bench = Bench()
        let (app, effects) = acted(&bench, .open, .background)
        guard let open = effects.opens.first else { return missing("nothing is opened") }
        #expect(bench.ask(app, .opening) == .success(.opening(open.telling)))
        bench.send(.woken(open.telling.id, .allowed))
        bench.send(.appState(journal, .active))
        #expect(bench.ask(app, .opening) == .success(.opening(open.telling)))
        bench.send(.answered(app, open.telling.id.number, .done))
        #expect(bench.ask(app, .opening) == .success(.opening(nil)))
        #expect(bench.ask(bench.attach(chat), .opening) == .success(.opening(nil)))
    }

    @Test("On the screen it is told at once; what is no answer to what it was told changes nothing")
    func onScreen() {
        var bench = Bench()
        let (app, effects) = acted(&bench, .open, .background)
        guard let open = effects.opens.first else { return missing("nothing is opened") }
        bench.send(.woken(open.telling.id, .allowed))
        bench.send(.appState(journal, .active))
        let number = open.telling.id.number
        for answer in [TellingAnswer.present([.banner]), .fetched(.newData)] {
            #expect(bench.send(.answered(app, number, answer)).isEmpty)
        }
        #expect(bench.send(.answered(app, 99, .done)).isEmpty)
        #expect(bench.send(.answered(ConnectionID(99), number, .done)).isEmpty)
        let stranger = bench.attach(chat)
        #expect(bench.send(.answered(stranger, number, .done)).isEmpty)
        #expect(bench.system.tellings(of: journal).count == 1)
        bench.send(.answered(app, number, .done))
        #expect(bench.system.tellings(of: journal).isEmpty)
    }

    @Test("Responses that nobody takes are bounded: the oldest goes")
    func bound() {
        var bench = Bench(hasSystem: false)
        let app = bench.authorized(journal, .none)
        _ = app
        for number in 0..<70 {
            bench.ask(tool: .show(journal, Bench.note("n\(number)")))
            bench.send(.acted(bench.effects.presented.last?.id ?? NotificationID(0), .open))
        }
        #expect(bench.system.tellings(of: journal).count == 64)
        #expect(bench.system.tellings(of: journal).first?.words == "response n6")
        #expect(bench.effects.reports.count == 6)
    }
}

/// Ends a test that lacks what the rest of it is about.
func missing(_ text: String, _ place: SourceLocation = #_sourceLocation) {
    Issue.record("\(text)", sourceLocation: place)
}
