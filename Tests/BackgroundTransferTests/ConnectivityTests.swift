import AppRuntime
import BackgroundTransfer
import Foundation
import LinuxSystem
import Synchronization
import Testing
import Wire

/// A foreground session that finds a network of the test's, and a server behind it.
private struct Device {
    let news = NetworkNews()
    let witness = Witness()
    let server = LoopbackServer { _ in LoopbackServer.Reply(body: Array("hello".utf8)) }
    let session: URLSession

    init(_ network: NetworkNews.Network, _ edit: (URLSessionConfiguration) -> Void = { _ in }) {
        news.tell(network)
        let configuration = URLSessionConfiguration.ephemeral
        edit(configuration)
        configuration.find(news)
        session = URLSession(configuration: configuration, delegate: witness, delegateQueue: nil)
    }
}

private let offline = "completed with \(NSURLErrorNotConnectedToInternet)"

@Suite("The network of a foreground session", .timeLimit(.minutes(1)))
struct ConnectivityTests {
    @Test("A configuration and its copies remember what it says of networks")
    func remembers() {
        let plain = URLSessionConfiguration.default
        #expect(!plain.waitsForConnectivity)
        #expect(plain.allowsExpensiveNetworkAccess && plain.allowsConstrainedNetworkAccess)
        let configuration = URLSessionConfiguration.default
        configuration.waitsForConnectivity = true
        configuration.allowsExpensiveNetworkAccess = false
        configuration.allowsConstrainedNetworkAccess = false
        let session = URLSession(configuration: configuration)
        configuration.waitsForConnectivity = false
        #expect(session.configuration.waitsForConnectivity)
        #expect(!session.configuration.allowsExpensiveNetworkAccess)
        #expect(!session.configuration.allowsConstrainedNetworkAccess)
        let copy = session.configuration.copy() as? URLSessionConfiguration
        #expect(copy?.waitsForConnectivity == true)
        #expect(!URLSession(configuration: configuration).configuration.waitsForConnectivity)
        #expect(URLSession.shared.configuration.waitsForConnectivity == false)
    }

