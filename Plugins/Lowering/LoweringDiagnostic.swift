/// Something that cannot be lowered, at the user's own line.
struct LoweringDiagnostic: Equatable, Sendable {
    enum Severity: String, Sendable {
        case error, warning
    }

    var severity: Severity
    var file: String
    /// From 1.
    var line: Int
    /// In bytes of UTF-8, from 1, as the compiler counts.
    var column: Int
    /// What is wrong, and what to do.
    var message: String

    /// As the compiler writes it, so that editors find the place.
    var text: String { "\(file):\(line):\(column): \(severity.rawValue): \(message)" }
}
