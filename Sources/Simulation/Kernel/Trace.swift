internal import Model
package import PolicyCore

/// What a run did, in words: every event with its moment, and below it what the Core made of it. The same scenario and
/// seed give the same bytes.
package struct Trace {
    package private(set) var bytes: [UInt8] = []
    /// FNV-1a of all bytes so far.
    package private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    package mutating func add(_ event: Event, _ effects: [Effect], on device: Device) {
        write("\(Self.seconds(device.elapsed)) \(device.system.sentence(for: event))\n")
        for effect in effects { write("    → \(device.system.sentence(for: effect))\n") }
    }

    /// The bytes since the last taking.
    package mutating func takeBytes() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    private mutating func write(_ text: String) {
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        hash = Stable.hash(bytes[start...], from: hash)
    }

    /// Since boot, with all nine digits.
    private static func seconds(_ span: Span) -> String {
        let (whole, rest) = span.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let digits = String(rest)
        return "\(whole).\(String(repeating: "0", count: 9 - digits.count))\(digits)"
    }
}
