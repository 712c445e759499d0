import Model
import PushCore
import PushLink
import Testing
import Wire

@Suite("Messages")
struct PushMessageTests {
    /// Whether the device reads, whether there is a collapse identifier, and what is superseded.
    static let supersedings: [(isReading: Bool, collapse: String?, superseding: Superseding)] = [
        (true, nil, .nothing), (true, "c", .collapse), (false, nil, .topic), (false, "c", .topic),
    ]

    @Test(
        "A device that is there gets all but collapsed messages; of others an app's newest is kept",
        arguments: supersedings.indices)
    func superseding(_ index: Int) throws {
        let (isReading, collapse, superseding) = Self.supersedings[index]
        let message = Sample.message(1, try Sample.device(), collapse: collapse)
        #expect(Superseding.of(message, isReading: isReading) == superseding)
    }

    @Test("A message that is to be delivered now or never is not stored, and does not expire")
    func nowOrNever() throws {
        let message = Sample.message(1, try Sample.device(), expires: 0)
        #expect(!message.isStored && !message.hasExpired(at: .never))
    }

    @Test("A message has expired from the second that it says")
    func expires() throws {
        let seconds = Sample.now.nanoseconds / 1_000_000_000
        let message = Sample.message(1, try Sample.device(), expires: seconds + 1)
        #expect(message.isStored && !message.hasExpired(at: Sample.now))
        #expect(!message.hasExpired(at: Sample.now + .milliseconds(999)))
        #expect(message.hasExpired(at: Sample.now + .seconds(1)))
    }

    @Test("The device reads what the provider wrote, byte for byte")
    func record() throws {
        let payload = "{ \"aps\" : {\"alert\":\"Grüße \\u00e9\"},\n\"a\":1.0 }"
        var message = Sample.message(7, try Sample.device(), priority: 5, collapse: "c\"", payload: payload)
        message.at = WallTime(nanoseconds: 1_700_000_000_123_456_789)
        guard case .push(let push) = try GatewayRecord(line: Array(message.record.line.dropLast())) else {
            Issue.record("no push")
            return
        }
        #expect(push.number == 7 && push.id == Sample.id && push.topic == Sample.topic && push.type == .alert)
        #expect(push.priority == 5 && push.collapse == "c\"" && push.payload == payload)
        #expect(push.expires == message.expires && push.at == 1_700_000_000.123)
    }

    @Test("Numbers are microseconds since 1970, and grow though the clock stands still or goes back")
    func numbers() {
        var numbers = MessageNumbers(after: 0)
        let first = numbers.next(at: Sample.now)
        #expect(first == 1_700_000_000_000_000)
        #expect(numbers.next(at: Sample.now) == first + 1)
        #expect(numbers.next(at: WallTime(nanoseconds: 0)) == first + 2)
        #expect(numbers.next(at: Sample.now + .seconds(1)) == first + 1_000_000)
        // A store from a time when the clock was wrong.
        var later = MessageNumbers(after: first * 2)
        #expect(later.next(at: Sample.now) == first * 2 + 1)
        #expect(first < LinkRules.greatestNumber)
    }
}
