/// Something that cannot be lowered, at the user's own line.
package struct LoweringDiagnostic: Equatable, Sendable {
    package enum Severity: String, Sendable {
        case error, warning
    }

    package var severity: Severity
    package var file: String
    /// From 1.
    package var line: Int
    /// In bytes of UTF-8, from 1, as the compiler counts.
    package var column: Int
    /// What is wrong, and what to do.
    package var message: String

    /// As the compiler writes it, so that editors find the place.
    package var text: String { "\(file):\(line):\(column): \(severity.rawValue): \(message)" }
}
