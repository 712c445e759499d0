package import LocationModel

/// A cell as ModemManager writes it: `MCC,MNC,LAC,CI,TAC`, the last three in hexadecimal digits.
package enum CellName {
    /// `nil` for a modem that is in no cell, and for what is no cell.
    package static func tower(_ text: String) -> CellTower? {
        guard text.utf8.count <= 64 else { return nil }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        guard (4...5).contains(parts.count), let country = digits(parts[0], 3...3),
            let network = digits(parts[1], 2...3),
            let cell = number(parts[3]), cell != 0
        else { return nil }
        // Networks of the fourth generation and later have no location areas but tracking areas.
        let areas = [number(parts[2]), parts.count == 5 ? number(parts[4]) : nil].compactMap(\.self)
        guard let area = areas.first(where: { !unknownAreas.contains($0) }) else { return nil }
        return CellTower("\(country)-\(network)-\(hexadecimal(area))-\(hexadecimal(cell))")
    }

    /// What stands for no area, of two and of three bytes.
    private static let unknownAreas: Set<UInt64> = [0, 0xfffe, 0xffff, 0xfffffe, 0xffffff]

    private static func digits(_ text: String, _ count: ClosedRange<Int>) -> String? {
        count.contains(text.count) && text.allSatisfy { ("0"..."9").contains($0) } ? text : nil
    }

    /// Cells have numbers of at most 36 bits.
    private static func number(_ text: String) -> UInt64? {
        guard (1...9).contains(text.count), text.allSatisfy(\.isHexDigit) else { return nil }
        return UInt64(text, radix: 16)
    }

    private static func hexadecimal(_ number: UInt64) -> String { String(number, radix: 16, uppercase: true) }
}
