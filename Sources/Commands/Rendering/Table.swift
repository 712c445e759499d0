/// Columns that line up. Cells are made visible here, so no caller can forget it.
package struct Table {
    package enum Alignment { case left, right }

    package struct Cell {
        let text: String
        let ink: Style.Ink?

        package init(_ text: String, _ ink: Style.Ink? = nil) {
            self.text = Visible.line(text)
            self.ink = ink
        }
    }

    private let columns: [(title: String, alignment: Alignment)]
    private var rows: [[Cell]] = []

    package init(_ columns: [(title: String, alignment: Alignment)]) { self.columns = columns }

    package mutating func add(_ cells: [Cell]) { rows.append(cells) }

    /// The lines of the table, without spaces at their ends.
    package func rendered(_ style: Style) -> String {
        let widths = columns.indices.map { column in
            rows.reduce(Self.width(columns[column].title)) { max($0, Self.width($1[column].text)) }
        }
        var text = line(columns.map { Cell($0.title, .dim) }, widths, style)
        for row in rows { text += line(row, widths, style) }
        return text
    }

    private func line(_ cells: [Cell], _ widths: [Int], _ style: Style) -> String {
        var text = ""
        for (index, cell) in cells.enumerated() {
            let padding = String(repeating: " ", count: widths[index] - Self.width(cell.text))
            if columns[index].alignment == .right { text += padding }
            text += style(cell.ink, cell.text)
            if index == cells.count - 1 { break }
            if columns[index].alignment == .left { text += padding }
            text += "  "
        }
        while text.last == " " { text.removeLast() }
        return text + "\n"
    }

    /// Terminal cells: East Asian wide characters and emoji take two.
    static func width(_ text: String) -> Int {
        text.reduce(0) { total, character in
            guard let first = character.unicodeScalars.first else { return total }
            switch first.value {
            case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
                0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
                0x20000...0x3FFFD:
                return total + 2
            default: return total + 1
            }
        }
    }
}