    @Test("A task that waits for connectivity is told once, and goes on when there is a network")
    func waits() async {
        let device = Device(.none) { $0.waitsForConnectivity = true }
        let task = device.session.dataTask(with: device.server.url())
        task.resume()
        await device.witness.until("waits")
        #expect(task.state == .running)
        #expect(device.server.requests.isEmpty)
        device.news.tell(.wifi)
        let notes = await device.witness.end()
        #expect(notes.words == ["waits", "completed well"])
        #expect(notes.received == Data("hello".utf8))
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test("The conveniences wait too")
    func conveniences() async throws {
        let device = Device(.none) { $0.waitsForConnectivity = true }
        async let answer = device.session.data(from: device.server.url())
        await device.witness.until("waits")
        device.news.tell(.wired)
        #expect(try await answer.0 == Data("hello".utf8))
    }

    @Test("Downloads wait too")
    func downloads() async {
        let device = Device(.none) { $0.waitsForConnectivity = true }
        device.session.downloadTask(with: device.server.url()).resume()
        await device.witness.until("waits")
        device.news.tell(.wifi)
        let notes = await device.witness.end()
        #expect(notes.words == ["waits", "finished", "completed well"])
        #expect(notes.file == Data("hello".utf8))
    }

    @Test("A task that waits too long times out")
    func timesOut() async {
        let device = Device(.none) { configuration in
            configuration.waitsForConnectivity = true
            configuration.timeoutIntervalForResource = 0.1
        }
        let task = device.session.dataTask(with: device.server.url())
        task.resume()
        let notes = await device.witness.end()
        #expect(notes.words == ["waits", "completed with \(NSURLErrorTimedOut)"])
        #expect((task.error as? URLError)?.code == .timedOut)
        #expect(device.server.requests.isEmpty)
    }

    @Test("A task that does not wait fails at once")
    func fails() async {
        let device = Device(.none) { $0.allowsCellularAccess = false }
        let task = device.session.dataTask(with: device.server.url())
        task.resume()
        let notes = await device.witness.end()
        #expect(notes.words == [offline])
        #expect((task.error as? URLError)?.code == .notConnectedToInternet)
        await #expect(throws: URLError.self) { try await device.session.data(from: device.server.url()) }
        #expect(device.server.requests.isEmpty)
    }

    @Test("A session that says nothing of networks asks the server in any case")
    func says() async throws {
        let device = Device(.none)
        let (data, _) = try await device.session.data(from: device.server.url())
        #expect(data == Data("hello".utf8))
    }

    @Test("A session that is not to use a phone's network does not", arguments: [false, true])
    func cellular(isExpensive: Bool) async throws {
        let device = Device(.cellular) { configuration in
            if isExpensive {
                configuration.allowsExpensiveNetworkAccess = false
            } else {
                configuration.allowsCellularAccess = false
            }
        }
        device.session.dataTask(with: device.server.url()).resume()
        let notes = await device.witness.end()
        #expect(notes.words == [offline])
        let reason = (notes.error as NSError?)?.userInfo["NSURLErrorNetworkUnavailableReasonKey"] as? Int
        #expect(reason == (isExpensive ? 1 : 0))
        #expect(device.server.requests.isEmpty)
        device.news.tell(.wifi)
        let (data, _) = try await device.session.data(from: device.server.url())
        #expect(data == Data("hello".utf8))
    }

    @Test("A session that waits until it need not use a phone's network")
    func cellularWaits() async {
        let device = Device(.cellular) { configuration in
            configuration.waitsForConnectivity = true
            configuration.allowsCellularAccess = false
        }
        device.session.dataTask(with: device.server.url()).resume()
        await device.witness.until("waits")
        device.news.tell(NetworkNews.Network.none)
        device.news.tell(.cellular)
        device.news.tell(.wifi)
        let notes = await device.witness.end()
        #expect(notes.words == ["waits", "completed well"])
    }

    @Test("A request that is not to use a phone's network does not, in any session")
    func request() async throws {
        let device = Device(.cellular)
        var request = URLRequest(url: device.server.url())
        let (data, _) = try await device.session.data(for: request)
        #expect(data == Data("hello".utf8))
        request.allowsCellularAccess = false
        let refused = request
        let error = await #expect(throws: URLError.self) { try await device.session.data(for: refused) }
        #expect(error?.code == .notConnectedToInternet)
        let download = await #expect(throws: URLError.self) { try await device.session.download(for: refused) }
        #expect(download?.code == .notConnectedToInternet)
        #expect(device.server.requests.count == 1)
    }

    @Test("A task that is cancelled while it waits ends, and hears of no network")
    func cancelled() async {
        let device = Device(.none) { $0.waitsForConnectivity = true }
        let task = device.session.dataTask(with: device.server.url())
        task.resume()
        await device.witness.until("waits")
        task.cancel()
        await device.witness.end()
        device.news.tell(.wifi)
        let other = try? await device.session.data(from: device.server.url())
        #expect(other?.0 == Data("hello".utf8))
        #expect(device.witness.notes.words == ["waits", "completed with \(NSURLErrorCancelled)"])
        #expect(device.server.requests.count == 1)
    }

    @Test(
        "A task whose network disappears before a server answers waits again, also beyond the limit of a request",
        arguments: [60, 1] as [TimeInterval])
    func goes(_ limit: TimeInterval) async {
        let news = NetworkNews()
        news.tell(.wifi)
        // The first answer leads to a port where nothing listens; until then the network is gone.
        let seen = Mutex(0)
        let server = LoopbackServer { _ in
            let isFirst = seen.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst
                ? LoopbackServer.Reply(status: 302, headers: ["Location": "http://127.0.0.1:1/"])
                : LoopbackServer.Reply(body: Array("hello".utf8))
        }
        let witness = Witness(atRedirection: { news.tell(NetworkNews.Network.none) })
        let configuration = URLSessionConfiguration.ephemeral
        configuration.waitsForConnectivity = true
        configuration.timeoutIntervalForRequest = limit
        configuration.find(news)
        let session = URLSession(configuration: configuration, delegate: witness, delegateQueue: nil)
        let task = session.dataTask(with: server.url())
        task.resume()
        await witness.until("waits")
        // The limit of a request that began later has expired, so the first one's has as well.
        if limit < 60 { await Self.requestExpires(after: limit) }
        #expect(task.state == .running && task.error == nil)
        news.tell(.wifi)
        let notes = await witness.end()
        #expect(notes.words == ["redirected to /", "waits", "completed well"])
        #expect(notes.received == Data("hello".utf8))
        #expect(task.error == nil)
    }

    /// Returns when a request to a silent server has ended because of its limit.
    private static func requestExpires(after limit: TimeInterval) async {
        let silent = LoopbackServer { _ in LoopbackServer.Reply(body: [0], end: .hold(0)) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = limit
        let session = URLSession(configuration: configuration)
        await #expect(throws: URLError.self) { _ = try await session.data(from: silent.url()) }
    }

    @Test("A task that was suspended while it waited goes on when it is resumed")
    func suspended() async {
        let device = Device(.none) { $0.waitsForConnectivity = true }
        let task = device.session.dataTask(with: device.server.url())
        task.resume()
        await device.witness.until("waits")
        task.suspend()
        device.news.tell(.wifi)
        let other = try? await device.session.data(from: device.server.url())
        #expect(other?.0 == Data("hello".utf8))
        #expect(device.server.requests.count == 1)
        task.resume()
        await device.witness.end()
        #expect(device.witness.notes.words == ["waits", "completed well"])
    }

    @Test("A program's own protocol comes before the gate")
    func protocols() async throws {
        let device = Device(.none) { configuration in
            configuration.waitsForConnectivity = true
            configuration.protocolClasses = [Canned.self] + (configuration.protocolClasses ?? [])
        }
        let (data, _) = try await device.session.data(from: device.server.url())
        #expect(data == Data("canned".utf8))
        #expect(device.server.requests.isEmpty)
    }

    @Test("A program that was not started by Greenroom reaches its own machine whatever the routes say")
    func machine() async throws {
        let server = LoopbackServer { _ in LoopbackServer.Reply(body: Array("hello".utf8)) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.allowsCellularAccess = false
        // Files that know of no route.
        configuration.find(NetworkNews(), machine: DefaultLink(sys: "/nowhere", proc: "/nowhere"))
        let session = URLSession(configuration: configuration)
        let (data, _) = try await session.data(from: server.url())
        #expect(data == Data("hello".utf8))
        // The same server, under an address that does not say that it is here.
        let elsewhere = try #require(URL(string: "http://0.0.0.0:\(server.port)/"))
        let error = await #expect(throws: URLError.self) { try await session.data(from: elsewhere) }
        #expect(error?.code == .notConnectedToInternet)
        #expect(server.requests.count == 1)
    }
}

/// Answers everything itself.
private final class Canned: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url else { return }
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 6, textEncodingName: nil)
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("canned".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
