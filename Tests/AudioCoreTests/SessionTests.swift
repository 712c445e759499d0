import AudioCore
import AudioModel
import Model
import ServiceCore
import Testing

@Suite("A session") struct SessionTests {
    private enum State: CaseIterable { case inactive, active, interrupted, interruptedTwice }

    private static let (caller, other) = (Interrupter.call, Interrupter.session(radio))

    private static func session(_ state: State) -> Session {
        var session = Session()
        if state == .inactive { return session }
        session.apply(.activated)
        if state == .active { return session }
        session.apply(.interrupted(by: caller, process: 7, wasPlaying: true))
        if state == .interruptedTwice { session.apply(.interrupted(by: other, process: 7, wasPlaying: false)) }
        return session
    }

    private static func interrupted(_ by: Interrupter...) -> Session.Activity {
        .interrupted(Interruption(process: 7, by: Set(by), wasPlaying: true))
    }

    @Test("Each transition leads from each state where it should, and nowhere else")
    func table() {
        typealias Row = (Session.Outcome?, Session.Activity)
        let (call, both) = (Self.interrupted(Self.caller), Self.interrupted(Self.caller, Self.other))
        let other = Self.interrupted(Self.other)
        let begins = Session.Transition.interrupted(by: Self.other, process: 7, wasPlaying: false)
        let fresh = Session.Activity.interrupted(Interruption(process: 7, by: [Self.other], wasPlaying: false))
        let table: [(Session.Transition, [State: Row])] = [
            (
                .activated,
                [
                    .inactive: (.changed, .active), .active: (nil, .active), .interrupted: (.changed, .active),
                    .interruptedTwice: (.changed, .active),
                ]
            ),
            (
                .deactivated,
                [
                    .inactive: (nil, .inactive), .active: (.changed, .inactive), .interrupted: (.changed, .inactive),
                    .interruptedTwice: (.changed, .inactive),
                ]
            ),
            (
                begins,
                [
                    .inactive: (nil, .inactive), .active: (.changed, fresh), .interrupted: (.added, both),
                    .interruptedTwice: (.added, both),
                ]
            ),
            (
                .released(Self.caller),
                [
                    .inactive: (nil, .inactive), .active: (nil, .active),
                    .interrupted: (.over(wasPlaying: true), .inactive), .interruptedTwice: (.remains, other),
                ]
            ),
            (
                .released(Self.other),
                [
                    .inactive: (nil, .inactive), .active: (nil, .active), .interrupted: (nil, call),
                    .interruptedTwice: (.remains, call),
                ]
            ),
        ]
        for (transition, rows) in table {
            for state in State.allCases {
                var session = Self.session(state)
                let outcome = session.apply(transition)
                #expect(outcome == rows[state]?.0, "\(transition) from \(state)")
                #expect(session.activity == rows[state]?.1, "\(transition) from \(state)")
            }
        }
    }

    // MARK: Who silences whom

    /// Every category with every option that says how it is with others.
    private static let all: [AudioSettings] = AudioCategory.allCases.flatMap { category in
        let options: [AudioOptions] = [[], .mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers]
        return options.flatMap { option in
            [AudioMode.default, .spokenAudio].map { AudioSettings(category, mode: $0, options: option) }
        }
    }.filter { $0.contradiction == nil }

    @Test("Who begins interrupts, ducks or leaves alone who was there, by what both say", arguments: all)
    func matrix(first: AudioSettings) {
        for second in Self.all {
            var bench = Bench()
            let (a, b) = (bench.open(pandora), bench.open(radio))
            bench.ask(a, .set(first))
            bench.ask(a, .activate)
            let node = first.category.hasOutput ? bench.play(a, pandora) : nil
            bench.ask(b, .set(second))
            bench.ask(b, .activate)
            // Written as Apple says it, not as the Core does.
            let mixing: AudioOptions = [.mixWithOthers, .duckOthers, .interruptSpokenAudioAndMixWithOthers]
            func mixes(_ it: AudioSettings) -> Bool { it.category == .ambient || !it.options.isDisjoint(with: mixing) }
            let speaks =
                first.mode == .spokenAudio && second.options.contains(.interruptSpokenAudioAndMixWithOthers)
            let isInterrupted = speaks || !mixes(second) && !mixes(first)
            #expect((bench.session(pandora) == "interrupted") == isInterrupted, "\(first) by \(second)")
            #expect(bench.session(radio) == "active", "\(second)")
            #expect(bench.effects.news(a).contains(.interrupted(.other)) == isInterrupted, "\(first) by \(second)")
            guard let node, !isInterrupted else { continue }
            let isDucked = second.options.contains(.duckOthers) && !first.options.contains(.duckOthers)
            #expect(bench.gain(node) == (isDucked ? 0.3 : 1), "\(first) by \(second)")
            bench.ask(b, .deactivate(notifies: false))
            #expect(bench.gain(node) == 1, "\(first) after \(second)")
        }
    }

