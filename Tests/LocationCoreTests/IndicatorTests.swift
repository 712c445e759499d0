import LocationCore
import LocationModel
import Model
import ServiceCore
import Testing

@Suite("The indicator of a location that is used out of sight")
struct IndicatorTests {
    private let discreet = UpdateSettings(allowsBackground: true)
    private let open = UpdateSettings(allowsBackground: true, showsIndicator: true)

    private func indicated(_ bench: Bench) -> [AppIdentifier] {
        bench.system.status.apps.filter(\.isIndicated).map(\.app)
    }

    private func notes(_ bench: Bench) -> [String] {
        bench.effects.compactMap { effect in
            if case .note(_, let text) = effect, text.contains("indicator") { text } else { nil }
        }
    }

    @Test(
        "It is shown of an app that may know it only while it is used, whatever it asks for", arguments: [true, false])
    func inUse(asks: Bool) {
        var bench = Bench()
        bench.open(journal, hasKey: true, allows: .whenInUse)
        bench.ask(journal, .update(asks ? open : discreet))
        #expect(indicated(bench) == [], "it is on the screen")
        bench.leave(journal)
        #expect(indicated(bench) == [journal])
        #expect(bench.system.why(journal).contains("an indicator says"))
        bench.stand(journal, .active)
        #expect(indicated(bench) == [])
        #expect(notes(bench).count == 2)
    }

    @Test("An app that may always know it has it shown if it asks for that", arguments: [true, false])
    func always(asks: Bool) {
        var bench = Bench()
        bench.open(journal, hasKey: true)
        bench.ask(journal, .update(asks ? open : discreet))
        bench.leave(journal)
        #expect(indicated(bench) == (asks ? [journal] : []))
        #expect(notes(bench).count == (asks ? 1 : 0))
    }

    @Test("It comes and goes with the setting, with leave that is taken back in part, and with the updates")
    func changes() {
        var bench = Bench()
        bench.open(journal, hasKey: true)
        bench.ask(journal, .update(discreet))
        bench.leave(journal)
        bench.ask(journal, .update(open))
        #expect(indicated(bench) == [journal])
        bench.ask(journal, .update(discreet))
        #expect(indicated(bench) == [])
        bench.send(.tool(RequestID(9000), .permit(journal, .whenInUse, isReduced: false)))
        #expect(indicated(bench) == [journal])
        bench.ask(journal, .stopUpdates)
        #expect(indicated(bench) == [])
        #expect(notes(bench).count == 4)
    }

    @Test("What cannot go on out of sight shows nothing there")
    func without() {
        var bench = Bench()
        bench.open(journal, hasKey: true, allows: .whenInUse)
        bench.ask(journal, .update(UpdateSettings(showsIndicator: true)))
        bench.stand(journal, .background)
        #expect(indicated(bench) == [], "the updates end where the screen does")
        bench.open(flags, allows: .whenInUse)
        bench.ask(flags, .update(open))
        bench.stand(flags, .background)
        bench.stand(flags, .suspended)
        #expect(indicated(bench) == [], "a suspended app knows nothing")
    }

    @Test("Updates that pause are not shown, and those that go on are")
    func paused() {
        var bench = Bench()
        bench.open(journal, hasKey: true)
        bench.ask(journal, .update(open))
        bench.leave(journal)
        bench.pass(11 * 60)
        #expect(bench.heard[journal]?.contains(.paused) == true && indicated(bench) == [])
        bench.stand(journal, .active)
        bench.stand(journal, .background)
        #expect(indicated(bench) == [journal])
    }

    @Test("A single fix out of sight counts while it is sought, and the end of the process ends it")
    func once() {
        var bench = Bench()
        bench.open(journal, hasKey: true, allows: .whenInUse)
        bench.stand(journal, .background)
        bench.ask(journal, .once(UpdateSettings()))
        #expect(indicated(bench) == [journal])
        bench.pass(10)
        #expect(indicated(bench) == [])
        bench.ask(journal, .update(discreet))
        #expect(indicated(bench) == [journal])
        bench.kill(journal)
        #expect(indicated(bench) == [])
    }
}
