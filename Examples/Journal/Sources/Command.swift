import UIKit

/// What a URL of the scheme `journal` asks for.
enum Command: Equatable {
    /// journal://list
    case list
    /// journal://open/3
    case open(Int)
    /// journal://new?title=…&text=…&link=…&photo=/path
    case new(title: String, text: String, link: URL?, photo: URL?)
    /// journal://append?text=…&link=…&photo=/path: to the open entry
    case append(text: String, link: URL?, photo: URL?)
    /// journal://scroll?lines=2: so many lines are out at the top
    case scroll(Int)
    /// journal://delete/3, or the open entry
    case delete(Int?)
    /// journal://visit: follows the link of the open entry
    case visit

    init?(_ url: URL) {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false), let verb = parts.host else {
            return nil
        }
        func value(_ name: String) -> String? { parts.queryItems?.first { $0.name == name }?.value }
        let number = Int(parts.path.dropFirst())
        let link = value("link").flatMap { URL(string: $0) }
        let photo = value("photo").map { URL(fileURLWithPath: $0) }
        switch verb {
        case "list": self = .list
        case "open":
            guard let number else { return nil }
            self = .open(number)
        case "new":
            self = .new(title: value("title") ?? "Untitled", text: value("text") ?? "", link: link, photo: photo)
        case "append": self = .append(text: value("text") ?? "", link: link, photo: photo)
        case "scroll":
            guard let lines = value("lines").flatMap({ Int($0) }), lines >= 0 else { return nil }
            self = .scroll(lines)
        case "delete": self = .delete(number)
        case "visit": self = .visit
        default: return nil
        }
    }
}
