import FoundationXML
import UIKit

struct Episode: Codable, Equatable, Sendable {
    /// The feed's own name for it, as the name of a file.
    let id: String
    let title: String
    let audio: URL
    /// Bytes; `nil` while it is on its way.
    var size: Int64?
}

/// An RSS 2.0 feed, as far as a player needs it.
enum Feed {
    /// `nil` if it is no feed.
    static func episodes(in data: Data) -> [Episode]? {
        let reader = Reader()
        let parser = XMLParser(data: data)
        parser.delegate = reader
        return parser.parse() ? reader.episodes : nil
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var episodes: [Episode] = []
        private var text = ""
        private var title = ""
        private var name = ""
        private var audio: URL?

        func parser(
            _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String] = [:]
        ) {
            text = ""
            switch element {
            case "item": (title, name, audio) = ("", "", nil)
            case "enclosure": audio = attributes["url"].flatMap { URL(string: $0) }
            default: break
            }
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

        func parser(
            _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
        ) {
            switch element {
            case "title": title = text.trimmingCharacters(in: .whitespacesAndNewlines)
            case "guid": name = text.trimmingCharacters(in: .whitespacesAndNewlines)
            case "item": finish()
            default: break
            }
        }

        private func finish() {
            // The name becomes that of a file.
            let id = String(name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }.prefix(64))
            // A background session takes nothing else, and ends the app that offers it.
            guard let audio, !id.isEmpty, ["http", "https"].contains(audio.scheme?.lowercased()) else { return }
            episodes.append(Episode(id: id, title: title.isEmpty ? id : title, audio: audio))
        }
    }
}
