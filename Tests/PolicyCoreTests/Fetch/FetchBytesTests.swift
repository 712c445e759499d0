import Foundation
import Model
import PolicyCore
import Testing

@Suite("What fetches move, and what that means for the next one") struct FetchBytesTests {
    private static let app = FetchPlannerTests.app
    private static let asleep = RadioState(.threeG)

    private static func at(day: Int, _ hour: Double) -> WallTime { FetchPlannerTests.at(day: day, hour) }

    /// Opened at eight for ten days, and fetched once, which moved this; `nil`: nobody looked.
    private static func accustomed(_ moved: FetchBytes?, pieces: Int64 = 1) -> FetchPlanner {
        var planner = FetchPlannerTests.accustomed(days: 10)
        planner.began(app, at: at(day: 9, 12))
        planner.ended(app, at: at(day: 9, 12.01), result: .newData, cost: nil)
        guard let moved else { return planner }
        let piece = FetchBytes(sent: moved.sent / pieces, received: moved.received / pieces)
        for _ in 0..<pieces { planner.moved(app, piece, model: .threeG) }
        return planner
    }

    private static func reason(_ planner: FetchPlanner) -> FetchReason {
        var planner = planner
        let morning = at(day: 10, 7.8)
        _ = planner.due(at: morning, radio: asleep)
        return planner.plan(app, at: morning, radio: asleep).reason
    }

    @Test("Bytes as usual, seen or not, give the same plan; ten megabytes are not worth the openings that are expected")
    func weighed() {
        let usual = FetchBytes(sent: 2000, received: 30_000)
        #expect(Self.reason(Self.accustomed(usual)) == Self.reason(Self.accustomed(nil)))
        guard case .worthIt(_, let cost, _) = Self.reason(Self.accustomed(usual)) else {
            Issue.record("\(Self.reason(Self.accustomed(usual)))")
            return
        }
        #expect(cost == Power.milliwatts(1300) * .milliseconds(290))
        guard case .notWorthIt = Self.reason(Self.accustomed(FetchBytes(sent: 0, received: 100_000_000))) else {
            Issue.record("\(Self.reason(Self.accustomed(FetchBytes(sent: 0, received: 100_000_000))))")
            return
        }
    }

    @Test("However many pieces a fetch is seen in, it counts once, as a quarter of what is expected of the next one")
    func average() {
        let moved = FetchBytes(sent: 4000, received: 40_000)
        let whole = Self.accustomed(moved)
        #expect(Self.accustomed(moved, pieces: 8) == whole)
        var next = whole
        next.began(Self.app, at: Self.at(day: 9, 14))
        next.ended(Self.app, at: Self.at(day: 9, 14.01), result: .newData, cost: nil)
        for _ in 0..<4 { next.moved(Self.app, FetchBytes(sent: 0, received: 20_000), model: .threeG) }
        #expect(next.decisions(Self.app).last?.moved == FetchBytes(sent: 0, received: 80_000))
        guard case .worthIt(_, let cost, _) = Self.reason(next) else {
            Issue.record("\(Self.reason(next))")
            return
        }
        #expect(cost == FetchBytes(sent: 3000, received: 50_000).cost(.threeG))
    }

    @Test("The same bytes cost what the radio does by which they are planned")
    func models() {
        let moved = FetchBytes(sent: 1000, received: 1000)
        #expect(moved.cost(.wifi) < moved.cost(.threeG) && moved.cost(.wired) == .zero)
        #expect(FetchBytes(sent: 1 << 36, received: 1 << 36).cost(.lte) > .zero, "nothing overflows")
    }

    @Test("What fetches move is remembered through a restart, in a recording's bytes as well; nonsense is not")
    func remembered() throws {
        let memory = Self.accustomed(FetchBytes(sent: 4000, received: 40_000)).memory
        #expect(memory.hasBytes && !FetchPlannerTests.remembered.hasBytes)
        var writer = ByteWriter()
        Event.habitsRestored(memory).encode(into: &writer)
        var reader = ByteReader(writer.bytes[...])
        #expect(try Event(from: &reader) == .habitsRestored(memory))
        var next = FetchPlanner(rules: FetchRules())
        next.setMinimumInterval(Self.app, .zero)
        next.remember(memory)
        #expect(next.memory == memory)
        let json = String(decoding: try JSONEncoder().encode(memory), as: UTF8.self)
        let damaged = json.replacing("\"received\":40000", with: "\"received\":-1")
        #expect(damaged != json)
        var other = FetchPlanner(rules: FetchRules())
        other.remember(try JSONDecoder().decode(FetchMemory.self, from: Data(damaged.utf8)))
        #expect(other.memory.apps.isEmpty)
    }
}
