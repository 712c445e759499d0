/// What the helper found out about a program: all that the daemon ever learns from a bundle.
package struct Manifest: Codable, Sendable, Equatable {
    package enum Kind: String, Codable, Sendable {
        /// A bundle that speaks the protocol.
        case application
        /// Any other program.
        case plain
    }

    package var identifier: String
    package var name: String
    package var kind: Kind
    /// Relative to the bundle for an application, else absolute.
    package var executable: String
    package var arguments: [String] = []
    package var backgroundModes: [String] = []
    package var exitsOnSuspend = false
    package var urlSchemes: [String] = []
    package var terminal = false
    package var freezable = true
    package var icon: String?
    package var version: String?
    package var workingDirectory: String?
    /// Perhaps a graphical program that was not asked about freezing: the daemon decides with the display in mind.
    package var graphical = false
    /// It makes namespaces of its own, as browsers do for their sandboxes.
    package var namespaces = false
    /// `BGTaskSchedulerPermittedIdentifiers`.
    package var taskIdentifiers: [String] = []
    /// `UIApplicationSceneManifest`: `one` or `several`; `nil`: none.
    package var scenes: String?
    /// Programs of the bundle that services may run, by their extension points: relative to the bundle.
    package var extensions: [String: String] = [:]
    /// The limit of its connections while it is suspended, in seconds. 0 is no limit. `nil`: the profile's limit holds.
    package var connectionLimit: Int64?
    /// One sentence for each key that was ignored or converted.
    package var warnings: [String] = []

    package init(identifier: String, name: String, kind: Kind, executable: String) {
        self.identifier = identifier
        self.name = name
        self.kind = kind
        self.executable = executable
    }
}

/// Why something is not installed, in a sentence that says what to do.
package struct Refusal: Error, Codable, Sendable, Equatable, CustomStringConvertible {
    package let refused: String

    package init(_ sentence: String) {
        refused = sentence
    }

    package var description: String { refused }
}

extension Manifest {
    /// One line of JSON. Written by hand because Foundation costs more address space than the helper may have.
    package var json: String {
        var writer = JSONWriter()
        writer.field("identifier", identifier)
        writer.field("name", name)
        writer.field("kind", kind.rawValue)
        writer.field("executable", executable)
        writer.field("arguments", arguments)
        writer.field("backgroundModes", backgroundModes)
        writer.field("exitsOnSuspend", exitsOnSuspend)
        writer.field("urlSchemes", urlSchemes)
        writer.field("terminal", terminal)
        writer.field("freezable", freezable)
        writer.field("icon", icon)
        writer.field("version", version)
        writer.field("workingDirectory", workingDirectory)
        writer.field("graphical", graphical)
        writer.field("namespaces", namespaces)
        writer.field("taskIdentifiers", taskIdentifiers)
        writer.field("scenes", scenes)
        writer.field("extensions", extensions)
        writer.field("connectionLimit", connectionLimit)
        writer.field("warnings", warnings)
        return writer.object
    }
}

extension Refusal {
    package var json: String {
        var writer = JSONWriter()
        writer.field("refused", refused)
        return writer.object
    }
}

struct JSONWriter {
    private var fields: [String] = []

    var object: String { "{" + fields.joined(separator: ",") + "}" }

    mutating func field(_ key: String, _ value: String?) {
        fields.append(quoted(key) + ":" + (value.map(quoted) ?? "null"))
    }

    mutating func field(_ key: String, objects: [String]) {
        fields.append(quoted(key) + ":[" + objects.joined(separator: ",") + "]")
    }

    mutating func field(_ key: String, _ value: Int64?) {
        fields.append(quoted(key) + ":" + (value.map { String($0) } ?? "null"))
    }

    mutating func field(_ key: String, _ value: Bool) {
        fields.append(quoted(key) + (value ? ":true" : ":false"))
    }

    mutating func field(_ key: String, _ values: [String]) {
        fields.append(quoted(key) + ":[" + values.map(quoted).joined(separator: ",") + "]")
    }

    mutating func field(_ key: String, _ values: [String: String]) {
        let members = values.sorted { $0.key < $1.key }.map { quoted($0.key) + ":" + quoted($0.value) }
        fields.append(quoted(key) + ":{" + members.joined(separator: ",") + "}")
    }

    private func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _
            where scalar.properties.generalCategory == .control || scalar.value == 0x2028 || scalar.value == 0x2029:
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
