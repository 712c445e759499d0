import UIKit

/// The entries on disk: a file for each, replaced as a whole, so that being ended at any moment costs nothing.
final class EntryStore {
    private let entriesFolder: URL
    private let photosFolder: URL
    private let placeFile: URL
    private(set) var entries: [Entry] = []
    private var savedPlace: Place?

    init(folder: URL) {
        entriesFolder = folder.appendingPathComponent("Entries")
        photosFolder = folder.appendingPathComponent("Photos")
        placeFile = folder.appendingPathComponent("Place.json")
    }

    /// Reads what there is; at the first launch, writes the samples.
    func load() throws {
        let files = FileManager.default
        let isFirstLaunch = !files.fileExists(atPath: entriesFolder.path)
        try files.createDirectory(at: entriesFolder, withIntermediateDirectories: true)
        try files.createDirectory(at: photosFolder, withIntermediateDirectories: true)
        if isFirstLaunch {
            try addSamples()
            return
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        entries = try files.contentsOfDirectory(at: entriesFolder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .compactMap { try? decoder.decode(Entry.self, from: Data(contentsOf: $0)) }
            .sorted { $0.id < $1.id }
    }

    private func addSamples() throws {
        for sample in Entry.samples() {
            if let photo = sample.photo, let original = Bundle.main.resourceURL?.appendingPathComponent(photo) {
                try? FileManager.default.copyItem(at: original, to: photosFolder.appendingPathComponent(photo))
            }
            try save(sample)
        }
    }

    func entry(_ id: Int) -> Entry? { entries.first { $0.id == id } }

    /// A new entry with the next number, not saved yet.
    func makeEntry(title: String, text: String, link: URL?) -> Entry {
        // Whole seconds: that is what the file keeps.
        let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded())
        return Entry(id: (entries.last?.id ?? 0) + 1, created: now, title: title, text: text, link: link)
    }

    func save(_ entry: Entry) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(entry).write(to: file(entry.id), options: .atomic)
        entries.removeAll { $0.id == entry.id }
        entries.append(entry)
        entries.sort { $0.id < $1.id }
    }

    func delete(_ entry: Entry) throws {
        try FileManager.default.removeItem(at: file(entry.id))
        entries.removeAll { $0.id == entry.id }
        if let photo = entry.photo {
            try? FileManager.default.removeItem(at: photosFolder.appendingPathComponent(photo))
        }
    }

    private func file(_ id: Int) -> URL { entriesFolder.appendingPathComponent("\(id).json") }

    // MARK: Photos

    /// Copies a photo in; the entry then no longer depends on the original.
    func addPhoto(_ original: URL, to entry: inout Entry) throws {
        let name = "\(entry.id)-\(original.lastPathComponent)"
        let copy = photosFolder.appendingPathComponent(name)
        let data = try Data(contentsOf: original)
        try data.write(to: copy, options: .atomic)
        entry.photo = name
    }

    func photo(of entry: Entry) -> Photo? {
        entry.photo.flatMap { Photo(contentsOf: photosFolder.appendingPathComponent($0)) }
    }

    // MARK: The user's place

    func loadPlace() -> Place {
        guard let data = try? Data(contentsOf: placeFile), let place = try? JSONDecoder().decode(Place.self, from: data)
        else { return Place() }
        savedPlace = place
        return place
    }

    func save(_ place: Place) throws {
        guard place != savedPlace else { return }
        try JSONEncoder().encode(place).write(to: placeFile, options: .atomic)
        savedPlace = place
    }
}
