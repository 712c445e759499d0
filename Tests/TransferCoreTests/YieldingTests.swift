import Model
import Testing
import TransferCore

/// A link that app and transfers share as TCP does: evenly, where both want all of it.
private struct TestLink {
    var capacity: Int64 = 2_500_000
    /// Bytes a second that the app on screen wants.
    var wanted: Int64 = 0
    private(set) var limit: Int64?
    private(set) var gaveWay: [TransferID] = []

    static let step = 0.1

    mutating func note(_ effects: [TransferEffect]) {
        for case .yields(let ids, let limit) in effects { (gaveWay, self.limit) = (ids, limit) }
    }

    /// What both move in a second at the moment.
    var share: (app: Int64, own: Int64) {
        let fair = max(capacity / 2, capacity - wanted)
        let own = min(fair, limit ?? .max)
        return (min(wanted, capacity - own), own)
    }

    /// So much time with samples; the answer is what each moved in it, a second.
    @discardableResult
    mutating func run(_ bench: inout Bench, seconds: Double, isFree: Bool = false) -> (app: Int64, own: Int64) {
        let count = Int64((seconds / Self.step).rounded())
        var sum: (app: Int64, own: Int64) = (0, 0)
        for _ in 0..<count {
            let share = share
            sum = (sum.app + share.app, sum.own + share.own)
            note(bench.pass(Self.step))
            let (app, own) = (share.app / 10, share.own / 10)
            // What the app on screen has the service move is the service's own, and free.
            let sample = LinkSample(
                elapsed: .milliseconds(100), link: app + own, own: isFree ? app + own : own, free: isFree ? app : 0,
                isHeld: limit.map { $0 <= share.own } ?? false)
            note(bench.send(.link(sample)))
        }
        return (sum.app / count, sum.own / count)
    }
}

@Suite("Giving way to an app on screen")
struct YieldingTests {
    /// A download of an app in the background, while another is on screen.
    private func downloading(_ presence: AppPresence = .background) -> (Bench, TestLink) {
        var bench = Bench(conditions: TransferConditions(network: .wifi, isAppOnScreen: true))
        let connection = bench.open(app: podcasts, presence: .foreground)
        let begun = bench.begin(Bench.download(), on: connection)
        var link = TestLink()
        link.note(begun + bench.send(.appState(podcasts, presence)))
        return (bench, link)
    }

    @Test(
        "A download of the app on screen gives way if no user waits for it, as its service type says",
        arguments: NetworkServiceType.allCases + [nil])
    func serviceType(type: NetworkServiceType?) {
        var bench = Bench(conditions: TransferConditions(network: .wifi, isAppOnScreen: true))
        let connection = bench.open(app: podcasts, presence: .foreground)
        var creation = Bench.download()
        creation.request.serviceType = type
        var link = TestLink()
        link.note(bench.begin(creation, on: connection))
        #expect(link.gaveWay.isEmpty == (type != .background))
    }

