import Model
import Testing
import TransferCore

@Suite("Who may begin") struct AdmissionTests {
    private func finish(_ bench: inout Bench, _ attempt: AttemptID) -> [TransferEffect] {
        bench.send(.responseHead(attempt, .ok(1), challenge: nil))
        return bench.send(.responseEnded(attempt, offset: 1, digest: .unknown))
    }

    @Test("Nothing begins before the clock and the network are known")
    func unknown() {
        var system = TransferSystem(seed: 1)
        _ = system.handle(.attached(ConnectionID(1), journal), at: .zero)
        _ = system.handle(
            .client(ConnectionID(1), RequestID(1), .open(session: "s", TransferConfiguration())), at: .zero)
        _ = system.handle(.client(ConnectionID(1), RequestID(2), .create(session: "s", Bench.download())), at: .zero)
        let resumed = system.handle(.client(ConnectionID(1), RequestID(3), .resume(session: "s", task: 1)), at: .zero)
        #expect(resumed.downloads.isEmpty)
        #expect(system.handle(.clockChanged(Bench.offset), at: .zero).downloads.isEmpty)
        #expect(system.handle(.conditions(TransferConditions()), at: .zero).downloads.count == 1)
    }

    @Test("A session has so many with a server as it says, the service so many as it says, and an app has its share")
    func limits() {
        var rules = TransferRules()
        rules.mostRunning = 10
        rules.mostRunningPerApp = 5
        var configuration = TransferConfiguration()
        configuration.connectionsPerHost = 2
        var bench = Bench(rules: rules)
        let connection = bench.open(configuration)
        for number in 1...4 { bench.begin(Bench.download(Int64(number), "http://one/"), on: connection) }
        #expect(bench.effects.downloads.count == 2)
        for number in 5...8 { bench.begin(Bench.download(Int64(number), "http://host\(number)/"), on: connection) }
        #expect(bench.effects.downloads.count == 5, "the app's share")
        let other = bench.open(app: podcasts)
        for number in 1...4 { bench.begin(Bench.download(Int64(number), "http://host\(number)/"), on: other) }
        #expect(bench.effects.downloads.count == 8, "as many as are left")
        let freed = finish(&bench, bench.effects.downloads[5].attempt)
        #expect(freed.downloads.map(\.order.request.url) == ["http://host4/"])
    }

