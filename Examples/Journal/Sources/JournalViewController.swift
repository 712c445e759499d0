import UIKit

/// Shows the list or the open entry, and does what the user asks for.
class JournalViewController: UIViewController {
    private let store: EntryStore
    private(set) var place = Place()
    private var photo: Photo?
    private var message: String?

    init(store: EntryStore) {
        self.store = store
        super.init(nibName: nil, bundle: nil)
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
        super.viewDidLoad()
        attempt("read the entries") { try store.load() }
        place = store.loadPlace()
        if let open = place.entry, store.entry(open) == nil { place = Place() }
    }

    private var entry: Entry? { place.entry.flatMap { store.entry($0) } }

    func draw() {
        if let entry, photo == nil { photo = store.photo(of: entry) }
        print(screen)
        message = nil
    }

    /// What is on the screen, in letters.
    var screen: String {
        guard let entry else { return ScreenText.list(store.entries, message: message) }
        return ScreenText.entry(entry, place: place, photo: photo, of: store.entries.count, message: message)
    }

    func savePlace() { attempt("save the place") { try store.save(place) } }

    /// A photo is read again when it is shown again.
    func dropPhoto() { photo = nil }

    func perform(_ command: Command) {
        switch command {
        case .list: show(Place())
        case .open(let id):
            if store.entry(id) != nil { show(Place(entry: id)) } else { message = "There is no entry \(id)." }
        case .new(let title, let text, let link, let photo):
            var entry = store.makeEntry(title: title, text: text, link: link)
            if let photo { attempt("add the photo") { try store.addPhoto(photo, to: &entry) } }
            save(entry)
        case .append(let text, let link, let photo):
            guard var entry else {
                message = "No entry is open."
                break
            }
            entry.text += text
            entry.link = link ?? entry.link
            if let photo { attempt("add the photo") { try store.addPhoto(photo, to: &entry) } }
            save(entry)
        case .scroll(let lines):
            place.scroll = lines
            savePlace()
        case .delete(let id): delete(id ?? place.entry)
        case .visit: visit()
        }
        if UIApplication.shared.applicationState == .active { draw() }
    }

    private func show(_ place: Place) {
        self.place = place
        photo = nil
        savePlace()
    }

    private func save(_ entry: Entry) {
        attempt("save the entry") { try store.save(entry) }
        show(Place(entry: entry.id, cursor: entry.text.count, scroll: entry.id == place.entry ? place.scroll : 0))
    }

    private func delete(_ id: Int?) {
        guard let id, let entry = store.entry(id) else {
            message = "There is no such entry."
            return
        }
        attempt("delete the entry") { try store.delete(entry) }
        if place.entry == id { show(Place()) }
    }

    private func visit() {
        guard let link = entry?.link else {
            message = "The open entry has no link."
            return
        }
        // The answer comes while the other app is opened; this one is then in the background.
        UIApplication.shared.open(link) { [weak self] isOpened in
            if isOpened {
                print("· follows \(link.absoluteString)")
            } else {
                self?.message = "No app opens \(link.absoluteString)."
                self?.draw()
            }
        }
    }

    private func attempt(_ what: String, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            message = "Could not \(what): \(error.localizedDescription)"
        }
    }
}
