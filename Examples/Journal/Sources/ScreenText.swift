import UIKit

/// Draws the screen in letters.
enum ScreenText {
    private static let width = 60

    static func list(_ entries: [Entry], message: String?) -> String {
        let lines = entries.map { entry in
            spread(String("\(entry.id)  \(entry.title)".prefix(width - 12)), day(entry.created))
        }
        return frame(
            title: "Journal", lines.isEmpty ? ["No entries yet."] : lines, foot: message ?? "\(entries.count) entries")
    }

    static func entry(_ entry: Entry, place: Place, photo: Photo?, of count: Int, message: String?) -> String {
        let text = Array(entry.text)
        let cursor = min(max(place.cursor, 0), text.count)
        let all = wrap(String(text[..<cursor]) + "▏" + String(text[cursor...]))
        let scroll = min(place.scroll, all.count - 1)
        var lines = [day(entry.created), ""]
        if scroll > 0 { lines.append("⋮") }
        lines += all[scroll...]
        if entry.link != nil || photo != nil { lines.append("") }
        if let link = entry.link { lines.append("link   \(link.absoluteString)") }
        if let photo { lines.append("photo  \(photo.caption)") }
        return frame(title: entry.title, lines, foot: message ?? "entry \(entry.id), \(count) in all")
    }

    /// The letters as a picture, for the switcher.
    static func picture(of screen: String) -> String {
        let lines = screen.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { number, line in
            let text = line.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            return "<text x=\"8\" y=\"\(20 + 16 * number)\" xml:space=\"preserve\">\(text)</text>"
        }
        let (width, height) = (8 * (width + 4) + 16, 16 * lines.count + 16)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" font-family="monospace" \
            font-size="13">
            <rect width="100%" height="100%" fill="white"/>
            \(lines.joined(separator: "\n"))
            </svg>
            """
    }

    private static func day(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(timeZone: .current).year().month().day())
    }

    private static func spread(_ left: String, _ right: String) -> String {
        left + String(repeating: " ", count: max(0, width - left.count - right.count)) + right
    }

    private static func frame(title: String, _ lines: [String], foot: String) -> String {
        let body = lines.map { line in "│ \(spread(String(line.prefix(width)), "")) │" }
        return ([edge("┌", title, "┐")] + body + [edge("└", foot, "┘")]).joined(separator: "\n")
    }

    private static func edge(_ left: String, _ text: String, _ right: String) -> String {
        let text = String(text.prefix(width - 2))
        return "\(left)─ \(text) " + String(repeating: "─", count: width - text.count - 1) + right
    }

    /// Breaks at spaces, and within words that are too long.
    private static func wrap(_ text: String) -> [String] {
        var lines: [String] = []
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var line = ""
            for word in paragraph.split(separator: " ", omittingEmptySubsequences: false) {
                if !line.isEmpty, line.count + 1 + word.count > width {
                    lines.append(line)
                    line = ""
                }
                line += line.isEmpty ? String(word) : " \(word)"
                while line.count > width {
                    lines.append(String(line.prefix(width)))
                    line = String(line.dropFirst(width))
                }
            }
            lines.append(line)
        }
        return lines
    }
}
