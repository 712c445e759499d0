import Model
import PushCore
import PushLink
import Testing

@Suite("What a device lets its gateway keep back")
struct QuietMessageTests {
    private static let rules = LinkSessionTests.rules
    private var session: LinkSession
    private let device: DeviceID
    private var last: Int64 = 0

    init() throws {
        session = try LinkSessionTests.reading()
        device = try LinkSessionTests.device()
    }

    private mutating func deliver(
        at seconds: Double, topic: String = Sample.topic, type: LinkPushType = .background, priority: Int = 5,
        expires: Int64? = nil
    ) -> [LinkSession.Action] {
        last += 1
        var message = Sample.message(last, device, topic: topic, priority: priority, expires: expires)
        message.type = type
        return session.deliver(message, rules: Self.rules, at: LinkSessionTests.at(seconds))
    }

    private mutating func hear(_ record: AgentRecord, at seconds: Double) -> [LinkSession.Action] {
        LinkSessionTests.hear(&session, record, seconds)
    }

    private mutating func tick(at seconds: Double) -> [LinkSession.Action] {
        session.tick(rules: Self.rules, at: LinkSessionTests.at(seconds))
    }

    private var load: [LinkSession.Action] { [.load(device, limit: 64)] }

    @Test("Without a word of the device nothing is kept back")
    mutating func nothing() {
        #expect(deliver(at: 100).count == 1 && deliver(at: 200).count == 1 && session.due == nil)
    }

    @Test("A background push waits as long as the device has patience, and no longer")
    mutating func patience() {
        #expect(hear(.patience(seconds: 600), at: 10) == [])
        #expect(deliver(at: 100) == [] && session.due == LinkSessionTests.at(700))
        // Another one does not make the first one later.
        #expect(deliver(at: 200, topic: "com.example.other") == [] && session.due == LinkSessionTests.at(700))
        #expect(tick(at: 699) == [])
        #expect(tick(at: 700) == load && session.due == nil)
    }

    @Test("A radio that is awake is no reason to wait")
    mutating func warm() {
        _ = hear(.patience(seconds: 600), at: 10)
        #expect(deliver(at: 14).count == 1)
        #expect(deliver(at: 16) == [])
    }

    @Test("What waits goes with whatever else the gateway sends or the device says", arguments: 0..<4)
    mutating func company(_ index: Int) {
        _ = hear(.patience(seconds: 600), at: 10)
        #expect(deliver(at: 100) == [])
        let actions =
            switch index {
            case 0: deliver(at: 200, type: .alert, priority: 10)
            case 1: hear(.ping, at: 200)
            case 2: hear(.register(topic: Sample.topic), at: 200)
            default: hear(.unregister(topic: Sample.topic), at: 200)
            }
        // The alert is on its way: the store has it too.
        #expect(actions.dropFirst() == [.load(device, limit: index == 0 ? 65 : 64)] && session.due == nil)
        // A message that comes now does not take the place of one that is being loaded.
        #expect(session.isReading)
        var waiting = Sample.message(1, device, priority: 5)
        waiting.type = .background
        let loaded = session.loaded([waiting], isAll: true, rules: Self.rules, now: LinkSessionTests.wall)
        #expect(loaded == [.send(waiting.record)])
    }

    @Test("Of each topic the newest one waits, and the one before need not be kept")
    mutating func newest() {
        _ = hear(.patience(seconds: 600), at: 10)
        #expect(deliver(at: 100) == [])
        #expect(deliver(at: 110, topic: "com.example.other") == [])
        #expect(deliver(at: 120) == [.acknowledge(device, 1)])
    }

    @Test("A topic that is to wait does so by itself, also while the radio is awake, until its time")
    mutating func hold() {
        _ = hear(.hold(topic: Sample.topic, .until(60)), at: 10)
        #expect(deliver(at: 11) == [] && session.due == LinkSessionTests.at(70))
        #expect(deliver(at: 12, topic: "com.example.other").count == 2)
        #expect(session.due == nil)
        _ = session.loaded([], isAll: true, rules: Self.rules, now: LinkSessionTests.wall)
        #expect(deliver(at: 71).count == 1)
    }

    @Test("A topic that is never to wait lets go what does, and others still wait")
    mutating func never() {
        _ = hear(.patience(seconds: 600), at: 10)
        #expect(deliver(at: 100) == [])
        #expect(hear(.hold(topic: Sample.topic, .never), at: 200) == load)
        _ = session.loaded([], isAll: true, rules: Self.rules, now: LinkSessionTests.wall)
        #expect(deliver(at: 300).count == 1)
        #expect(deliver(at: 310, topic: "com.example.other") == [])
        #expect(hear(.hold(topic: Sample.topic, nil), at: 320) == [])
        #expect(deliver(at: 400) == [])
    }

    @Test("Alerts, however unimportant, calls and what is kept nowhere never wait, nor does a silent push replace one")
    mutating func others() {
        _ = hear(.patience(seconds: 600), at: 10)
        #expect(deliver(at: 100, type: .alert, priority: 10).count == 1)
        #expect(deliver(at: 110, type: .alert, priority: 5).count == 1)
        #expect(deliver(at: 120, type: .voip, priority: 10).count == 1)
        #expect(deliver(at: 130, expires: 0).count == 1)
        #expect(deliver(at: 140, type: .alert, priority: 1).count == 1)
        #expect(deliver(at: 150) == [])
    }

    @Test("A device that holds more topics than there are apps is held to a bound")
    mutating func bound() {
        for number in 0..<1000 {
            #expect(hear(.hold(topic: "com.example.app\(number)", .until(86_400)), at: 10) == [])
        }
        #expect(deliver(at: 11, topic: "com.example.app255") == [])
        #expect(!deliver(at: 12, topic: "com.example.app256").isEmpty)
        // One that is known may still be changed.
        #expect(hear(.hold(topic: "com.example.app0", .never), at: 13) == [])
        _ = session.loaded([], isAll: true, rules: Self.rules, now: LinkSessionTests.wall)
        #expect(deliver(at: 14, topic: "com.example.app0").count == 1)
    }
}
