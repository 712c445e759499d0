import Model
import Testing
import TransferCore
import TransferSimulation

@Suite("Cache policies") struct CachePolicyTests {
    private func configuration(_ policy: CachePolicy) -> TransferConfiguration {
        var configuration = TransferConfiguration()
        configuration.cachePolicy = policy.rawValue
        return configuration
    }

    private func creation(
        _ policy: CachePolicy, number: Int64 = 1, earliestBegin: WallTime? = nil
    ) -> TransferCreation {
        var creation = Bench.download(number, earliestBegin: earliestBegin)
        creation.request.cachePolicy = policy.rawValue
        return creation
    }

    private func ends(_ effects: [TransferEffect], with words: [String]) -> Bool {
        effects.downloads.isEmpty && effects.deliveries.words == words
    }

    @Test("The numbers are Foundation's")
    func numbers() {
        #expect(CachePolicy.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
        #expect(CachePolicy(rawValue: 3) == .returnDontLoad)
        #expect(CachePolicy(rawValue: 4) == .reloadIgnoringLocalAndRemote)
    }

    @Test("Only what is about caches on the way is said to them")
    func fields() {
        let said = Dictionary(
            uniqueKeysWithValues: CachePolicy.allCases.map { policy in
                (policy, policy.fields(beside: []).map { "\($0.name): \($0.value)" })
            })
        #expect(said[.reloadIgnoringLocalAndRemote] == ["Cache-Control: no-cache", "Pragma: no-cache"])
        #expect(said[.reloadRevalidating] == ["Cache-Control: max-age=0"])
        for policy in [CachePolicy.useProtocol, .reloadIgnoringLocal, .returnElseLoad, .returnDontLoad] {
            #expect(said[policy] == [])
        }
    }

    @Test(
        "An app that says something of caches itself is left alone, however it writes that",
        arguments: ["Cache-Control", "cache-control", "PRAGMA"])
    func own(_ name: String) {
        let own = [HeaderField("Accept", "*/*"), HeaderField(name, "max-age=60")]
        for policy in CachePolicy.allCases { #expect(policy.fields(beside: own).isEmpty) }
    }

    @Test("The request's policy counts, and the session's where the request has the default")
    func session() {
        func policy(_ request: CachePolicy, _ session: CachePolicy) -> CachePolicy {
            CachePolicy(creation(request).request, configuration(session))
        }
        #expect(policy(.useProtocol, .reloadRevalidating) == .reloadRevalidating)
        #expect(policy(.reloadIgnoringLocal, .returnDontLoad) == .reloadIgnoringLocal)
        #expect(policy(.returnDontLoad, .useProtocol) == .returnDontLoad)
        #expect(CachePolicy(TransferRequest(url: "", cachePolicy: 99), configuration(.useProtocol)) == .useProtocol)
    }

    @Test("A task that may only have what is in a cache ends when it is resumed, network or not")
    func dontLoad() {
        for network in [NetworkKind.wifi, .none] {
            var bench = Bench(conditions: TransferConditions(network: network))
            let connection = bench.open()
            bench.ask(connection, .create(session: "s", creation(.returnDontLoad)))
            #expect(bench.effects.deliveries.isEmpty, "a task begins suspended")
            #expect(ends(bench.begin(creation(.returnDontLoad), on: connection), with: ["completed -1008"]))
        }
        var bench = Bench()
        let connection = bench.open(configuration(.returnDontLoad))
        #expect(ends(bench.begin(Bench.download(), on: connection), with: ["completed -1008"]))
        let why = bench.system.why(TransferID(1), at: bench.now)
        #expect(why?.sentence.contains("its cache policy allows only what is in a cache") == true)
    }

    @Test("An upload with that policy ends as well, and its file goes")
    func upload() {
        var bench = Bench()
        let connection = bench.open()
        var upload = Bench.upload()
        upload.request.cachePolicy = CachePolicy.returnDontLoad.rawValue
        let effects = bench.begin(upload, on: connection)
        #expect(effects.uploads.isEmpty && effects.deliveries.words == ["completed -1008"])
        #expect(effects.removed == [.body(1)])
    }

    @Test("All other policies have the request made", arguments: CachePolicy.allCases.filter { $0 != .returnDontLoad })
    func loads(_ policy: CachePolicy) throws {
        var bench = Bench()
        let connection = bench.open()
        let order = try #require(bench.begin(creation(policy), on: connection).downloads.first?.order)
        #expect(order.request.cachePolicy == policy.rawValue)
    }

    @Test("A delayed request that its delegate gives that policy ends")
    func delayed() throws {
        var bench = Bench()
        var asking = TransferConfiguration()
        asking.asksBeforeDelayedRequests = true
        let connection = bench.open(asking)
        bench.begin(Bench.download(earliestBegin: bench.wall(in: 100)), on: connection)
        bench.pass(101)
        let event = try #require(bench.effects.deliveries.last)
        let effects = bench.send(
            .decided(connection, event.sessionID, event.number, .useNewRequest(creation(.returnDontLoad).request)))
        #expect(ends(effects, with: ["completed -1008"]))
    }

    @Test("A task that waits ends, too, once its session is opened with that policy")
    func reopened() {
        var bench = Bench()
        let connection = bench.open()
        bench.begin(creation(.useProtocol, earliestBegin: bench.wall(in: 100)), on: connection)
        bench.ask(connection, .open(session: "s", configuration(.returnDontLoad)))
        #expect(ends(bench.pass(101), with: ["completed -1008"]))
    }

    @Test("A policy that there is not is refused by name", arguments: [-1, 6, .max] as [Int32])
    func refused(_ number: Int32) {
        var bench = Bench()
        let connection = bench.open()
        var creation = Bench.download()
        creation.request.cachePolicy = number
        #expect(
            bench.ask(connection, .create(session: "s", creation))
                == .failure(.invalid(parameter: "cachePolicy", "there is no such cache policy")))
        var settings = TransferConfiguration()
        settings.cachePolicy = number
        #expect(
            bench.ask(connection, .open(session: "t", settings))
                == .failure(.invalid(parameter: "configuration", "there is no such cache policy")))
    }

    @Test("An app's own condition that holds ends its task with an empty file, and not as a lost connection")
    func notModified() throws {
        var bench = Bench()
        let connection = bench.open()
        let attempt = try #require(bench.begin(Bench.download(), on: connection).downloads.first).attempt
        let head = ResponseHead(status: 304, headers: [HeaderField("Content-Length", "1000")])
        #expect(bench.send(.responseHead(attempt, head, challenge: nil)).bodies == [0])
        bench.send(.responseEnded(attempt, offset: 0, digest: .unknown))
        let record = try #require(bench.system.status(TransferID(1), at: bench.now)?.record)
        #expect(record.phase == .ended && record.outcome?.error == nil && record.response?.status == 304)
    }
}
