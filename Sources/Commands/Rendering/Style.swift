/// Colours, on a terminal that wants them.
package struct Style {
    package enum Ink: String {
        case bold = "1", dim = "2", red = "31", green = "32", yellow = "33", blue = "34", cyan = "36"
    }

    package let isColoured: Bool

    package init(isColoured: Bool) { self.isColoured = isColoured }

    package func callAsFunction(_ ink: Ink?, _ text: String) -> String {
        guard isColoured, let ink, !text.isEmpty else { return text }
        return "\u{1B}[\(ink.rawValue)m\(text)\u{1B}[0m"
    }
}
