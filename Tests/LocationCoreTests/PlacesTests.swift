import LocationCore
import LocationModel
import Model
import ServiceCore
import Testing

@Suite("Places that another service watches for an app") struct PlacesTests {
    private static let office = Region("office", center: home.moved(1200, bearing: 90), radius: 150)

    private func watching(
        _ places: [Region] = [office], allows level: LocationRequest.Authorize? = .whenInUse
    ) -> Bench {
        var bench = Bench()
        bench.open(flags, allows: level)
        #expect(bench.watch(flags, places).isDone)
        bench.leave(flags)
        bench.pass(60)
        return bench
    }

    @Test("The service hears of each crossing, and the app is neither woken nor told; leave for its use is enough")
    func crosses() {
        var bench = watching()
        bench.kill(flags)
        bench.go(to: Self.office.center, speed: 12)
        bench.pass(60)
        #expect(bench.crossings == ["enter office"])
        bench.tell(flags)
        bench.go(to: home, speed: 12)
        bench.pass(300)
        #expect(bench.crossings == ["enter office", "leave office"])
        #expect(bench.wakes.isEmpty && bench.heard.isEmpty)
        bench.tell(flags)
        #expect(bench.records[flags]?.places?.crossings == [])
        #expect(bench.system.why(flags).contains("place for notifications “office”: outside"))
    }

    @Test("Where the user has said nothing, no, or only roughly, nothing is looked for")
    func notAllowed() {
        for level in [nil, LocationRequest.Authorize.always] {
            var bench = watching(allows: level)
            bench.permit(flags, level == nil ? .notDetermined : .whenInUse, isReduced: level != nil)
            bench.pass(60)
            let spent = bench.satelliteTime
            bench.go(to: Self.office.center, speed: 12)
            bench.pass(300)
            #expect(bench.crossings.isEmpty && bench.satelliteTime == spent)
            #expect(bench.system.why(flags).contains(level == nil ? "does not let this app" : "only know roughly"))
            // From then on it counts.
            bench.permit(flags, .whenInUse)
            bench.pass(60)
            bench.go(to: home, speed: 12)
            bench.pass(60)
            // Of a place whose side was not known before nobody has entered it.
            #expect(bench.crossings == [level == nil ? "leave office" : "enter office"])
        }
    }

    @Test("Its own region of the same name is the app's, and told to the app")
    func sameName() {
        var bench = watching(allows: .always)
        bench.open(flags)
        #expect(bench.ask(flags, .monitor(Self.office)).isDone)
        bench.leave(flags)
        bench.go(to: Self.office.center, speed: 12)
        bench.pass(60)
        #expect(bench.crossings == ["enter office"] && bench.heard[flags]?.map(\.word) == ["entered office"])
        #expect(bench.watch(flags, []).isDone)
        bench.go(to: home, speed: 12)
        bench.pass(300)
        #expect(bench.crossings == ["enter office"])
        #expect(bench.heard[flags]?.map(\.word) == ["entered office", "exited office"])
    }

    @Test("What the service did not hear it is told again, with the same number, one after another")
    func toldAgain() throws {
        var bench = watching()
        bench.go(to: Self.office.center, speed: 12)
        bench.pass(60)
        let first = try #require(bench.crossed.last)
        bench.go(to: home, speed: 12)
        bench.pass(300)
        // The second one waits for the first.
        #expect(bench.crossed == [first])
        bench.send(.replied(CrossingQuestion(app: flags, crossing: first), .lost))
        #expect(bench.crossed == [first])
        bench.pass(1)
        #expect(bench.crossed == [first, first])
        // Neither another process of the service nor another daemon forgets it.
        bench.restart()
        #expect(bench.crossed == [first, first, first])
        bench.send(.systemDetached)
        bench.send(.systemAttached)
        #expect(bench.crossed.count == 4 && bench.crossed.last == first)
        bench.send(.replied(CrossingQuestion(app: flags, crossing: first), .heard))
        #expect(bench.crossings.last == "leave office")
        let second = try #require(bench.crossed.last)
        #expect(second.number > first.number)
        bench.send(.replied(CrossingQuestion(app: flags, crossing: second), .heard))
        bench.pass(7200)
        #expect(bench.crossed.count == 5)
    }

    @Test("A place that stays is as it was when others come and go, and what is watched no longer is not told")
    func replaced() throws {
        var bench = watching()
        let shop = Region("shop", center: home.moved(1200, bearing: 270), radius: 150)
        #expect(bench.system.status.apps.first?.places.map(\.state) == [.outside])
        #expect(bench.watch(flags, [Self.office, shop]).isDone)
        #expect(bench.system.status.apps.first?.places.map(\.state).first == .outside)
        bench.go(to: Self.office.center, speed: 12)
        bench.pass(60)
        let told = try #require(bench.crossed.last)
        #expect(bench.watch(flags, [shop]).isDone)
        bench.send(.replied(CrossingQuestion(app: flags, crossing: told), .lost))
        bench.pass(3600)
        #expect(bench.crossed == [told])
        bench.send(.forgotten(flags))
        bench.go(to: shop.center, speed: 12)
        bench.pass(60)
        #expect(bench.crossed == [told] && bench.system.isIdle)
    }

    @Test("A service that refuses a crossing watches nothing for that app any more")
    func refusedCrossing() throws {
        var bench = watching()
        bench.go(to: Self.office.center, speed: 12)
        bench.pass(60)
        let told = try #require(bench.crossed.last)
        bench.send(.replied(CrossingQuestion(app: flags, crossing: told), .refused))
        #expect(bench.system.status.apps.first?.places.isEmpty == true)
        bench.go(to: home, speed: 12)
        bench.pass(3600)
        #expect(bench.crossed == [told] && !bench.system.powered.contains(.gps))
    }

    @Test("Too many, two of a name, and what is no circle are refused, and the others stay")
    func refused() {
        var bench = watching()
        let many = (0..<65).map { Region("\($0)", center: home, radius: 100) }
        #expect(bench.watch(flags, many).refusal == .tooManyRegions(64))
        #expect(!bench.watch(flags, [Self.office, Self.office]).isDone)
        #expect(!bench.watch(flags, [Region("", center: home, radius: 100)]).isDone)
        #expect(!bench.watch(flags, [Region("flat", center: home, radius: 0)]).isDone)
        #expect(bench.system.status.apps.first?.places.map(\.region.identifier) == ["office"])
        // An app that never asked for anything may have places, and hears of none before the user has said yes.
        #expect(bench.watch(journal, [Self.office]).isDone)
        #expect(bench.system.brokenInvariants().isEmpty)
    }
}

extension Bench {
    fileprivate mutating func watch(
        _ app: AppIdentifier, _ places: [Region]
    ) -> Result<LocationReply, LocationRefusal>? {
        let id = RequestID(number())
        send(.asked(id, by: "notifications", .places(app, places)))
        return answer(id)
    }

    fileprivate mutating func permit(
        _ app: AppIdentifier, _ authorization: LocationAuthorization, isReduced: Bool = false
    ) {
        send(.tool(RequestID(number()), .permit(app, authorization, isReduced: isReduced)))
    }

    fileprivate var crossed: [AppRecord.Crossing] {
        effects.compactMap { if case .ask("notifications", let question) = $0 { question.crossing } else { nil } }
    }

    fileprivate var crossings: [String] { crossed.map { "\($0.isEntry ? "enter" : "leave") \($0.place)" } }

    /// The other service has heard of the last one.
    fileprivate mutating func tell(_ app: AppIdentifier) {
        if let last = crossed.last { send(.replied(CrossingQuestion(app: app, crossing: last), .heard)) }
    }
}
