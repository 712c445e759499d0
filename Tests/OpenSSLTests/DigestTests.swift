import OpenSSL
import Testing

@Suite("Digests")
struct DigestTests {
    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    // The examples of RFC 1321, FIPS 180-4 and RFC 6234.
    @Test(
        "A digest is the one of its standard",
        arguments: [
            (Digest.Algorithm.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
            (.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
            (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (
                .sha512, "abc",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
        ])
    func examples(_ algorithm: Digest.Algorithm, _ text: String, _ expected: String) {
        #expect(Digest.of(Array(text.utf8), algorithm).map(hexadecimal) == expected)
    }

    @Test("A value is of all bytes so far, and more may follow", arguments: Digest.Algorithm.allCases)
    func parts(_ algorithm: Digest.Algorithm) throws {
        let digest = try #require(Digest(algorithm))
        var all: [UInt8] = []
        for length in [0, 1, 63, 64, 65, 1000] {
            let part = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
            all += part
            unsafe part.withUnsafeBytes { unsafe digest.update($0) }
            #expect(digest.value == Digest.of(all, algorithm))
        }
    }
}
