import PushCore
import Testing

@Suite("Device tokens")
struct DeviceTokenTests {
    static let other = "com.example.other"

    private func read(
        _ text: String, topic: String = Sample.topic, known: Set<String> = [Sample.topic, other],
        _ authority: TokenAuthority = Sample.authority()
    ) throws(PushRejection) -> DeviceToken {
        try authority.read(text, topic: topic) { hash in known.first { authority.hash($0) == hash } }
    }

    @Test("A token says its device, topic and epoch, and is known again in either case", arguments: [0, 1, 65_535])
    func roundTrip(_ epoch: UInt16) throws {
        let device = try Sample.device(9)
        let token = Sample.authority().token(device: device, topic: Sample.topic, epoch: epoch)
        #expect(token.text.utf8.count == 64)
        for text in [token.text, token.text.uppercased()] {
            let read = try read(text)
            #expect(read == token && read.device == device && read.epoch == epoch)
            #expect(read.topic == Sample.authority().hash(Sample.topic))
        }
        #expect(DeviceToken(token.text) == token)
    }

    @Test(
        "What is no 64 hexadecimal digits is no token",
        arguments: [
            "", "00", String(repeating: "0", count: 63), String(repeating: "0", count: 65),
            String(repeating: "0", count: 66), String(repeating: "g", count: 64), String(repeating: "é", count: 32),
            String(repeating: "0", count: 63) + " ", "0x" + String(repeating: "0", count: 62),
        ])
    func malformed(_ text: String) {
        #expect(DeviceToken(text) == nil)
        #expect(throws: PushRejection(.badDeviceToken)) { try read(text) }
    }

    @Test("A token in which one bit is wrong is none, whichever bit it is")
    func everyBit() throws {
        let text = Sample.authority().token(device: try Sample.device(), topic: Sample.topic, epoch: 1).text
        let bytes = try #require(Hexadecimal.bytes(text))
        for bit in 0..<256 {
            var wrong = bytes
            wrong[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: PushRejection(.badDeviceToken)) { try read(Hexadecimal.text(wrong)) }
        }
    }

    @Test("A token of another app's topic is said to be that, if some device has registered the topic")
    func otherTopic() throws {
        let text = Sample.authority().token(device: try Sample.device(), topic: Self.other, epoch: 0).text
        #expect(throws: PushRejection(.deviceTokenNotForTopic)) { try read(text) }
        #expect(throws: PushRejection(.badDeviceToken)) { try read(text, known: [Sample.topic]) }
        // The hash of a known topic is no secret: without the seal it says nothing.
        var forged = try #require(Hexadecimal.bytes(text))
        forged[31] ^= 1
        #expect(throws: PushRejection(.badDeviceToken)) { try read(Hexadecimal.text(forged)) }
    }

    @Test("A gateway with another secret does not know it")
    func otherSecret() throws {
        let text = Sample.authority(secret: [8]).token(device: try Sample.device(), topic: Sample.topic, epoch: 0).text
        #expect(throws: PushRejection(.badDeviceToken)) { try read(text) }
    }

    @Test("Tokens differ by device, topic and epoch, and by nothing else")
    func distinct() throws {
        let authority = Sample.authority()
        var texts: Set<String> = []
        for device in 0..<10 as Range<UInt8> {
            for topic in [Sample.topic, Self.other] {
                for epoch in 0..<5 as Range<UInt16> {
                    let token = authority.token(device: try Sample.device(device), topic: topic, epoch: epoch)
                    #expect(token == authority.token(device: try Sample.device(device), topic: topic, epoch: epoch))
                    texts.insert(token.text)
                }
            }
        }
        #expect(texts.count == 100)
    }

    @Test("Made-up tokens are refused, and reading them never fails otherwise")
    func madeUp() {
        var dice = SplitMix(seed: 16)
        for _ in 0..<5000 {
            let text = Hexadecimal.text((0..<32).map { _ in UInt8(truncatingIfNeeded: dice.next()) })
            #expect(throws: PushRejection(.badDeviceToken)) { try read(text) }
        }
    }

    @Test("A device has twelve bytes, and its text is read back")
    func devices() throws {
        let bytes: [UInt8] = [255, 1, 2, 3, 4, 5, 6, 7, 128, 9, 10, 0]
        let device = try #require(DeviceID(bytes))
        #expect(device.bytes == bytes && device.description == "ff010203040506078" + "0090a00")
        #expect(DeviceID(digest: bytes + [1, 2, 3]) == device)
        #expect(DeviceID(bytes.dropLast()) == nil && DeviceID(bytes + [0]) == nil && DeviceID(digest: [1]) == nil)
    }

    @Test("Hexadecimal digits are read in pairs, and nothing else is")
    func hexadecimal() {
        #expect(Hexadecimal.bytes("00fFA9") == [0, 255, 169] && Hexadecimal.text([0, 255, 169]) == "00ffa9")
        for text in ["0", "0g", "/0", ":0", "@0", "G0", "`0", "g0", "0 "] { #expect(Hexadecimal.bytes(text) == nil) }
    }
}
