import Model
import PushCore
import Testing

@Suite("What waits to be written")
struct PendingWritesTests {
    typealias Writes = PendingWrites<Int, String>

    /// The entries, as texts that can be compared.
    private func texts(_ writes: inout Writes) -> [String] {
        writes.take().map { entry in
            switch entry {
            case .insert(let message, let superseding, let waiter): "insert \(message.number) \(superseding) \(waiter)"
            case .supersede(let message, let superseding): "supersede \(message.number) \(superseding)"
            case .delete(let number): "delete \(number)"
            case .job(let job): "job \(job)"
            case .nothing: "nothing"
            }
        }
    }

    private func message(_ number: Int64, bytes: Int = 2) throws -> PushMessage {
        Sample.message(number, try Sample.device(), payload: String(repeating: "x", count: bytes))
    }

    @Test("Everything is taken in its order, once")
    func order() throws {
        var writes = Writes()
        #expect(writes.isEmpty)
        #expect(writes.insert(try message(1), .nothing, 11))
        writes.append("load")
        #expect(writes.delete(9) == nil)
        #expect(!writes.isEmpty)
        #expect(texts(&writes) == ["insert 1 nothing 11", "job load", "delete 9"])
        #expect(writes.isEmpty && texts(&writes) == [])
    }

    @Test("What is acknowledged before it is written is not written, and its provider is answered")
    func acknowledged() throws {
        var writes = Writes()
        #expect(writes.insert(try message(1), .nothing, 11))
        #expect(writes.insert(try message(2), .nothing, 12))
        #expect(writes.delete(1) == 11)
        // A second acknowledgement is one for the disk, where there is nothing.
        #expect(writes.delete(1) == nil)
        #expect(texts(&writes) == ["nothing", "insert 2 nothing 12", "delete 1"])
    }

    @Test("It took the place of others all the same: those are removed", arguments: [Superseding.collapse, .topic])
    func supersedes(_ superseding: Superseding) throws {
        var writes = Writes()
        #expect(writes.insert(try message(1), superseding, 11))
        #expect(writes.delete(1) == 11)
        #expect(texts(&writes) == ["supersede 1 \(superseding)"])
    }

    @Test("An acknowledgement of what is being written is for the next transaction")
    func underWay() throws {
        var writes = Writes()
        #expect(writes.insert(try message(1), .nothing, 11))
        #expect(texts(&writes) == ["insert 1 nothing 11"])
        #expect(writes.delete(1) == nil)
        #expect(texts(&writes) == ["delete 1"])
    }

    @Test("A disk that does not keep up takes no more messages, by their number and by their bytes")
    func bounds() throws {
        var few = Writes(messages: 2, bytes: 1000)
        #expect(few.insert(try message(1), .nothing, 1))
        #expect(few.insert(try message(2), .nothing, 2))
        #expect(!few.insert(try message(3), .nothing, 3))
        #expect(few.delete(1) == 1)
        #expect(few.insert(try message(3), .nothing, 3))
        var small = Writes(messages: 100, bytes: 1000)
        #expect(small.insert(try message(1, bytes: 600), .nothing, 1))
        #expect(!small.insert(try message(2, bytes: 401), .nothing, 2))
        #expect(small.insert(try message(2, bytes: 400), .nothing, 2))
        #expect(small.delete(1) == 1)
        #expect(small.insert(try message(3, bytes: 600), .nothing, 3))
        _ = small.take()
        #expect(small.insert(try message(4, bytes: 1000), .nothing, 4))
    }

    /// A store that does at once what it is asked for, and one that does it in transactions.
    @Test(
        "In a storm, what is written in the end is what was asked for, and each waiter is answered once",
        arguments: 0..<50)
    func storm(_ seed: UInt64) throws {
        var dice = SplitMix(seed: seed)
        var writes = PendingWrites<Int64, Void>()
        var (direct, written): (Set<Int64>, Set<Int64>) = ([], [])
        var answered: [Int64: Int] = [:]
        var last: Int64 = 0
        for _ in 0..<2000 {
            switch UInt8.random(in: 0..<8, using: &dice) {
            case 0..<4:
                last += 1
                let superseding: Superseding = UInt8.random(in: 0..<8, using: &dice) == 0 ? .topic : .nothing
                #expect(writes.insert(try message(last), superseding, last))
                if superseding == .topic { direct = [] }
                direct.insert(last)
            case 4..<7:
                guard let number = direct.randomElement(using: &dice) else { continue }
                direct.remove(number)
                if let waiter = writes.delete(number) { answered[waiter, default: 0] += 1 }
            default: apply(writes.take(), &written, &answered)
            }
        }
        apply(writes.take(), &written, &answered)
        #expect(written == direct)
        #expect(answered.count == Int(last) && answered.values.allSatisfy { $0 == 1 })
    }

    private func apply(
        _ entries: [PendingWrites<Int64, Void>.Entry], _ written: inout Set<Int64>, _ answered: inout [Int64: Int]
    ) {
        for entry in entries {
            switch entry {
            case .insert(let message, let superseding, let waiter):
                if superseding == .topic { written = written.filter { $0 > message.number } }
                written.insert(message.number)
                answered[waiter, default: 0] += 1
            case .supersede(let message, _): written = written.filter { $0 > message.number }
            case .delete(let number): written.remove(number)
            case .job, .nothing: break
            }
        }
    }
}
