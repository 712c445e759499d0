import Model
import Testing
import TransferCore

@Suite("Why a transfer does not run") struct WhyTests {
    private func why(_ bench: Bench, _ id: UInt64 = 1) throws -> Explanation {
        try #require(bench.system.why(TransferID(id), at: bench.now))
    }

    /// Asserts the condition, the words, and that the time of the next look is both in the sentence and beside it.
    private func expect(
        _ bench: Bench, of id: UInt64 = 1, _ condition: WaitCondition?, _ words: String, isTimed: Bool = true,
        _ place: SourceLocation = #_sourceLocation
    ) throws {
        let explanation = try why(bench, id)
        #expect(explanation.condition == condition, "\(explanation.sentence)", sourceLocation: place)
        #expect(explanation.sentence.contains(words), "\(explanation.sentence)", sourceLocation: place)
        #expect(explanation.sentence.hasSuffix("."), sourceLocation: place)
        #expect((explanation.next != nil) == isTimed, "\(explanation.sentence)", sourceLocation: place)
        guard let next = explanation.next else { return }
        let time = next.iso8601.prefix(19)
        #expect(explanation.sentence.contains("\(time)Z"), "\(explanation.sentence)", sourceLocation: place)
    }

    @Test("It was not resumed, it runs, it has ended")
    func plain() throws {
        var bench = Bench()
        let connection = bench.open()
        bench.ask(connection, .create(session: "s", Bench.download()))
        try expect(bench, .resume, "not resumed", isTimed: false)
        bench.ask(connection, .resume(session: "s", task: 1))
        try expect(bench, nil, "It runs", isTimed: false)
        bench.complete(bench.effects.downloads[0].attempt)
        try expect(bench, nil, "the app is being told", isTimed: false)
        bench.send(.detached(connection))
        try expect(bench, nil, "once it runs again", isTimed: false)
    }

    @Test("There is no network, or not one that it may use")
    func network() throws {
        var configuration = TransferConfiguration()
        var bench = Bench(conditions: TransferConditions(network: .none))
        let connection = bench.open(configuration)
        bench.begin(Bench.download(1, allowsCellular: false), on: connection)
        try expect(bench, .network, "There is no network: it is looked at as soon as there is one")
        _ = bench.setConditions { $0.network = .cellular }
        try expect(bench, .network, "Its request allows no cellular network")
        configuration.allowsCellular = false
        let other = bench.open("t", configuration)
        bench.begin(Bench.download(1), on: other, session: "t")
        try expect(bench, of: 2, .network, "Its session allows no cellular network")
    }

    @Test("The network costs money, or the user saves data")
    func money() throws {
        var configuration = TransferConfiguration()
        configuration.allowsExpensive = false
        configuration.allowsConstrained = false
        var bench = Bench(conditions: TransferConditions(network: .wifi, isMetered: true, isConstrained: true))
        let connection = bench.open(configuration)
        bench.begin(Bench.download(), on: connection)
        try expect(bench, .unmetered, "no network that costs money")
        _ = bench.setConditions { $0.isMetered = false }
        try expect(bench, .unmetered, "The user saves data")
    }

    @Test("It is discretionary")
    func discretionary() throws {
        var configuration = TransferConfiguration()
        configuration.isDiscretionary = true
        var bench = Bench(
            conditions: TransferConditions(
                network: .cellular, isMetered: true, hasExternalPower: false, battery: 420))
        let connection = bench.open(configuration)
        bench.begin(Bench.download(), on: connection)
        try expect(bench, .unmetered, "the network is cellular")
        _ = bench.setConditions { $0.network = .wifi }
        try expect(bench, .unmetered, "the network costs money")
        _ = bench.setConditions { $0.isMetered = false }
        try expect(bench, .power, "the battery is at 42 % without external power")
        _ = bench.setConditions { $0.isLowPower = true }
        try expect(bench, .power, "low-power mode is on")
        _ = bench.setConditions {
            $0.network = .cellular
            $0.hasExternalPower = true
        }
        try expect(bench, .radio, "the radio is cold")
    }

