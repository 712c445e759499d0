import UIKit

/// One note.
struct Entry: Codable, Identifiable, Equatable {
    let id: Int
    let created: Date
    var title: String
    var text: String
    var link: URL?
    /// The name of a file in the folder of photos.
    var photo: String?
}

/// Where the user is. It is kept apart from the entries: it changes more often and matters less.
struct Place: Codable, Equatable {
    /// The entry that is open; `nil` for the list.
    var entry: Int?
    /// Characters before the cursor.
    var cursor = 0
    /// Lines of the text that are scrolled out at the top.
    var scroll = 0
}

extension Entry {
    /// What the app shows when it is launched for the first time: the entries of the demonstration.
    static func samples() -> [Entry] {
        [
            Entry(
                id: 1, created: day(2010, 5, 16), title: "Kayak trip",
                text: "Out on the bay before the fog had gone. Two seals followed us to the pier and stayed for lunch.",
                photo: "kayak.png"),
            Entry(
                id: 2, created: day(2010, 5, 29), title: "Irwin's wedding",
                text: "Irwin and Jill, at last! There must be more photos of the dance: look for them.",
                photo: "wedding.png"),
            Entry(
                id: 3, created: day(2010, 6, 5), title: "Hike at Lake Tahoe",
                text: "Eleven miles along the rim with the lake on our left all day. Snow in the shade, still.",
                link: URL(string: "https://tahoerimtrail.org"), photo: "tahoe.png"),
        ]
    }

    private static func day(_ year: Int, _ month: Int, _ day: Int) -> Date {
        let parts = DateComponents(year: year, month: month, day: day, hour: 12)
        return Calendar(identifier: .gregorian).date(from: parts) ?? Date(timeIntervalSince1970: 0)
    }
}
