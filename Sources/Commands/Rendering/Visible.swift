/// Makes what an app said safe for a terminal: control characters are shown, never sent.
package enum Visible {
    /// For a table's cell or a sentence: line breaks are control characters like the others.
    package static func line(_ text: String) -> String { shown(text, keeping: []) }

    /// For an app's own output: lines stay lines, tabs stay tabs.
    package static func lines(_ text: String) -> String { shown(text, keeping: ["\n", "\t"]) }

    private static func shown(_ text: String, keeping kept: Set<Unicode.Scalar>) -> String {
        guard text.unicodeScalars.contains(where: { isDangerous($0) && !kept.contains($0) }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isDangerous(scalar), !kept.contains(scalar) {
                result.append(contentsOf: picture(of: scalar).unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// JSON text has escaped the first controls already; the line breaks that are left are its layout.
    static func hidesInJSON(_ scalar: Unicode.Scalar) -> Bool { isDangerous(scalar) && scalar.value >= 0x7F }

    /// Controls drive the terminal; the rest reorder or hide text, so that a name could pass for another.
    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x061C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
        case 0xE0000...0xE007F: true
        default: false
        }
    }

    private static func picture(of scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0x00...0x1F: "^" + String(UnicodeScalar(UInt8(scalar.value) + 0x40))
        case 0x7F: "^?"
        default: "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        }
    }
}