    /// So many transfers of a new app, each from another server.
    private func fill(_ bench: inout Bench, _ name: String, _ count: Int64) throws -> Int {
        let before = bench.effects.downloads.count
        let connection = bench.open(app: try #require(AppIdentifier(name)))
        for number in 1...count { bench.begin(Bench.download(number, "http://\(name).h\(number)/"), on: connection) }
        return bench.effects.downloads.count - before
    }

    @Test("However many servers of a few apps send next to nothing, another app's transfer begins at once")
    func drippingServers() throws {
        var bench = Bench()
        // None of them ever ends.
        var shares: [Int] = []
        for number in 1...5 { shares.append(try fill(&bench, "org.example.hoarder\(number)", 100)) }
        #expect(shares == [32, 16, 8, 4, 2])
        #expect(try fill(&bench, "org.example.honest", 1) == 1)
    }

    @Test("The user's tools leave places to the apps, and have theirs whatever the apps do")
    func tools() throws {
        for comesFirst in [true, false] {
            var bench = Bench()
            if !comesFirst { _ = try fill(&bench, "org.example.hoarder", 100) }
            let before = bench.effects.downloads.count
            for number in 1...100 as ClosedRange<Int64> {
                let creation = TransferCreation(
                    number: 0, kind: .download, request: TransferRequest(url: "http://h\(number)/"),
                    target: "/tmp/\(number)")
                bench.ask(tool: .add(creation, isDiscretionary: false))
            }
            #expect(bench.effects.downloads.count - before == (comesFirst ? 32 : 16))
            if comesFirst { #expect(try fill(&bench, "org.example.honest", 1) == 1) }
        }
    }

    @Test("Two apps that have much to fetch have a third of the places each, whoever came first")
    func evenShares() throws {
        var bench = Bench()
        let names = ["org.example.first", "org.example.second"]
        for name in names { _ = try fill(&bench, name, 200) }
        var running = Set(bench.effects.downloads.map(\.attempt))
        for _ in 0..<100 {
            let ended = try #require(running.min { $0.transfer < $1.transfer })
            running.remove(ended)
            running.formUnion(finish(&bench, ended).downloads.map(\.attempt))
        }
        let owners = bench.effects.downloads.filter { running.contains($0.attempt) }.map(\.order.app)
        for name in names { #expect(owners.count { $0?.rawValue == name } >= 20, "\(name)") }
    }

    @Test("The more important begins first, and among equals who came first")
    func priorities() {
        var configuration = TransferConfiguration()
        configuration.connectionsPerHost = 1
        var bench = Bench()
        let connection = bench.open(configuration)
        bench.begin(Bench.download(1), on: connection)
        for (number, priority) in [(2, 250), (3, 900), (4, 900), (5, 500)] as [(Int64, Int32)] {
            bench.begin(Bench.download(number, priority: priority), on: connection)
        }
        var order: [Int64] = []
        while let last = bench.effects.downloads.last, order.last != Int64(last.attempt.transfer.rawValue) {
            order.append(Int64(last.attempt.transfer.rawValue))
            _ = finish(&bench, last.attempt)
        }
        #expect(order == [1, 3, 4, 5, 2])
    }

    @Test("A discretionary task waits for power and for a network that costs nothing, and stops without")
    func discretionary() throws {
        var configuration = TransferConfiguration()
        configuration.isDiscretionary = true
        var bench = Bench(
            conditions: TransferConditions(network: .wifi, hasExternalPower: false, battery: 400))
        let connection = bench.open(configuration)
        #expect(bench.begin(Bench.download(), on: connection).downloads.isEmpty)
        #expect(bench.setConditions { $0.battery = 500 }.downloads.count == 1, "so much of a battery will do")
        #expect(bench.setConditions { $0.battery = 400 }.stopped.isEmpty, "and less to go on")
        #expect(bench.setConditions { $0.battery = 299 }.stopped.count == 1)
        #expect(bench.setConditions { $0.hasExternalPower = true }.downloads.count == 1)
        #expect(bench.setConditions { $0.isMetered = true }.stopped.count == 1)
        #expect(bench.setConditions { $0.isMetered = false }.downloads.count == 1)
    }

    @Test("In low-power mode a discretionary task waits for power, however full the battery is; others go on")
    func lowPower() throws {
        var configuration = TransferConfiguration()
        configuration.isDiscretionary = true
        var bench = Bench(
            conditions: TransferConditions(network: .wifi, hasExternalPower: false, battery: 900, isLowPower: true))
        let connection = bench.open(configuration)
        #expect(bench.begin(Bench.download(), on: connection).downloads.isEmpty)
        #expect(bench.setConditions { $0.hasExternalPower = true }.downloads.count == 1)
        #expect(bench.setConditions { $0.hasExternalPower = false }.stopped.count == 1)
        #expect(bench.setConditions { $0.isLowPower = false }.downloads.count == 1)
        var other = Bench(
            conditions: TransferConditions(network: .wifi, hasExternalPower: false, battery: 900, isLowPower: true))
        let usual = other.open(TransferConfiguration())
        #expect(other.begin(Bench.download(), on: usual).downloads.count == 1)
    }

    @Test("Without cellular access a task waits for another network; a loopback address needs none")
    func cellular() {
        var configuration = TransferConfiguration()
        configuration.allowsCellular = false
        var bench = Bench(conditions: TransferConditions(network: .cellular, isMetered: true))
        let connection = bench.open(configuration)
        #expect(bench.begin(Bench.download(1), on: connection).downloads.isEmpty)
        #expect(bench.begin(Bench.download(2, "http://127.0.0.1:80/"), on: connection).downloads.count == 1)
        #expect(bench.setConditions { $0.network = .wifi }.downloads.count == 1)
        #expect(bench.setConditions { $0.network = .cellular }.stopped.count == 1)
        let free = bench.open("free")
        let own = Bench.download(1, allowsCellular: false)
        #expect(bench.begin(own, on: free, session: "free").downloads.isEmpty, "its request says so")
        #expect(bench.begin(Bench.download(2), on: free, session: "free").downloads.count == 1)
    }

    @Test("Without a network nothing but the machine itself is reached")
    func noNetwork() {
        var bench = Bench(conditions: TransferConditions(network: .none))
        let connection = bench.open()
        #expect(bench.begin(Bench.download(1), on: connection).downloads.isEmpty)
        #expect(bench.begin(Bench.download(2, "http://localhost/"), on: connection).downloads.count == 1)
    }

    @Test("A session can refuse networks that cost money, and to run while the user saves data")
    func expensive() {
        var configuration = TransferConfiguration()
        configuration.allowsExpensive = false
        configuration.allowsConstrained = false
        var bench = Bench(conditions: TransferConditions(network: .wifi, isMetered: true, isConstrained: true))
        let connection = bench.open(configuration)
        #expect(bench.begin(Bench.download(), on: connection).downloads.isEmpty)
        #expect(bench.setConditions { $0.isMetered = false }.downloads.isEmpty)
        #expect(bench.setConditions { $0.isConstrained = false }.downloads.count == 1)
    }

    @Test("No task begins before its date; the date may be changed")
    func earliestBegin() {
        var bench = Bench()
        let connection = bench.open()
        let date = bench.wall(in: 100)
        #expect(bench.begin(Bench.download(1, earliestBegin: date), on: connection).downloads.isEmpty)
        #expect(bench.pass(99.9).downloads.isEmpty)
        #expect(bench.pass(0.2).downloads.count == 1)
        bench.begin(Bench.download(2, earliestBegin: bench.wall(in: 1000)), on: connection)
        let change = TransferChange(earliestBegin: bench.wall(in: 10))
        bench.ask(connection, .change(session: "s", task: 2, change))
        #expect(bench.pass(11).downloads.count == 1)
    }

    @Test("What can wait begins with a warm radio, or when it has waited long enough")
    func radio() {
        var bench = Bench(conditions: TransferConditions(network: .cellular))
        let connection = bench.open()
        #expect(bench.begin(Bench.download(1), on: connection).downloads.count == 1, "it cannot wait")
        #expect(bench.begin(Bench.download(2, priority: 250), on: connection).downloads.isEmpty)
        #expect(bench.setConditions { $0.isRadioWarm = true }.downloads.count == 1)
        _ = bench.setConditions { $0.isRadioWarm = false }
        #expect(bench.begin(Bench.download(3, priority: 100), on: connection).downloads.isEmpty)
        let third = { (effects: [TransferEffect]) in effects.downloads.filter { $0.attempt.transfer.rawValue == 3 } }
        #expect(third(bench.pass(899)).isEmpty)
        #expect(third(bench.pass(2)).count == 1)
    }

    @Test(
        "A transfer of the service type background waits for a warm radio, by its request or by its session",
        arguments: [(true, false), (false, true), (true, true)])
    func serviceType(ofRequest: Bool, ofSession: Bool) {
        var bench = Bench(conditions: TransferConditions(network: .cellular))
        var configuration = TransferConfiguration()
        if ofSession { configuration.serviceType = .background }
        let connection = bench.open(configuration)
        var creation = Bench.download(1, priority: 1000)
        if ofRequest { creation.request.serviceType = .background }
        #expect(bench.begin(creation, on: connection).downloads.isEmpty)
        // A request that says what it is for is not what its session says.
        var call = Bench.download(2)
        call.request.serviceType = .voice
        #expect(bench.begin(call, on: connection).downloads.count == 1)
        #expect(bench.setConditions { $0.isRadioWarm = true }.downloads.count == 1)
    }

    @Test("Other service types change nothing of when a transfer begins", arguments: NetworkServiceType.allCases)
    func otherServiceTypes(type: NetworkServiceType) {
        var bench = Bench(conditions: TransferConditions(network: .cellular))
        let connection = bench.open()
        var creation = Bench.download()
        creation.request.serviceType = type
        #expect(bench.begin(creation, on: connection).downloads.isEmpty == (type == .background))
    }

    @Test("Of transfers that may begin, those of the service type background are the last")
    func serviceTypeOrder() {
        var rules = TransferRules()
        rules.mostRunning = 1
        rules.mostRunningPerApp = 1
        var bench = Bench(rules: rules)
        let connection = bench.open()
        bench.begin(Bench.download(1), on: connection)
        var prefetch = Bench.download(2, "https://example.org/prefetch", priority: 1000)
        prefetch.request.serviceType = .background
        bench.begin(prefetch, on: connection)
        bench.begin(Bench.download(3, "https://example.org/wanted", priority: 300), on: connection)
        let next = finish(&bench, bench.effects.downloads[0].attempt)
        #expect(next.downloads.map(\.order.request.url) == ["https://example.org/wanted"])
    }

    @Test(
        "A task that the background made is discretionary, also before the app was told what it is woken for",
        arguments: [AppPresence.background, .suspended])
    func background(presence: AppPresence) {
        var bench = Bench()
        let connection = bench.open(presence: presence)
        #expect(bench.begin(Bench.download(), on: connection).downloads.count == 1, "no delay before the first wake")
        #expect(bench.setConditions { $0.isMetered = true }.stopped.count == 1)
    }

    /// Lets a transfer wake the app, which then makes another in the background.
    private func wake(_ bench: inout Bench) throws {
        bench.send(.appState(journal, .suspended))
        let attempt = try #require(bench.effects.downloads.last).attempt
        let woken = finish(&bench, attempt)
        let announcement = try #require(woken.announcements.first).number
        let id = try #require(bench.system.sessionID(journal, "s"))
        bench.send(.announced(id, announcement))
        bench.send(.appState(journal, .background))
    }

    @Test("The delay before what the background makes doubles with every wake, and opening the app ends it")
    func delay() throws {
        var bench = Bench()
        let connection = bench.open()
        bench.begin(Bench.download(1), on: connection)
        var number: Int64 = 1
        for expected in [60.0, 120, 240] {
            try wake(&bench)
            bench.drain(connection)
            number += 1
            #expect(bench.begin(Bench.download(number), on: connection).downloads.isEmpty)
            #expect(bench.pass(expected - 0.5).downloads.isEmpty, "after \(number - 1) wakes")
            #expect(bench.pass(1).downloads.count == 1, "after \(number - 1) wakes")
        }
        try wake(&bench)
        bench.drain(connection)
        bench.begin(Bench.download(number + 1), on: connection)
        #expect(bench.send(.appState(journal, .foreground)).downloads.count == 1)
    }

    @Test("A delay that passes unused is the last one")
    func unusedDelay() throws {
        var bench = Bench()
        let connection = bench.open()
        bench.begin(Bench.download(1), on: connection)
        try wake(&bench)
        bench.drain(connection)
        bench.pass(61)
        #expect(bench.begin(Bench.download(2), on: connection).downloads.count == 1)
    }

    @Test("Setting the clock moves no delay and no retry, but dates")
    func clock() throws {
        var bench = Bench()
        let connection = bench.open()
        let attempt = try #require(bench.begin(Bench.download(1), on: connection).downloads.first).attempt
        bench.begin(Bench.download(2, earliestBegin: bench.wall(in: 3000)), on: connection)
        bench.send(
            .responseHead(
                attempt, ResponseHead(status: 503, headers: [HeaderField("Retry-After", "100")]), challenge: nil))
        let effects = bench.send(.clockChanged(Bench.offset + .seconds(3600)))
        #expect(effects.downloads.map(\.attempt.transfer.rawValue) == [2])
        let first = { (effects: [TransferEffect]) in effects.downloads.filter { $0.attempt.transfer.rawValue == 1 } }
        #expect(first(bench.pass(99)).isEmpty)
        #expect(first(bench.pass(2)).count == 1)
    }

    @Test("The system hears how many wait, and until when, as often as that changes")
    func waiting() {
        var bench = Bench(conditions: TransferConditions(network: .none))
        let connection = bench.open()
        let effects = bench.begin(Bench.download(1), on: connection)
        #expect(effects.contains(.waiting(count: 1, until: nil)))
        let date = bench.wall(in: 500)
        #expect(
            bench.begin(Bench.download(2, earliestBegin: date), on: connection).contains(
                .waiting(count: 2, until: date)))
        #expect(!bench.send(.conditions(bench.conditions)).contains { if case .waiting = $0 { true } else { false } })
    }

    @Test("Ten thousand can wait, and as one ends the next begins")
    func many() throws {
        var rules = TransferRules()
        rules.mostRunning = 1
        var bench = Bench(rules: rules)
        let connection = bench.open()
        var system = bench.system
        for number in 1...10_000 {
            _ = system.handle(
                .client(connection, RequestID(0), .create(session: "s", Bench.download(Int64(number)))), at: bench.now)
            _ = system.handle(
                .client(connection, RequestID(0), .resume(session: "s", task: Int64(number))), at: bench.now)
        }
        #expect(system.brokenInvariants().isEmpty)
        let begun = system.handle(.failed(AttemptID(TransferID(1), 1), .unsupportedURL), at: bench.now)
        #expect(begun.downloads.map(\.attempt.transfer.rawValue) == [2])
    }
}
