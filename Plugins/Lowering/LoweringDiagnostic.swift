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

    /// Lines by which the compiler says the same, if a condition of `#if` holds.
    func directive(under condition: String) -> String {
        // The compiler names the place of the literal, seven bytes behind that of the directive.
        let indent = String(repeating: " ", count: max(column - 8, 0))
        return """
            #if \(condition)
            #sourceLocation(file: "\(file.asLiteral)", line: \(line))
            \(indent)#\(severity.rawValue)("\(message.asLiteral)")
            #sourceLocation()
            #endif
            """
    }
}

extension String {
    /// The text between the quotation marks of a literal.
    var asLiteral: String { replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") }
}
