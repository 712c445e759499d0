import Model
import PushCore
import PushLink
import Testing

/// A store, a gateway's session and a device, each of which takes its time.
private struct World {
    let device: DeviceID
    var rules = PushRules()
    var session: LinkSession
    var stored: [Int64: PushMessage] = [:]
    /// Loads that the store has not begun, and pages that have not arrived.
    var loads: [Int] = []
    var pages: [(messages: [PushMessage], isAll: Bool)?] = []
    /// Acknowledgements that the store has not heard of.
    var deletions: [Int64] = []
    /// Messages on their way to the device, which may not read.
    var wire: [Int64] = []
    var isWritable = true
    /// What the device has, and what it has not acknowledged.
    var received: Set<Int64> = []
    var unheard: [Int64] = []
    var unstored: Set<Int64> = []
    var last: Int64 = 0
    var now = Sample.start
    var mostLoads = 0

    init(limit: Int) throws {
        rules.unacknowledged = limit
        session = LinkSession(at: now)
        device = try LinkSessionTests.device()
        for record in [AgentRecord.hello(key: Sample.key()), .prove(signature: Sample.proof())] { hear(record) }
    }

    mutating func hear(_ record: AgentRecord) {
        perform(session.receive(record, rules: rules, proof: Sample.proof, nonce: { Sample.nonce }, at: now))
    }

    mutating func perform(_ actions: [LinkSession.Action]) {
        for action in actions {
            switch action {
            case .send(.push(let push)): wire.append(push.number)
            case .send: break
            case .attach(let other), .register(let other, _), .unregister(let other, _): #expect(other == device)
            case .load(let other, let limit):
                #expect(other == device)
                loads.append(limit)
            case .acknowledge(let other, let number):
                #expect(other == device)
                deletions.append(number)
            case .close: Issue.record("the connection ended")
            }
        }
        // One at a time, or a slow store would be asked ever more.
        mostLoads = max(mostLoads, loads.count + pages.count)
        #expect(wire.count + unheard.count <= rules.unacknowledged)
    }

    mutating func send(_ dice: inout SplitMix) {
        last += 1
        let isStored = UInt8.random(in: 0..<4, using: &dice) != 0
        let message = Sample.message(
            last, device, priority: [1, 5, 10].randomElement(using: &dice) ?? 10, expires: isStored ? nil : 0)
        if isStored { stored[last] = message } else { unstored.insert(last) }
        perform(session.deliver(message, rules: rules, at: now))
    }

    /// The store does the oldest thing that it was asked for; deletions and loads are asked for in one order.
    mutating func write(_ dice: inout SplitMix) {
        if let number = deletions.first {
            deletions.removeFirst()
            stored[number] = nil
        } else if let limit = loads.first {
            loads.removeFirst()
            if UInt8.random(in: 0..<8, using: &dice) == 0 { return pages.append(nil) }
            let sorted = stored.values.sorted(by: PushMessage.isSooner)
            pages.append((Array(sorted.prefix(limit)), sorted.count < limit))
        }
    }

    mutating func arrive() {
        guard let page = pages.first else { return }
        pages.removeFirst()
        if let page {
            perform(session.loaded(page.messages, isAll: page.isAll, rules: rules, now: Sample.now))
        } else {
            session.loadFailed()
        }
    }

    mutating func read() {
        guard !wire.isEmpty else { return }
        let number = wire.removeFirst()
        #expect(received.insert(number).inserted, "\(number) came twice on one connection")
        unheard.append(number)
    }

    mutating func acknowledge(_ dice: inout SplitMix) {
        guard let number = unheard.randomElement(using: &dice) else { return }
        unheard.removeAll { $0 == number }
        hear(.ack(number: number))
    }

    mutating func toggle() {
        isWritable.toggle()
        perform(session.writable(isWritable, rules: rules, at: now))
    }

    mutating func step(_ dice: inout SplitMix) {
        now = now + .milliseconds(1)
        switch UInt8.random(in: 0..<16, using: &dice) {
        case 0..<3: send(&dice)
        case 3..<8: write(&dice)
        case 8..<10: arrive()
        case 10..<12: if isWritable { read() }
        case 12..<14: acknowledge(&dice)
        case 14: toggle()
        default: perform(session.tick(rules: rules, at: now))
        }
    }

    mutating func settle(_ dice: inout SplitMix) {
        if !isWritable { toggle() }
        for _ in 0..<50_000 where !(session.isReading && wire.isEmpty && unheard.isEmpty && deletions.isEmpty) {
            write(&dice)
            arrive()
            read()
            acknowledge(&dice)
            perform(session.tick(rules: rules, at: now))
        }
    }
}

@Suite("A device's connection in a storm")
struct LinkStormTests {
    @Test(
        "Whatever the store and the device do, each message comes once, and none of the stored ones is lost",
        arguments: 0..<60)
    func storm(_ seed: UInt64) throws {
        var dice = SplitMix(seed: seed)
        var world = try World(limit: [1, 2, 3, 8, 64][Int(seed % 5)])
        for _ in 0..<2000 { world.step(&dice) }
        world.settle(&dice)
        #expect(world.session.isReading && world.stored.isEmpty && world.mostLoads == 1)
        let lost = Set(1...world.last).subtracting(world.received)
        #expect(lost.isSubset(of: world.unstored), "lost \(lost.subtracting(world.unstored).sorted())")
    }
}
