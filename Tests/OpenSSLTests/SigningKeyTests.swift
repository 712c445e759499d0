import OpenSSL
import Testing

@Suite("Keys on P-256")
struct SigningKeyTests {
    private func bytes(_ text: String) -> [UInt8] {
        stride(from: 0, to: text.count, by: 2).compactMap { offset in
            let start = text.index(text.startIndex, offsetBy: offset)
            return UInt8(text[start..<text.index(start, offsetBy: 2)], radix: 16)
        }
    }

    // RFC 6979, A.2.5.
    @Test("A number has the public key of its standard")
    func example() throws {
        let number = "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"
        let key = try #require(SigningKey(number: bytes(number)))
        #expect(key.number == bytes(number))
        #expect(
            key.publicKey
                == [4] + bytes("60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6")
                + bytes("7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"))
    }

    @Test("A new key is read back from its number, and signs")
    func made() throws {
        let key = try #require(SigningKey())
        let again = try #require(SigningKey(number: key.number))
        #expect(again.publicKey == key.publicKey)
        let signature = try #require(again.signature(of: Array("greenroom".utf8)))
        #expect(signature.count == 64)
        // Each signature has a number of its own.
        #expect(key.signature(of: Array("greenroom".utf8)) != signature)
    }

    @Test(
        "What is no number of a key makes none",
        arguments: [
            [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32), [], [1],
            [UInt8](repeating: 1, count: 33),
        ])
    func refused(_ number: [UInt8]) {
        #expect(SigningKey(number: number) == nil)
    }
}
