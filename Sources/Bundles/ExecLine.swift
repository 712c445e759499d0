/// The value of a desktop entry's `Exec`, taken apart as desktops do it, which is how a shell takes words apart.
///
/// No shell reads the line, so characters that only a shell would act on are taken literally, with a remark. The
/// Desktop Entry Specification requires quotes around such characters, but many files lack them.
package struct ExecLine {
    /// The values of the field codes.
    package struct Fields {
        package var name: String
        package var icon: String?
        /// The absolute path of the `.desktop` file.
        package var file: String

        package init(name: String, icon: String?, file: String) {
            (self.name, self.icon, self.file) = (name, icon, file)
        }
    }

    package let arguments: [String]
    package let remarks: [String]

    package init(_ line: String, _ fields: Fields) throws(Refusal) {
        var parser = Parser(fields, rest: line.unicodeScalars[...])
        arguments = try parser.parse()
        remarks = parser.remarks
        guard let program = arguments.first, !program.isEmpty else {
            throw Refusal("Exec names no program: give one.")
        }
    }

    private static let forShells: Set<Unicode.Scalar> = [
        ">", "<", "~", "|", "&", ";", "$", "*", "?", "#", "(", ")", "`",
    ]

    private struct Parser {
        let fields: Fields
        var rest: Substring.UnicodeScalarView
        var arguments: [String] = []
        var remarks: [String] = []
        private var current = ""
        /// Whether `current` is an argument even when it is empty: `""` is one, a lone field code is none.
        private var isArgument = false
        private var hasShell = false

        init(_ fields: Fields, rest: Substring.UnicodeScalarView) { (self.fields, self.rest) = (fields, rest) }

        mutating func parse() throws(Refusal) -> [String] {
            while let scalar = rest.popFirst() {
                switch scalar {
                case " ", "\t", "\n": try endArgument()
                case "#" where !isArgument: skipComment()
                case "\"": try quoted()
                case "'": try literal()
                case "%": try fieldCode()
                case "\\": append(rest.popFirst() ?? scalar)
                default:
                    if ExecLine.forShells.contains(scalar), !hasShell {
                        hasShell = true
                        remarks.append(
                            "Exec has the character \(scalar), which is no shell's here: it stands for itself.")
                    }
                    append(scalar)
                }
            }
            try endArgument()
            return arguments
        }

        /// Desktops leave out what a shell does not read.
        private mutating func skipComment() {
            let comment = rest.prefix { $0 != "\n" }
            rest.removeFirst(comment.count)
            remarks.append("In Exec \(Names.quoted("#" + String(Substring(comment)))) is a comment, and is left out.")
        }

        private mutating func quoted() throws(Refusal) {
            isArgument = true
            while let scalar = rest.popFirst() {
                switch scalar {
                case "\"": return
                case "\\":
                    guard let escaped = rest.popFirst() else { break }
                    if !["\"", "`", "$", "\\"].contains(escaped) { append(scalar) }
                    append(escaped)
                case "%": try fieldCode()
                default: append(scalar)
                }
            }
            throw Refusal("In Exec a quotation mark is not closed: close it.")
        }

        /// In single quotes, of which the specification knows nothing.
        private mutating func literal() throws(Refusal) {
            isArgument = true
            while let scalar = rest.popFirst() {
                switch scalar {
                case "'": return
                case "%": try fieldCode()
                default: append(scalar)
                }
            }
            throw Refusal("In Exec a quotation mark is not closed: close it.")
        }

        private mutating func fieldCode() throws(Refusal) {
            switch rest.popFirst() {
            case "%": append("%")
            // The program is started without files or URLs, so these expand to nothing. The last six are deprecated.
            case "f", "F", "u", "U", "d", "D", "n", "N", "v", "m": break
            case "c": add(fields.name)
            case "k": add(fields.file)
            case "i":
                guard let icon = fields.icon, !icon.isEmpty else { break }
                try endArgument()
                add("--icon")
                try endArgument()
                add(icon)
                try endArgument()
            case let code:
                let text = Names.quoted("%" + (code.map { String($0) } ?? ""))
                remarks.append("In Exec \(text) is no field code, and is left out; %% is a percent sign.")
            }
        }

        private mutating func add(_ text: String) {
            for scalar in text.unicodeScalars { append(scalar) }
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
