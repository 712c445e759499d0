import Synchronization
import UIKit

/// The feed, its episodes, and which of them are here: written down at every change, since the app may end at any time.
final class Library: Sendable {
    private struct Contents: Codable {
        var feed: URL?
        var episodes: [Episode] = []
    }

    private let folder: URL
    private let contents: Mutex<Contents>

    init(folder: URL) {
        self.folder = folder
        let stored = try? Data(contentsOf: folder.appending(path: "library.json"))
        contents = Mutex(stored.flatMap { try? JSONDecoder().decode(Contents.self, from: $0) } ?? Contents())
    }

    var feed: URL? { contents.withLock(\.feed) }

    func subscribe(to feed: URL) { change { $0.feed = feed } }

    /// The episodes that were not known.
    func add(_ episodes: [Episode]) -> [Episode] {
        change { contents in
            let known = Set(contents.episodes.map(\.id))
            let new = episodes.filter { !known.contains($0.id) }
            contents.episodes += new
            return new
        }
    }

    /// Takes over a downloaded file, and gives back what the episode is called.
    func keep(_ file: URL, as id: String) throws -> String {
        let target = folder.appending(path: "\(id).mp3")
        try? FileManager.default.removeItem(at: target)
        try FileManager.default.moveItem(at: file, to: target)
        let size = try FileManager.default.attributesOfItem(atPath: target.path)[.size] as? NSNumber
        return change { contents in
            guard let place = contents.episodes.firstIndex(where: { $0.id == id }) else { return id }
            contents.episodes[place].size = size?.int64Value ?? 0
            return contents.episodes[place].title
        }
    }

    func forget(_ id: String) { change { $0.episodes.removeAll { $0.id == id } } }

    private func change<Result>(_ body: (inout Contents) -> sending Result) -> Result where Result: Sendable {
        contents.withLock { contents in
            let result = body(&contents)
            do {
                let data = try JSONEncoder().encode(contents)
                try data.write(to: folder.appending(path: "library.json"), options: .atomic)
            } catch {
                print("· the library cannot be written: \(error.localizedDescription)")
            }
            return result
        }
    }

    // MARK: What the user sees

    private var lines: [String] {
        contents.withLock { contents in
            guard contents.feed != nil else { return ["Podcasts", "no feed yet"] }
            let episodes = contents.episodes.map { episode in
                "\(episode.title)  \(episode.size.map { "\($0 / 1000) kB" } ?? "on its way")"
            }
            return ["Podcasts"] + (episodes.isEmpty ? ["nothing new"] : episodes)
        }
    }

    var screen: String { lines.map { "│ \($0)" }.joined(separator: "\n") }

    /// For the switcher.
    var picture: String {
        let texts = lines.enumerated().map { number, line in
            let text = line.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            return "<text x=\"12\" y=\"\(28 + 22 * number)\">\(text)</text>"
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="320" height="\(22 * texts.count + 24)" \
            font-family="sans-serif" font-size="15">
            <rect width="100%" height="100%" fill="#fdf6e3"/>
            \(texts.joined(separator: "\n"))
            </svg>
            """
    }
}
