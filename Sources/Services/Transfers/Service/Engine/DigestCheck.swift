internal import Curl
internal import LinuxSystem
internal import TransferCore
internal import TransferWire
internal import Wire

/// What somebody said beforehand that the bytes hash to: the tool (`sha-256:HEX`), or the server of the whole thing
/// (RFC 9530, and the older headers).
enum DigestCheck {
    struct Expected {
        var algorithm: RunningHash.Algorithm
        var value: [UInt8]
    }

    /// `head`: of an answer that has the thing, or a part of it.
    static func expected(checksum: String?, _ head: CurlHead?) -> Expected? {
        if let checksum {
            let parts = checksum.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let algorithm = RunningHash.Algorithm(rawValue: parts[0].lowercased()),
                let value = hexadecimal(parts[1])
            else { return nil }
            return Expected(algorithm: algorithm, value: value)
        }
        guard let head else { return nil }
        // Of a part some say what the whole is, others what the part is.
        let isWhole = head.status == 200
        // What is said of a coded body is not true of what was decoded.
        let isCoded = head.values("content-encoding").contains { $0.lowercased() != "identity" }
        guard isWhole || head.status == 206, !isCoded else { return nil }
        for name in isWhole ? ["repr-digest", "content-digest"] : ["repr-digest"] {
            for item in items(head, name) {
                // sha-256=:BASE64:
                guard let (algorithm, rest) = split(item), rest.hasPrefix(":"), rest.hasSuffix(":"), rest.count > 2,
                    let value = Base64.bytes(String(rest.dropFirst().dropLast()))
                else { continue }
                return Expected(algorithm: algorithm, value: value)
            }
        }
        for item in items(head, "digest") {
            guard let (algorithm, rest) = split(item), let value = Base64.bytes(String(rest)) else { continue }
            return Expected(algorithm: algorithm, value: value)
        }
        guard isWhole, let old = head.first("content-md5"), let value = Base64.bytes(old) else {
            return nil
        }
        return Expected(algorithm: .md5, value: value)
    }

    static func verdict(
        _ sink: FileSink, length: Int64, attempt: Attempt, head: CurlHead?
    ) -> DigestVerdict {
        guard let expected = expected(checksum: attempt.checksum, head) else { return .unknown }
        guard let digest = sink.digest(of: length) else { return .unknown }
        return digest == expected.value ? .matches : .differs
    }

    /// What a list in a field has.
    private static func items(_ head: CurlHead, _ name: String) -> [Substring] {
        head.values(name).flatMap { $0.split(separator: ",") }.map { item in
            let start = item.drop { $0 == " " || $0 == "\t" }
            return start[..<(start.lastIndex { $0 != " " && $0 != "\t" }.map(start.index(after:)) ?? start.endIndex)]
        }
    }

    private static func split(_ item: Substring) -> (RunningHash.Algorithm, Substring)? {
        guard let equals = item.firstIndex(of: "=") else { return nil }
        let name = item[..<equals].lowercased().filter { $0 != " " }
        guard let algorithm = RunningHash.Algorithm(rawValue: name) else { return nil }
        return (algorithm, item[item.index(after: equals)...])
    }

    private static func hexadecimal(_ text: Substring) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0, !digits.isEmpty else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }
}
