import Model
import PushCore
import Testing

@Suite("A mailbox as bytes")
struct MailboxCodingTests {
    private static func full() throws -> (Mailbox, DeviceID) {
        let device = try Sample.device()
        var mailbox = Mailbox(seen: Sample.now.nanoseconds / 1_000_000)
        mailbox.visit = Mailbox.Visit(node: 7, number: 3)
        mailbox.isPresent = true
        for number in 1...3 {
            mailbox.insert(Sample.message(Int64(number), device, collapse: number == 2 ? "news" : nil))
        }
        return (mailbox, device)
    }

    @Test("What was written reads back as the same, and a part of it does not read at all")
    func roundTrip() throws {
        let (mailbox, device) = try Self.full()
        let bytes = mailbox.encoded
        #expect(try Mailbox(bytes, device: device) == mailbox)
        #expect(bytes.count == mailbox.encodedCount)
        for count in 0..<bytes.count {
            #expect(throws: UnreadableMailbox.self) { try Mailbox(Array(bytes.prefix(count)), device: device) }
        }
        #expect(throws: UnreadableMailbox.self) { try Mailbox(bytes + [0], device: device) }
    }

    @Test("Times and numbers that nothing can be added to are refused")
    func overflow() throws {
        let (mailbox, device) = try Self.full()
        // When the device was seen, the greatest number, and the number of the first message.
        for offset in [18, 26, 36] {
            var bytes = mailbox.encoded
            bytes[offset] = 0x7F
            #expect(throws: UnreadableMailbox.self) { try Mailbox(bytes, device: device) }
        }
    }

    @Test("Bytes of chance and changed ones are refused or read, and what is read can be used", arguments: 1...4)
    func chance(seed: UInt64) throws {
        let (mailbox, device) = try Self.full()
        var dice = SplitMix(seed: seed)
        var read = 0
        for _ in 0..<5000 {
            var bytes = mailbox.encoded
            if Bool.random(using: &dice) {
                bytes = (0..<Int.random(in: 0...200, using: &dice)).map { _ in .random(in: 0...255, using: &dice) }
                if !bytes.isEmpty { bytes[0] = 1 }
            } else {
                for _ in 0..<Int.random(in: 1...4, using: &dice) { Self.mutate(&bytes, &dice) }
            }
            _ = try? PushMessage(encoded: bytes)
            guard var found = try? Mailbox(bytes, device: device) else { continue }
            read += 1
            #expect(try Mailbox(found.encoded, device: device) == found)
            _ = found.gone(at: Sample.now, rules: PushRules())
            let greatest = found.greatest
            found.insert(Sample.message(1, device))
            #expect(found.greatest > greatest)
        }
        #expect(read > 100)
    }

    private static func mutate(_ bytes: inout [UInt8], _ dice: inout SplitMix) {
        guard let index = bytes.indices.randomElement(using: &dice) else { return }
        switch Int.random(in: 0..<4, using: &dice) {
        case 0: bytes[index] = .random(in: 0...255, using: &dice)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
        case 2: bytes.remove(at: index)
        default: bytes.insert(.random(in: 0...255, using: &dice), at: index)
        }
    }
}