    @Test("Its time has not come")
    func time() throws {
        var bench = Bench()
        let connection = bench.open()
        bench.begin(Bench.download(1, earliestBegin: bench.wall(in: 500)), on: connection)
        try expect(bench, .beginDate, "not to begin before its date")
        let attempt = try #require(bench.begin(Bench.download(2), on: connection).downloads.first).attempt
        bench.send(.failed(attempt, .connectionLost))
        try expect(bench, of: 2, .retry, "It failed once, the last time because the connection was lost")
        let again = try #require(bench.pass(1).downloads.first).attempt
        bench.send(.responseHead(again, ResponseHead(status: 503), challenge: nil))
        try expect(bench, of: 2, .retry, "2 times in a row, the last time because the server answered 503")
        let third = try #require(bench.pass(2).downloads.first).attempt
        bench.send(.fileFailed(third, .diskFull))
        try expect(bench, of: 2, .quota, "because the disk is full")
    }

    @Test("The background made it, after transfers had woken the app")
    func delay() throws {
        var bench = Bench()
        let connection = bench.open()
        let attempt = try #require(bench.begin(Bench.download(1), on: connection).downloads.first).attempt
        bench.send(.appState(journal, .suspended))
        bench.complete(attempt)
        bench.send(.appState(journal, .background))
        bench.begin(Bench.download(2), on: connection)
        try expect(bench, of: 2, .delay, "by an app that transfers have woken once")
    }

    @Test("Others are before it")
    func limits() throws {
        var rules = TransferRules()
        rules.mostRunningPerApp = 2
        rules.mostRunning = 3
        var configuration = TransferConfiguration()
        configuration.connectionsPerHost = 1
        var bench = Bench(rules: rules)
        let connection = bench.open(configuration)
        for (number, host) in [(1, "a"), (2, "a"), (3, "b"), (4, "c")] as [(Int64, String)] {
            bench.begin(Bench.download(number, "http://\(host)/"), on: connection)
        }
        try expect(bench, of: 2, .hostLimit, "1 of its session run with http://a:80")
        try expect(bench, of: 4, .appLimit, "2 of its app run")
        let other = bench.open(app: podcasts)
        for number in 1...2 { bench.begin(Bench.download(Int64(number), "http://h\(number)/"), on: other) }
        try expect(bench, of: 6, .totalLimit, "3 transfers run")
    }

    @Test("The places that are left are for other apps")
    func share() throws {
        var rules = TransferRules()
        rules.mostRunning = 3
        var bench = Bench(rules: rules)
        let connection = bench.open()
        for number in 1...3 { bench.begin(Bench.download(Int64(number), "http://h\(number)/"), on: connection) }
        try expect(bench, of: 3, .appLimit, "2 of its app run, and no more places are left than that")
    }

    @Test("Somebody has to say who asks, or to make room where it goes")
    func others() throws {
        var bench = Bench()
        let connection = bench.open()
        let attempt = try #require(bench.begin(Bench.download(), on: connection).downloads.first).attempt
        let space = ChallengeSpace(host: "example.org", port: 443, scheme: "https", realm: nil, method: "basic")
        bench.send(.responseHead(attempt, ResponseHead(status: 401), challenge: space))
        try expect(bench, .credential, "The server example.org wants to know who asks")
        var creation = Bench.download(0)
        creation.target = "/home/u/a"
        bench.ask(tool: .add(creation, isDiscretionary: false))
        bench.complete(try #require(bench.effects.downloads.last).attempt)
        try expect(bench, of: 2, nil, "on its way to its place", isTimed: false)
        bench.send(.moveFailed(TransferID(2), .notPermitted))
        try expect(bench, of: 2, .quota, "it may not be written there")
    }
}
