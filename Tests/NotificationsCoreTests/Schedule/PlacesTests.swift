import Model
import NotificationsCore
import Testing

@Suite("Requests that wait for a place") struct PlacesTests {
    private static let home = RegionTrigger(identifier: "home", latitude: 1, longitude: 2, radius: 100, onExit: false)
    private static let work = RegionTrigger(identifier: "work", latitude: 1, longitude: 3, radius: 50)

    private func waiting() -> (Bench, ConnectionID) {
        var bench = Bench()
        let app = bench.authorized()
        bench.add(app, "welcome", .region(Self.home, repeats: false))
        bench.add(app, "both", .region(Self.work, repeats: true))
        return (bench, app)
    }

    @Test("The service that knows where the device is hears of their places, and of each change")
    func told() {
        var (bench, app) = waiting()
        #expect(bench.watched == [["welcome"]])
        // One after another.
        bench.send(.watched(journal, .watched))
        #expect(bench.watched == [["welcome"], ["both", "welcome"]])
        bench.send(.watched(journal, .watched))
        bench.add(app, "later", .after(seconds: .seconds(60), repeats: false))
        #expect(bench.watched.count == 2)
        #expect(bench.cross("welcome", entry: true, 7).shown == ["welcome"])
        #expect(bench.watched.last == ["both"])
        bench.send(.watched(journal, .watched))
        bench.ask(app, .removePending(nil))
        #expect(bench.watched.last == [])
        bench.send(.watched(journal, .watched))
        bench.restart()
        #expect(bench.watched.count == 4)
    }

    @Test("A crossing that comes again is not shown again, also after a restart; one that repeats is, each time")
    func once() {
        var (bench, _) = waiting()
        #expect(bench.cross("both", entry: true, 7).shown == ["both"])
        #expect(bench.cross("both", entry: true, 7).shown.isEmpty)
        bench.restart()
        #expect(bench.cross("both", entry: true, 7).shown.isEmpty)
        #expect(bench.cross("both", entry: false, 8).shown == ["both"])
        #expect(bench.cross("welcome", entry: false, 9).shown.isEmpty)
        #expect(bench.cross("welcome", entry: true, 10).shown == ["welcome"])
        #expect(bench.cross("welcome", entry: true, 11).shown.isEmpty)
        #expect(bench.cross("nothing", entry: true, 12).shown.isEmpty)
        // Whoever told that is to forget the app.
        let id = bench.request()
        let refused = bench.send(.placeCrossed(id, chat, place: "welcome", isEntry: true, number: 1))
        #expect(refused == [.refuse(id, .noSuchApp)])
    }

    @Test("A new process and a new daemon are asked again, and so is a service that died before it answered")
    func again() {
        var (bench, _) = waiting()
        bench.send(.watched(journal, .failed))
        #expect(bench.watched.count == 1)
        bench.pass(1)
        #expect(bench.watched == [["welcome"], ["both", "welcome"]])
        bench.send(.systemDetached)
        bench.send(.systemAttached)
        #expect(bench.watched.count == 3)
        bench.restart()
        #expect(bench.watched.count == 4 && bench.watched.last == ["both", "welcome"])
        bench.send(.watched(journal, .watched))
        bench.pass(86_400)
        #expect(bench.watched.count == 4)
        // What this process took back that one has to hear.
        bench.send(.systemDetached)
        bench.hasSystem = false
        bench.ask(bench.attach(), .removePending(nil))
        bench.hasSystem = true
        bench.restart()
        #expect(bench.watched.count == 5 && bench.watched.last == [])
    }

    @Test("Where no service watches places, that is said once, and asked again when they are others")
    func refused() {
        var (bench, app) = waiting()
        bench.send(.watched(journal, .watched))
        bench.send(.watched(journal, .refused("there is none")))
        #expect(bench.effects.reports == [.unwatched(journal, "there is none")])
        bench.pass(86_400)
        #expect(bench.watched.count == 2)
        bench.ask(app, .removePending(["both"]))
        #expect(bench.watched.last == ["welcome"])
    }
}

extension Bench {
    fileprivate var watched: [[String]] {
        effects.compactMap { if case .watch(journal, let places) = $0 { places.map(\.identifier) } else { nil } }
    }

    fileprivate mutating func cross(
        _ place: String, entry: Bool, _ number: Int64
    ) -> [NotificationEffect] {
        let id = request()
        let effects = send(.placeCrossed(id, journal, place: place, isEntry: entry, number: number))
        let isAnswered = effects.contains { if case .reply(id, .crossed) = $0 { true } else { false } }
        #expect(isAnswered, "\(effects)")
        return effects
    }
}
