import Foundation
import Model
import PolicyCore
import Testing

@Suite("Apps that ask again as soon as they are served") struct AllowanceTests {
    private func request(
        _ kind: BackgroundTaskRequest.Kind, _ identifier: String = "sync", earliest: WallTime? = nil
    ) -> AppRequest {
        .submitTask(BackgroundTaskRequest(identifier: identifier, kind: kind, earliest: earliest))
    }

    private func worker(_ device: TestDevice) -> AppIndex {
        let app = device.installTest("feeds", modes: [.fetch, .processing], tasks: ["sync", "index"])
        device.open(app)
        return app
    }

    /// Whenever its task is launched the app asks for the next one, and is done.
    private func live(_ device: TestDevice, _ app: AppIndex, _ kind: BackgroundTaskRequest.Kind, for span: Model.Span) {
        let end = device.now + span
        while device.now < end, let next = device.system.nextDeadline(), next <= end {
            device.pass(next - device.now)
            guard device.takeCalls(app).contains(.launchBackgroundTask) else { continue }
            _ = device.request(app, request(kind))
            _ = try? device.complete(app, .done)
        }
    }

    private func launches(_ device: TestDevice) -> [WallTime] {
        device.log.filter { $0.event == .wakeRequested }.map(\.at)
    }

    @Test(
        "A request that renews itself is launched every quarter of an hour at most, and so many times a day",
        arguments: BackgroundTaskRequest.Kind.allCases)
    func renewed(kind: BackgroundTaskRequest.Kind) throws {
        let device = TestDevice()
        let app = worker(device)
        _ = device.request(app, request(kind))
        device.home()
        live(device, app, kind, for: .seconds(3 * 86_400 - 60))
        let rules = try #require(device.profile.allowances).launches(kind)
        let moments = launches(device)
        #expect(moments.count == 3 * Int(rules.daily))
        #expect(zip(moments, moments.dropFirst()).allSatisfy { $1 - $0 >= .seconds(900) })
        for first in moments.indices {
            let day = moments[first...].prefix { $0 - moments[first] < .seconds(86_400) }
            #expect(day.count <= 2 * Int(rules.daily))
        }
        // As many events as there is something to do, and no more.
        #expect(device.eventCount < moments.count * 40)
        device.finish()
    }

    @Test("What keeps it is a value with a sentence, and when it goes")
    func outlook() throws {
        let device = TestDevice()
        let app = worker(device)
        _ = device.request(app, request(.refresh))
        device.home()
        device.pass(.seconds(1))
        let launched = try #require(launches(device).last)
        _ = device.request(app, request(.refresh))
        try device.complete(app, .done)
        let outlook = try #require(device.system.taskOutlooks(app).first?.outlook)
        let until = launched + .seconds(900)
        #expect(outlook.obstacle == .tooSoon(until: until, pause: .seconds(900)))
        #expect(outlook.next == until && outlook.obstacle?.changesWith == nil)
        #expect(
            outlook.obstacle?.sentence
                == "it was launched for such a task less than 15 minutes ago, and an app is launched for one every 15 "
                + "minutes at most")
        // A daemon that takes over knows it too.
        device.restartDaemon()
        #expect(device.system.taskOutlooks(app).first?.outlook.obstacle == .tooSoon(until: until, pause: .seconds(900)))
        device.pass(.seconds(898))
        #expect(launches(device).count == 1)
        device.pass(.seconds(2))
        #expect(launches(device).count == 2)
        live(device, app, .refresh, for: .seconds(80_000))
        #expect(launches(device).count == 48)
        guard case .usedUp(let end, 48)? = device.system.taskOutlooks(app).first?.outlook.obstacle else {
            Issue.record("\(String(describing: device.system.taskOutlooks(app).first))")
            return
        }
        #expect(end == launched + .seconds(86_400))
    }

    @Test("Tasks that begin together are one launch, and what the user interrupts does not count")
    func together() throws {
        let device = TestDevice()
        let app = worker(device)
        for name in ["sync", "index"] { _ = device.request(app, request(.processing, name)) }
        device.home()
        device.pass(.seconds(61))
        #expect(launches(device).count == 2)
        #expect(device.takeCalls(app).suffix(2) == [.launchBackgroundTask, .launchBackgroundTask])
        device.finish()
    }

    @Test("A date that never comes, or that no clock shows, is accepted and waits; no deadline stands for it")
    func never() {
        for seconds in [6e10, .infinity, .greatestFiniteMagnitude] as [Double] {
            let device = TestDevice()
            let app = worker(device)
            let now = device.system.wall(device.now)
            let earliest = BackgroundTaskRequest.earliest(after: seconds, at: now)
            #expect(earliest == .never)
            #expect(device.request(app, request(.refresh, earliest: earliest)) == .noted)
            device.home()
            device.pass(.seconds(86_400))
            #expect(launches(device).isEmpty)
            #expect(device.system.nextDeadline() == nil)
            #expect(device.system.pendingTasks(app).first?.secondsLeft(at: now) ?? 0 >= 6e10)
            device.finish()
        }
        let now = WallTime(nanoseconds: 0)
        for seconds in [-1, -.infinity, .nan, 0] as [Double] {
            #expect(BackgroundTaskRequest.earliest(after: seconds, at: now) == nil)
        }
        #expect(BackgroundTaskRequest.fetchInterval(.infinity) == nil)
        #expect(BackgroundTaskRequest.fetchInterval(.nan) == nil)
        #expect(BackgroundTaskRequest.fetchInterval(-3) == .zero)
    }

    @Test("A recording from before there were allowances goes on without them")
    func older() throws {
        let device = TestDevice()
        var tree = try #require(
            JSONSerialization.jsonObject(with: JSONEncoder().encode(device.system)) as? [String: Any])
        var profile = try #require(tree["profile"] as? [String: Any])
        profile["allowances"] = nil
        tree["profile"] = profile
        let old = try JSONDecoder().decode(System.self, from: JSONSerialization.data(withJSONObject: tree))
        #expect(old.profile.allowances == nil)
        #expect(System(profile: old.profile).profile.allowances == Allowances())
    }

    @Test("Two apps that open each other without end are refused after ten times in ten seconds")
    func urls() {
        let device = TestDevice()
        let apps = [
            device.installTest("ping", schemes: ["ping"]), device.installTest("pong", schemes: ["pong"]),
        ]
        device.open(apps[0])
        var replies: [AppReply?] = []
        for round in 0..<20 {
            guard replies.last.map({ $0 == .done }) ?? true else { break }
            let front = apps[round % 2]
            replies.append(device.request(front, .openURL(round.isMultiple(of: 2) ? "pong:x" : "ping:x")))
            device.pass(.milliseconds(10))
        }
        #expect(replies.count == 11)
        #expect(replies.last == .refused(.tooManyURLs(limit: 10, within: .seconds(10))))
        device.pass(.seconds(10))
        #expect(device.request(apps[0], .openURL("pong:x")) == .done)
        device.finish()
    }

    @Test("The log takes so much of what an app does by itself, says that it leaves out the rest, and how much")
    func entries() {
        let device = TestDevice()
        let app = worker(device)
        _ = device.takeEvents(app)
        for _ in 0..<5_000 { device.sendRequest(app, request(.refresh, earliest: .never)) }
        let events = device.takeEvents(app)
        #expect(events.count == 201)
        #expect(events.last == .entriesOmitted)
        device.pass(.seconds(10))
        device.sendRequest(app, request(.refresh, earliest: .never))
        #expect(device.takeEvents(app) == [.entriesOmitted, .taskSubmitted])
        device.finish()
    }
}
