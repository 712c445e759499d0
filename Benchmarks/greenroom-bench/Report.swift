internal import LinuxSystem
internal import Wire

/// The table, and the same as JSON.
struct Report {
    private(set) var figures: [Figure] = []

    mutating func add(_ figure: Figure) { figures.append(figure) }

    mutating func add(_ figures: [Figure]) { self.figures += figures }

    var missed: Int { figures.count { $0.isMet == false } }

    var text: String {
        let header = ["what", "value", "n", "floor or peer", "", "ratio", "target", ""]
        let rows = [header] + figures.map(row)
        let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                // Numbers end in one line, words begin in one.
                line += [1, 2, 3, 5].contains(column) ? padding + cell + "  " : cell + padding + "  "
            }
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
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
