import Model
import NotificationsCore
import Testing

@Suite("Pushes on the device") struct PushTests {
    /// An app that has registered, in that state.
    private func registered(
        _ bench: inout Bench, _ app: AppIdentifier = journal, _ presence: NotificationPresence = .suspended
    ) -> ConnectionID {
        let connection = bench.authorized(app)
        bench.send(.link(.gateway("push.example.org")))
        bench.send(.link(.up(network: "home", longestKeepAlive: nil)))
        _ = bench.effects(of: .register, on: connection)
        bench.send(.link(.token(topic: app.rawValue, "ab01")))
        bench.send(.appState(app, presence))
        bench.forgetEffects()
        return connection
    }

    private func alert(_ text: String) -> String { #"{"aps":{"alert":"\#(text)"}}"# }

    @Test("An alert is shown with what it says, and acknowledged after it is durable")
    func alert() throws {
        var bench = Bench()
        _ = registered(&bench)
        let payload = #"""
            {"aps":{"alert":{"title":"T","subtitle":"S","body":"B","launch-image":"l.png"},"badge":4,
             "sound":{"name":"bell","critical":1},"category":"c","thread-id":"t","target-content-id":"x",
             "interruption-level":"time-sensitive","relevance-score":0.5},"own":[1,2]}
            """#
        let received = Bench.start + .seconds(-5)
        let effects = bench.send(.pushArrived(Bench.push(1, payload, received: received), sequence: 17))
        let shown = try #require(effects.presented.first)
        let content = shown.notification.request.content
        #expect(content.title == "T" && content.subtitle == "S" && content.body == "B" && content.badge == 4)
        #expect(content.sound == "bell" && content.category == "c" && content.thread == "t")
        #expect(content.targetContent == "x" && content.interruption == .timeSensitive && content.relevance == 0.5)
        #expect(content.launchImage == "l.png" && content.userInfo == payload)
        #expect(shown.notification.request.trigger == .push && shown.notification.date == received)
        #expect(shown.sound == "bell" && effects.badges == [4] && effects.acknowledged == [17])
        #expect(effects.last == .acknowledge(sequence: 17) && effects.wakes.isEmpty)
        let opened = bench.send(.acted(shown.id, .open))
        #expect(opened.opens.map(\.option) == [.remoteNotification])
    }

    @Test("A message that comes again is shown once, also over a restart, and acknowledged each time")
    func duplicates() {
        var bench = Bench()
        _ = registered(&bench)
        let push = Bench.push(1, alert("a"))
        #expect(bench.send(.pushArrived(push, sequence: 1)).presented.count == 1)
        #expect(bench.send(.pushArrived(push, sequence: 1)).presented.isEmpty)
        bench.restart()
        let again = bench.send(.pushArrived(push, sequence: 2))
        #expect(again.presented.isEmpty && again.acknowledged == [2])
        #expect(again.reports == [.pushDropped(app: journal.rawValue, push.id, .duplicate)])
    }

    @Test("Two messages under one identifier are two notifications, and each is shown once")
    func sharedIdentifier() {
        var bench = Bench()
        _ = registered(&bench)
        let (first, second) = (Bench.push(1, alert("a")), Bench.push(1, alert("b")))
        let shown = [first, second].flatMap { bench.send(.pushArrived($0, sequence: 1)).presented }
        #expect(shown.map(\.notification.request.content.body) == ["a", "b"])
        #expect(Set(shown.map(\.notification.request.identifier)).count == 2)
        #expect(shown.first?.notification.request.identifier == first.id.description)
        bench.restart()
        for push in [first, second] {
            #expect(
                bench.send(.pushArrived(push, sequence: 2)).reports == [
                    .pushDropped(app: journal.rawValue, push.id, .duplicate)
                ])
        }
    }

    @Test("What is odd in a payload is left out, and its alert is shown")
    func odd() {
        var bench = Bench()
        _ = registered(&bench)
        let push = Bench.push(1, #"{"aps":{"alert":"Milk","badge":"1","thread-id":["x"]}}"#)
        let effects = bench.send(.pushArrived(push, sequence: 1))
        #expect(effects.presented.first?.notification.request.content.body == "Milk" && effects.badges == [1])
        guard case .pushOdd(journal.rawValue, push.id, let remarks)? = effects.reports.first else {
            return missing("nothing is said of it")
        }
        #expect(remarks.count == 2)
    }

    @Test("A payload without aps is given to the app where its type needs none")
    func foreign() {
        var bench = Bench()
        _ = registered(&bench)
        bench.send(.pushArrived(Bench.push(1, #"{"mdm":"a"}"#, type: .mdm), sequence: 1))
        #expect(bench.effects.wakes.count == 1)
        let reports = bench.send(.pushArrived(Bench.push(2, #"{"call":1}"#), sequence: 2)).reports
        #expect(reports.count == 1, "an alert needs aps")
    }

    @Test("So many messages are remembered and no more")
    func ring() {
        var rules = NotificationRules()
        rules.mostSeen = 16
        var bench = Bench(rules: rules)
        _ = registered(&bench)
        for number in 0..<40 { bench.send(.pushArrived(Bench.push(UInt64(number), alert("a")), sequence: 1)) }
        let kept = bench.store.records.keys.count { if case .seen = $0 { true } else { false } }
        #expect(kept == 16)
        bench.restart()
        bench.forgetEffects()
        bench.send(.pushArrived(Bench.push(24, alert("a")), sequence: 1))
        #expect(bench.effects.presented.isEmpty)
        bench.send(.pushArrived(Bench.push(23, alert("a")), sequence: 1))
        #expect(bench.effects.presented.count == 1)
    }

    @Test("A collapse identifier replaces what was shown by it")
    func collapse() {
        var bench = Bench()
        _ = registered(&bench)
        bench.send(.pushArrived(Bench.push(1, alert("1:0"), collapse: "score"), sequence: 1))
        bench.send(.pushArrived(Bench.push(2, alert("2:0"), collapse: "score"), sequence: 2))
        #expect(bench.system.delivered(of: journal).map(\.notification.request.content.body) == ["2:0"])
        #expect(Set(bench.effects.presented.map(\.id)).count == 1)
    }

    @Test(
        "A payload that cannot be used is acknowledged, dropped, and said to be so",
        arguments: [
            "", "x", "[]", "{}", #"{"aps":[]}"#, #"{"aps":{}}"#, #"{"aps":{"alert":[5]}}"#, #"{"aps":{"badge":-1}}"#,
            #"{"aps":{"badge":1.5}}"#, #"{"aps":{"badge":"x"}}"#, #"{"aps":{"sound":true}}"#,
            #"{"aps":{"content-available":"yes"}}"#, #"{"aps":{"alert":{"title":[]}}}"#, #"{"aps":{"alert":"a"}"#,
            #"{"aps":{"alert":"a"}} x"#, #"{"aps":{"badge":1e400}}"#, String(repeating: "[", count: 5000),
            #"{"aps":{"alert":""# + String(repeating: "x", count: 5200) + #""}}"#,
        ])
    func unreadable(_ payload: String) {
        var bench = Bench()
        _ = registered(&bench)
        let effects = bench.send(.pushArrived(Bench.push(1, payload), sequence: 9))
        #expect(effects.acknowledged == [9] && effects.presented.isEmpty && effects.wakes.isEmpty)
        guard case .pushDropped(_, _, .unreadable)? = effects.reports.last else {
            return missing("it is not said: \(effects)")
        }
    }

    @Test("Letters are read as JSON writes them")
    func letters() {
        var bench = Bench()
        _ = registered(&bench)
        let payload = #"{ "aps" : {"alert":"\u00e4\ud83d\ude00\n\"\/\ud83d.","x":[true,false,null,-1.5e-3,{}]} }"#
        let effects = bench.send(.pushArrived(Bench.push(1, payload), sequence: 9))
        #expect(effects.presented.first?.notification.request.content.body == "ä😀\n\"/\u{FFFD}.")
    }

    @Test("No text makes the reading of payloads fail otherwise than by a reason", arguments: UInt64(1)...20)
    func anything(seed: UInt64) {
        var bench = Bench()
        _ = registered(&bench)
        var bytes = Array(Bench.alert.utf8) + Array(#"{"aps":{"content-available":1,"mutable-content":1}}\u"#.utf8)
        var state = seed
        for number in UInt64(0)..<200 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let place = Int(state >> 33) % bytes.count
            bytes[place] = UInt8(truncatingIfNeeded: state >> 24)
            let text = String(decoding: bytes.prefix(place + 40), as: UTF8.self)
            let effects = bench.send(.pushArrived(Bench.push(1000 + number, text), sequence: number))
            #expect(effects.acknowledged == [number])
        }
    }

    @Test("Apps that are not known, or have not registered, get nothing, and the gateway is told")
    func unregistered() {
        var bench = Bench()
        _ = bench.authorized()
        bench.forgetEffects()
        let unknown = bench.send(.pushArrived(Bench.push(1, alert("a"), app: chat), sequence: 1))
        #expect(unknown.unregistrations == [chat.rawValue] && unknown.acknowledged == [1])
        let other = bench.send(.pushArrived(Bench.push(2, alert("a")), sequence: 2))
        #expect(other.unregistrations == [journal.rawValue] && other.presented.isEmpty)
        var push = Bench.push(3, alert("a"))
        push.topic = "../x"
        #expect(bench.send(.pushArrived(push, sequence: 3)).acknowledged == [3])
        // A tool needs no registration.
        guard case .success(.outcome(let text, isDropped: false)) = bench.ask(tool: .push(Bench.push(4, alert("a"))))
        else {
            return missing("the tool is refused")
        }
        #expect(text == "it is shown, or the app on the screen decides" && bench.effects.presented.count == 1)
        #expect(bench.ask(tool: .push(Bench.push(5, alert("a"), app: chat))).refusal == .noSuchApp)
    }

    @Test("Topics with a suffix are of the app", arguments: ["voip", "complication", "pushkit.fileprovider"])
    func topics(_ suffix: String) {
        var push = Bench.push(1, Bench.silent)
        push.topic = "\(journal.rawValue).\(suffix)"
        #expect(push.app == journal)
    }

    @Test("What came after its expiration is dropped")
    func expired() {
        var bench = Bench()
        _ = registered(&bench)
        bench.pass(100)
        let late = Bench.push(1, alert("a"), expires: Bench.start + .seconds(100))
        #expect(bench.send(.pushArrived(late, sequence: 1)).presented.isEmpty)
        let soon = Bench.push(2, alert("a"), expires: Bench.start + .seconds(101))
        #expect(bench.send(.pushArrived(soon, sequence: 2)).presented.count == 1)
    }

    @Test("On the screen, the app's delegate decides about an alert, and hears of content at once")
    func foreground() {
        var bench = Bench()
        let app = registered(&bench, journal, .active)
        let effects = bench.send(
            .pushArrived(Bench.push(1, #"{"aps":{"alert":"a","content-available":1}}"#), sequence: 1))
        #expect(effects.presented.isEmpty && effects.wakes.isEmpty)
        #expect(effects.told.map(\.words) == ["present \(PushID(high: 7, low: 1))", "push 1"])
        for telling in effects.told {
            if case .push = telling.kind { bench.send(.answered(app, telling.id.number, .fetched(.newData))) }
        }
        #expect(bench.system.tellings(of: journal).count == 1)
        let empty = bench.send(.pushArrived(Bench.push(2, #"{"aps":{}}"#), sequence: 2))
        #expect(empty.told.map(\.words) == ["push 2"])
    }

    // MARK: Helpers

    private static let mutable = #"{"aps":{"alert":"a","mutable-content":1,"sound":"bell"}}"#

    @Test("A helper may change what is shown; without one, or after thirty seconds, the original is")
    func mutable() throws {
        var bench = Bench()
        _ = registered(&bench)
        let first = bench.send(.pushArrived(Bench.push(1, Self.mutable), sequence: 1))
        let order = try #require(first.mutations.first)
        #expect(first.presented.isEmpty && first.acknowledged == [1])
        var content = order.request.content
        content.body = "changed"
        let shown = bench.send(.mutated(order.id, content)).presented
        #expect(shown.map(\.notification.request.content.body) == ["changed"])
        #expect(bench.send(.mutated(order.id, nil)).isEmpty)
        bench.send(.pushArrived(Bench.push(2, Self.mutable), sequence: 2))
        #expect(bench.pass(29.9).presented.isEmpty)
        #expect(bench.pass(0.2).presented.map(\.notification.request.content.body) == ["a"])
        let third = bench.send(.pushArrived(Bench.push(3, Self.mutable), sequence: 3)).mutations
        #expect(bench.send(.mutated(third[0].id, nil)).presented.count == 1)
        // What the helper made is too long: the original.
        let fourth = bench.send(.pushArrived(Bench.push(4, Self.mutable), sequence: 4)).mutations
        content.body = String(repeating: "x", count: 20_000)
        let original = bench.send(.mutated(fourth[0].id, content)).presented
        #expect(original.map(\.notification.request.content.body) == ["a"])
        // A helper cannot keep a push from being seen.
        let fifth = bench.send(.pushArrived(Bench.push(5, Self.mutable), sequence: 5)).mutations
        let hidden = bench.send(.mutated(fifth[0].id, NotificationContent(badge: 3))).presented
        #expect(hidden.map(\.notification.request.content.body) == ["a"])
    }

    @Test("A service that dies while a helper works asks it again, and shows it once")
    func mutableDeath() {
        var bench = Bench()
        _ = registered(&bench)
        let order = bench.send(.pushArrived(Bench.push(1, Self.mutable), sequence: 1)).mutations
        bench.pass(20)
        #expect(bench.restart().mutations == order)
        #expect(bench.pass(29).presented.isEmpty)
        #expect(bench.pass(2).presented.count == 1)
        bench.restart()
        #expect(bench.pass(100).presented.isEmpty && bench.system.delivered(of: journal).count == 1)
    }

    // MARK: Tokens

    @Test("A token is asked for once the link is up, kept, and answered from then on")
    func tokens() {
        var bench = Bench()
        let app = bench.attach()
        let first = bench.request()
        #expect(bench.send(.app(app, first, .register)).isEmpty)
        bench.send(.link(.gateway("a")))
        #expect(bench.send(.link(.up(network: "n", longestKeepAlive: nil))).registrations == [journal.rawValue])
        // Lost with the connection: asked again.
        bench.send(.link(.down))
        #expect(bench.send(.link(.up(network: "n", longestKeepAlive: nil))).registrations == [journal.rawValue])
        #expect(bench.send(.link(.token(topic: journal.rawValue, "not hex"))).isEmpty)
        #expect(bench.send(.link(.token(topic: journal.rawValue, "AB12"))) == [.reply(first, .token("AB12"))])
        guard case .success(.token("AB12")) = bench.ask(app, .register) else { return missing("it is not known") }
        bench.restart()
        bench.send(.link(.gateway("a")))
        let again = bench.attach()
        guard case .success(.token("AB12")) = bench.ask(again, .register) else { return missing("it is forgotten") }
        #expect(bench.send(.link(.up(network: "n", longestKeepAlive: nil))).registrations.isEmpty)
        // Another gateway gives another one.
        #expect(bench.send(.link(.gateway("b"))).isEmpty)
        #expect(bench.send(.link(.up(network: "n", longestKeepAlive: nil))).registrations == [journal.rawValue])
        bench.send(.link(.token(topic: journal.rawValue, "CD")))
        #expect(bench.ask(again, .unregister).isDone)
        #expect(bench.effects.unregistrations == [journal.rawValue])
        #expect(bench.send(.link(.token(topic: journal.rawValue, "EF"))).isEmpty)
    }

    @Test("Without a gateway, and where it refuses, the app hears an error")
    func noToken() {
        var bench = Bench()
        let app = bench.attach()
        let first = bench.request()
        bench.send(.app(app, first, .register))
        #expect(bench.send(.link(.gateway(nil))) == [.refuse(first, .noGateway)])
        #expect(bench.ask(app, .register).refusal == .noGateway)
        bench.send(.link(.gateway("a")))
        // It still wants one.
        #expect(bench.send(.link(.up(network: "n", longestKeepAlive: nil))).registrations == [journal.rawValue])
        let second = bench.request()
        #expect(bench.send(.app(app, second, .register)).isEmpty)
        let refused = bench.send(.link(.tokenRefused(topic: journal.rawValue, "too many")))
        #expect(refused == [.refuse(second, .notRegistered("too many"))])
    }
}