    @Test("Whom a deactivation notifies may go on if it was heard, and hears nothing without the flag")
    func notifying() {
        for (notifies, plays) in [(true, true), (true, false), (false, true), (false, false)] {
            var bench = Bench()
            let a = bench.open(pandora)
            bench.play(a, pandora, AudioSettings(.playback))
            if !plays { bench.ask(a, .stop(1)) }
            let b = bench.open(radio)
            bench.play(b, radio, AudioSettings(.playback))
            bench.forget()
            bench.ask(b, .deactivate(notifies: notifies))
            #expect(
                bench.effects.news(a).filter(\.endsSomething)
                    == (notifies ? [.interruptionEnded(shouldResume: plays)] : []))
            #expect(bench.session(pandora) == "inactive")
        }
    }

    @Test("Whom an interrupted app had interrupted waits for it only as long as it may go on")
    func chains() {
        var bench = Bench()
        let a = bench.open(pandora)
        bench.play(a, pandora, AudioSettings(.playback))
        let b = bench.open(radio)
        bench.play(b, radio, AudioSettings(.playAndRecord, mode: .voiceChat))
        bench.send(.conditions(facts(call: .connected)))
        bench.send(.conditions(facts()))
        // It was told to go on, and has the time for it.
        #expect(
            bench.session(pandora) == "interrupted"
                && bench.effects.news(b).contains(.interruptionEnded(shouldResume: true)))
        bench.hear(b)
        bench.ask(b, .activate)
        bench.ask(b, .deactivate(notifies: true))
        #expect(bench.effects.news(a).contains(.interruptionEnded(shouldResume: true)))
        // Another one does not go on.
        bench.hear(a)
        bench.play(a, pandora)
        bench.play(b, radio)
        bench.tool(.interruption(isBegin: true, resumes: false))
        bench.tool(.interruption(isBegin: false, resumes: false))
        bench.hear(b)
        bench.pass(11)
        #expect(bench.session(pandora) == "inactive")
    }

    @Test("A program that an interrupted app had cut off is heard again when that app ends")
    func cutOff() {
        var bench = Bench()
        let node = bench.node(.outsider(pid: 9))
        let a = bench.open(pandora)
        bench.play(a, pandora, AudioSettings(.playback))
        #expect(bench.system.status.players.first { $0.id == .outsider(pid: 9) }?.session == "interrupted")
        bench.tool(.interruption(isBegin: true, resumes: false))
        bench.tool(.interruption(isBegin: false, resumes: false))
        bench.stand(pandora, .none)
        bench.pass(1)
        bench.send(.nodeRuns(node, true))
        #expect(bench.gain(node) == 1)
    }

    @Test("During a call and other interruptions nobody becomes active, however it comes")
    func priority() {
        var bench = Bench()
        let a = bench.open(pandora)
        bench.tool(.interruption(isBegin: true, resumes: false))
        #expect(bench.ask(a, .activate).refusal == .insufficientPriority)
        #expect(bench.ask(a, .start(1, .output)).refusal == .insufficientPriority)
        // Over a new connection it says that it is active: it was not told yet.
        var hello = AppHello(settings: AudioSettings(.playback), isActive: true)
        hello.streams = [1: .output]
        let again = bench.connect(pandora, hello)
        #expect(bench.session(pandora) == "interrupted" && bench.effects.news(again).contains(.interrupted(.other)))
        bench.tool(.interruption(isBegin: false, resumes: true))
        #expect(bench.effects.news(again).last == .interruptionEnded(shouldResume: true))
    }

    @Test("A duck ends with all that gave it a voice")
    func duckEnds() {
        enum End: CaseIterable { case deactivated, crashed, suspended, mixesOnly, gone, behindWithoutKey }
        for end in End.allCases {
            var bench = Bench()
            let node = bench.play(bench.open(pandora), pandora, AudioSettings(.playback)) ?? NodeID(0)
            let b = bench.open(navigator, hasKey: end != .behindWithoutKey)
            bench.play(b, navigator, AudioSettings(.playback, options: .duckOthers))
            #expect(bench.gain(node) == 0.3)
            switch end {
            case .deactivated: bench.ask(b, .deactivate(notifies: false))
            case .crashed: bench.stand(navigator, .none)
            case .suspended: bench.stand(navigator, .suspended)
            case .mixesOnly: bench.ask(b, .set(AudioSettings(.playback, options: .mixWithOthers)))
            case .gone:
                bench.send(.detached(b))
                bench.pass(6)
            case .behindWithoutKey: bench.stand(navigator, .background)
            }
            #expect(bench.gain(node) == 1, "\(end)")
        }
    }
}

extension AudioNews {
    fileprivate var endsSomething: Bool {
        if case .interruptionEnded = self { true } else { false }
    }
}
