/// The value of a desktop entry's `Exec`, taken apart as the Desktop Entry Specification says, without a shell.
package enum ExecLine {
    package static func arguments(_ line: String) throws(Refusal) -> [String] {
        var parser = Parser(rest: line.unicodeScalars[...])
        let arguments = try parser.parse()
        guard let program = arguments.first, !program.isEmpty else {
            throw Refusal("Exec names no program: give one.")
        }
        return arguments
    }

    /// What means something to a shell. The specification wants it quoted, so that who expects a shell is told.
    private static let reserved: Set<Unicode.Scalar> = [
        "'", "\\", ">", "<", "~", "|", "&", ";", "$", "*", "?", "#", "(", ")", "`",
    ]

    private struct Parser {
        var rest: Substring.UnicodeScalarView
        var arguments: [String] = []
        var current = ""
        /// Whether `current` is an argument even when it is empty: `""` is one, a lone field code is none.
        var isArgument = false

        mutating func parse() throws(Refusal) -> [String] {
            while let scalar = rest.popFirst() {
                switch scalar {
                case " ", "\t", "\n": try endArgument()
                case "\"":
                    guard current.isEmpty, !isArgument else {
                        throw Refusal("In Exec a quotation mark stands inside an argument: quote arguments as a whole.")
                    }
                    try quoted()
                case "%": try fieldCode()
                case _ where ExecLine.reserved.contains(scalar):
                    throw Refusal(
                        "In Exec the character \(scalar) has to stand in double quotes. No shell reads the line; for"
                            + " one, write: sh -c \"…\".")
                default: append(scalar)
                }
            }
            try endArgument()
            return arguments
        }

        private mutating func quoted() throws(Refusal) {
            isArgument = true
            while let scalar = rest.popFirst() {
                switch scalar {
                case "\"":
                    guard rest.first.map({ $0 == " " || $0 == "\t" || $0 == "\n" }) ?? true else {
                        throw Refusal("In Exec something follows a closing quotation mark: quote arguments as a whole.")
                    }
                    return
                case "\\":
                    guard let escaped = rest.popFirst(), ["\"", "`", "$", "\\"].contains(escaped) else {
                        throw Refusal("In Exec only \" ` $ and \\ may follow a backslash in quotes.")
                    }
                    append(escaped)
                case "%": try fieldCode()
                case "`", "$":
                    throw Refusal("In Exec the character \(scalar) needs a backslash in quotes.")
                default: append(scalar)
                }
            }
            throw Refusal("In Exec a quotation mark is not closed: close it.")
        }

        private mutating func fieldCode() throws(Refusal) {
            switch rest.popFirst() {
            case "%": append("%")
            // Nothing is opened with the program, so they all stand for nothing; the second row is deprecated.
            case "f", "F", "u", "U", "i", "c", "k", "d", "D", "n", "N", "v", "m": break
            case let code:
                throw Refusal(
                    "In Exec \(Names.quoted("%" + (code.map { String($0) } ?? ""))) is no field code: write %% for a"
                        + " percent sign.")
            }
        }

        private mutating func append(_ scalar: Unicode.Scalar) {
            current.unicodeScalars.append(scalar)
            isArgument = true
        }

        private mutating func endArgument() throws(Refusal) {
            defer {
                current = ""
                isArgument = false
            }
            guard isArgument else { return }
            guard current.utf8.count <= Limits.argumentBytes, arguments.count < Limits.arguments else {
                throw Refusal(
                    "Exec has an argument over \(Limits.argumentBytes) bytes or more than \(Limits.arguments)"
                        + " arguments: put them into a file.")
            }
            arguments.append(current)
        }
    }
}
