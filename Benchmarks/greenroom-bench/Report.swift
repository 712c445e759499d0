internal import LinuxSystem
internal import Wire

/// The table, and the same as JSON.
struct Report {
    private(set) var figures: [Figure] = []
    /// What another run wrote as JSON: its table is printed beside this one.
    private var other: [String: Other] = [:]

    private struct Other {
        let value: Double
        let ratio: Double?
    }

    /// Reads that; the file that `--json` makes.
    mutating func readOther(_ path: String) throws {
        guard let bytes = FileSystem.read(path) else { throw BenchError("\(path) cannot be read") }
        guard let figures = try JSONValue(parsing: bytes, limits: .answer)["figures"]?.array else {
            throw BenchError("\(path) is no file of --json")
        }
        for figure in figures {
            guard let what = figure["what"]?.string, let value = figure["value"]?.number else { continue }
            other[Self.key(what, figure["against"]?.string)] = Other(value: value, ratio: figure["ratio"]?.number)
        }
    }

    /// Some figures have one name and another peer; of others the name has a count that may differ.
    private static func key(_ what: String, _ against: String?) -> String {
        what.filter { !$0.isNumber } + "|" + (against ?? "")
    }

    mutating func add(_ figure: Figure) { figures.append(figure) }

    mutating func add(_ figures: [Figure]) { self.figures += figures }

    var missed: Int { figures.count { $0.isMet == false } }

    var text: String {
        let header = ["what", "value", "n", "floor or peer", "", "ratio", "target", ""]
        let beside = other.isEmpty ? [] : ["before", "ratio before", "now to before"]
        let rows = [header + beside] + figures.map { row($0) + (other.isEmpty ? [] : before($0)) }
        let widths = (header + beside).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                // Numbers end in one line, words begin in one.
                line += [1, 2, 3, 5, 8, 9, 10].contains(column) ? padding + cell + "  " : cell + padding + "  "
            }
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }

    /// Machines differ: where there is a floor, what counts is how far each run was from its own.
    private func before(_ figure: Figure) -> [String] {
        guard let other = other[Self.key(figure.what, figure.against)] else { return ["-", "", ""] }
        var change: Double?
        if let now = figure.ratio, let before = other.ratio, before > 0 {
            change = now / before
        } else if other.value > 0 {
            change = figure.value / other.value
        }
        return [
            Format.quantity(other.value, figure.unit), other.ratio.map(Format.number) ?? "",
            change.map(Format.number) ?? "",
        ]
    }

    private func row(_ figure: Figure) -> [String] {
        [
            figure.what, Format.quantity(figure.value, figure.unit), figure.samples > 1 ? String(figure.samples) : "",
            figure.floor.map { Format.quantity($0, figure.unit) } ?? "", figure.against ?? "",
            ratio(figure), figure.targetText,
            figure.isMet.map { $0 ? "met" : "MISSED" } ?? "",
        ]
    }

    private func ratio(_ figure: Figure) -> String {
        guard let ratio = figure.ratio else { return "" }
        if case .fasterAtLeast = figure.target { return "1 / \(Format.number(1 / ratio))" }
        return Format.number(ratio)
    }

    func write(to path: String, isQuick: Bool) throws {
        let list = figures.map { figure -> JSONValue in
            [
                "what": .string(figure.what), "value": number(figure.value), "unit": .string(figure.unit.rawValue),
                "samples": .int(Int64(figure.samples)), "floor": number(figure.floor),
                "against": JSONValue(figure.against), "ratio": number(figure.ratio),
                "target": .string(figure.targetText), "met": figure.isMet.map { .bool($0) } ?? .null,
            ]
        }
        let document: JSONValue = ["quick": .bool(isQuick), "figures": .array(list)]
        let file = try Descriptor.open(path, .write, create: 0o644, truncate: true)
        try file.writeAll(Array("\(document)\n".utf8))
    }

    private func number(_ value: Double?) -> JSONValue {
        value.flatMap { $0.isFinite ? .double($0) : nil } ?? .null
    }
}
