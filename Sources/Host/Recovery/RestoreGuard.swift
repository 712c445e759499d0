internal import LinuxSystem

/// Notes how far a starting daemon has come with what its predecessor left. A daemon that finds that two before it died
/// at the very same place does not go there a third time: whatever is in a file that no check has found, it cannot keep
/// the system from starting.
package final class RestoreGuard {
    private struct Note {
        /// Where its daemon is: the number of an event, or one of the places behind all events.
        var place: Int64
        /// Where the one before it died, and how many in a row died there.
        var earlier: Int64
        var deaths: Int64
    }

    /// Every event is replayed, and apps are adopted.
    private static let behindEvents = Int64.max
    /// Events between two notes.
    private static let grain = 64
    private static let mostDeaths: Int64 = 2
    /// Adoption takes longer, so whoever kills daemons meets it more often.
    private static let mostDeathsInAdoption: Int64 = 3

    private let path: String
    private let file: Descriptor?
    private var note: Note
    private var isOver = false

    /// Whether those before died of what is there.
    package var isFatal: Bool {
        note.deaths >= (note.earlier == Self.behindEvents ? Self.mostDeathsInAdoption : Self.mostDeaths)
    }

    package init(path: String) {
        self.path = path
        let bytes = FileSystem.read(path, limit: 256) ?? []
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int64($0) }
        if words.count == 3 {
            let deaths = words[0] == words[1] ? min(max(0, words[2]), 1000) + 1 : 1
            note = Note(place: -1, earlier: words[0], deaths: deaths)
        } else {
            note = Note(place: -1, earlier: -1, deaths: 0)
        }
        // Before the first event nothing was read that could be fatal.
        if note.earlier < 0 { note.deaths = 0 }
        file = try? Descriptor.open(path, .readWrite, create: 0o600)
        write()
    }

    /// So many events have been replayed, and the next one is about to be.
    package func passed(_ count: Int) {
        guard count % Self.grain == 0 else { return }
        note.place = Int64(count)
        write()
    }

    package func passedAll() {
        note.place = Self.behindEvents
        write()
    }

    /// What was fatal is gone.
    package func forgive() {
        note.deaths = 0
        note.earlier = -1
        write()
    }

    /// The system has started, or could not and said why.
    package func finish() {
        guard !isOver else { return }
        isOver = true
        FileSystem.remove(path)
    }

    /// All of a width, so that it can be written over.
    private func write() {
        let words = [note.place, note.earlier, note.deaths].map { word in
            let text = String(word)
            return String(repeating: " ", count: 20 - text.count) + text
        }
        try? file?.write(Array(words.joined(separator: " ").utf8), at: 0)
    }
}
