import Host
import LinuxSystem
import Testing
import Wire

@Suite("The pace of a peer")
struct ConnectionTests {
    /// One that has sent messages, and the connection that handles them.
    private final class Peer {
        let connection: Connection
        private(set) var handled = 0
        private let end: Descriptor

        init(_ loop: Loop, _ pace: Connection.Pace, messages: Int, cost: Int64 = 0) throws {
            let (near, far) = try UnixSocket.pair()
            end = far
            connection = try Connection(near, loop, pace)
            connection.onMessage = { [weak self] _ in
                self?.handled += 1
                let workedBefore = Clock.threadTime()
                while Clock.threadTime() - workedBefore < cost {}
            }
            let message = RPCMessage.notification(method: "m", params: [:]).encoded()
            try far.writeAll(Array(repeatElement(message, count: messages).joined()))
        }
    }

    private static let millisecond: Int64 = 1_000_000

    @Test("One that asks without an end has a tenth of a processor, and the others are served meanwhile")
    func allowance() throws {
        let loop = try Loop()
        let burst = 20 * Self.millisecond
        let allowance = Allowance(burst: burst, adding: 1, of: 10, at: Clock.monotonic())
        let greedy = try Peer(loop, .within(allowance), messages: 80, cost: Self.millisecond)
        let began = Clock.monotonic()
        var modest: Peer?
        try loop.run {
            if greedy.handled > 40, modest == nil { modest = try? Peer(loop, .everyTurn, messages: 3) }
            if greedy.handled == 80 { loop.stop() }
            return nil
        }
        // A few in a row are handled before it is looked at what they cost.
        let atLeast = (80 * Self.millisecond - burst - 16 * Self.millisecond) * 10
        #expect(Clock.monotonic() - began >= atLeast)
        #expect(modest?.handled == 3)
    }

    @Test("One that asks little never waits")
    func modest() throws {
        let loop = try Loop()
        let allowance = Allowance(burst: 100 * Self.millisecond, adding: 1, of: 10, at: Clock.monotonic())
        let peer = try Peer(loop, .within(allowance), messages: 30)
        var turns = 0
        try loop.run {
            turns += 1
            if peer.handled == 30 { loop.stop() }
            return nil
        }
        #expect(turns <= 5)
    }

    @Test("An allowance is used up, grows with the time, and never beyond what it was")
    func amounts() {
        let allowance = Allowance(burst: 100, adding: 2, of: 5, at: 0)
        allowance.spend(99)
        #expect(!allowance.isSpent)
        allowance.spend(31)
        #expect(allowance.isSpent)
        #expect(allowance.pause(until: 10) == 100)
        for now: Int64 in 1...74 { allowance.fill(at: now) }
        #expect(allowance.isSpent, "parts of a nanosecond add up, and no more than that")
        allowance.fill(at: 80)
        #expect(!allowance.isSpent)
        allowance.fill(at: 1_000_000)
        allowance.spend(100)
        #expect(allowance.isSpent)
    }
}