    @Test("An app on screen that wants the whole link has nine tenths of it two seconds later")
    func greedy() {
        var (bench, link) = downloading()
        #expect(link.run(&bench, seconds: 5).own == link.capacity)
        link.wanted = link.capacity
        link.run(&bench, seconds: 2)
        for _ in 0..<20 { #expect(link.run(&bench, seconds: 1).app >= link.capacity / 10 * 9) }
        #expect(link.share.own >= 16 << 10, "its connection would die")
    }

    @Test("An app that begins as it comes to the screen has it as well", arguments: [0.1, 0.2, 0.5])
    func atOnce(_ seconds: Double) {
        var (bench, link) = downloading()
        link.run(&bench, seconds: seconds)
        link.wanted = link.capacity
        link.run(&bench, seconds: 2)
        #expect(link.run(&bench, seconds: 5).app >= link.capacity / 10 * 9)
    }

    @Test("What an app on screen does not want is for the transfers")
    func modest() {
        var (bench, link) = downloading()
        link.run(&bench, seconds: 5)
        link.wanted = 400_000
        link.run(&bench, seconds: 6)
        let moved = link.run(&bench, seconds: 10)
        #expect(moved.app == 400_000)
        #expect(moved.app + moved.own >= link.capacity / 10 * 7)
        #expect(moved.app + moved.own <= link.capacity / 10 * 8, "no margin is left in which the app could grow")
    }

    @Test("When the app is quiet the transfers have the whole link again, a little later and by and by")
    func quiet() {
        var (bench, link) = downloading()
        link.run(&bench, seconds: 2)
        link.wanted = link.capacity
        link.run(&bench, seconds: 5)
        link.wanted = 0
        #expect(link.run(&bench, seconds: 2).own <= link.capacity / 10, "a pause between two requests")
        var last = link.share.own
        for _ in 0..<40 {
            link.run(&bench, seconds: 0.1)
            #expect(link.share.own <= last * 3 / 2 || link.limit == nil)
            last = link.share.own
        }
        #expect(link.limit == nil)
        #expect(link.run(&bench, seconds: 1).own == link.capacity)
    }

    @Test("A link that has become slower, or faster, is found out")
    func another() {
        var (bench, link) = downloading()
        link.run(&bench, seconds: 3)
        link.wanted = 2_500_000
        link.run(&bench, seconds: 3)
        for capacity in [800_000, 5_000_000, 2_500_000] as [Int64] {
            link.capacity = capacity
            link.wanted = capacity
            link.run(&bench, seconds: 5)
            #expect(link.run(&bench, seconds: 5).app >= capacity / 10 * 9, "of \(capacity)")
        }
    }

    @Test("What little others say to the network slows nothing")
    func chatter() {
        var (bench, link) = downloading()
        link.wanted = 8000
        link.run(&bench, seconds: 10)
        #expect(link.limit == nil)
    }

    @Test("The transfers of an app on screen give way to nothing, and others give way to them")
    func ownOfScreen() throws {
        var (bench, link) = downloading(.foreground)
        #expect(link.gaveWay.isEmpty)
        let other = bench.open(app: journal, presence: .background)
        link.note(bench.begin(Bench.download(), on: other))
        let ids = link.gaveWay
        #expect(ids.count == 1)
        link.wanted = link.capacity
        link.run(&bench, seconds: 3, isFree: true)
        #expect(link.run(&bench, seconds: 5, isFree: true).app >= link.capacity / 10 * 9)
        link.note(bench.send(.appState(journal, .foreground)))
        #expect(link.gaveWay.isEmpty && link.limit == nil)
    }

    @Test("Without an app on screen nothing gives way, and what stays on the machine never does")
    func nobody() {
        var (bench, link) = downloading()
        #expect(link.gaveWay.count == 1)
        link.wanted = link.capacity
        link.run(&bench, seconds: 3)
        link.note(bench.setConditions { $0.isAppOnScreen = false })
        #expect(link.gaveWay.isEmpty && link.limit == nil)
        #expect(bench.send(.link(LinkSample(elapsed: .seconds(1), link: 1 << 30, own: 0))).isEmpty)
        link.note(bench.setConditions { $0.isAppOnScreen = true })
        #expect(link.gaveWay.count == 1)
        let near = bench.open(app: journal, presence: .background)
        link.note(bench.begin(Bench.download(1, "http://127.0.0.1:80/a"), on: near))
        #expect(link.gaveWay.count == 1)
    }

    @Test("A tool's transfer gives way if it is discretionary", arguments: [true, false])
    func tools(isDiscretionary: Bool) throws {
        var bench = Bench(conditions: TransferConditions(network: .wifi, isAppOnScreen: true))
        var creation = Bench.download()
        creation.target = "/tmp/file"
        bench.ask(tool: .add(creation, isDiscretionary: isDiscretionary))
        var link = TestLink()
        link.note(bench.effects)
        #expect(link.gaveWay.count == (isDiscretionary ? 1 : 0))
    }

    @Test("A server is not blamed for a silence that was asked for, and is when that is over")
    func silence() throws {
        var (bench, link) = downloading()
        link.wanted = link.capacity
        link.run(&bench, seconds: 200)
        #expect(bench.effects.stopped.isEmpty)
        link.wanted = 0
        link.run(&bench, seconds: 10)
        #expect(bench.effects.stopped.isEmpty)
        bench.pass(61)
        #expect(bench.effects.stopped.count == 1)
    }

    @Test("Why a transfer is slow is said")
    func why() throws {
        var (bench, link) = downloading()
        let id = try #require(link.gaveWay.first)
        #expect(bench.system.why(id, at: bench.now)?.sentence == "It runs.")
        link.wanted = link.capacity
        link.run(&bench, seconds: 5)
        #expect(
            bench.system.why(id, at: bench.now)?.sentence
                == "It runs, and gives way to an app on screen that uses the network: it may move 78 kB a second.")
    }

    /// Whole segments of 1000 bytes.
    private func counts(_ segments: Int64, sent: Int64 = 0, missing: Int64 = 0) -> ConnectionCounts {
        ConnectionCounts(
            received: (segments - missing) * 1000, receivedSegments: segments, sent: sent, segments: segments)
    }

    @Test("A connection that ends between two looks counts with what it moved last")
    func totals() {
        var totals = ConnectionTotals()
        let first = totals.moved([1: counts(500), 2: counts(100)], packets: 0)
        let second = totals.moved([1: counts(800), 2: counts(100)], packets: 300)
        #expect(totals.came(on: 1) == 300_000)
        let third = totals.moved([2: counts(150), 3: counts(40)], packets: 10)
        let fourth = totals.moved([2: counts(150, sent: 500), 3: counts(40)], packets: 1)
        // Packets of acknowledgements have 66 bytes each.
        let expected: [Int64?] = [nil, 319_800, 390_660, 500]
        #expect([first, second, third, fourth] == expected)
    }

    @Test("What waits for a lost segment counts when it comes, and not again when the gap is closed")
    func disorder() throws {
        var totals = ConnectionTotals()
        _ = totals.moved([1: counts(10_000)], packets: 0)
        let withGap = totals.moved([1: counts(10_200, missing: 199)], packets: 0)
        let open = try #require(withGap)
        #expect(abs(open - 200_000) < 10_000)
        let closed = totals.moved([1: counts(10_201)], packets: 0)
        #expect(closed == 1000)
    }
}
