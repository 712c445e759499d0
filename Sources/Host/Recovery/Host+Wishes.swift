internal import FoundationEssentials
internal import Model
internal import PolicyCore
internal import Storage

// What apps want of the time in which they do not run, kept in the database: the journal ends with the system.
extension Host {
    private static let wishesKey = "wishes"

    /// By the apps' identifiers.
    private var wishes: [String: WakeWishes] {
        var all: [String: WakeWishes] = [:]
        for app in system.installedApps {
            let wishes = system.wishes(of: app.index)
            if !wishes.isEmpty { all[app.manifest.identifier.rawValue] = wishes }
        }
        return all
    }

    /// Where something has changed. Not before an answer: a request of an app is no command of a tool. One at a time:
    /// an app may change what it wants faster than a disk writes.
    func saveWishes(isEnd: Bool = false) {
        guard system.fetch.changes != savedWishes, isEnd || !isSavingWishes else { return }
        savedWishes = system.fetch.changes
        isSavingWishes = true
        let (wishes, store) = (wishes, store)
        workers.run(.storage) {
            guard let json = try? JSONEncoder().encode(wishes) else { return }
            try? store.set(Self.wishesKey, to: String(decoding: json, as: UTF8.self))
        } then: { [weak self] in
            // What changed meanwhile is seen before the loop waits.
            self?.isSavingWishes = false
        }
    }

    // MARK: Habits

    private static let habitsKey = "habits"
    private static let habitsPause = Span.seconds(3600)

    /// What the planner has learned, and of whom: apps may have other numbers next time.
    private struct Habits: Codable {
        var memory: FetchMemory
        var apps: [String]
    }

    /// Now and then, and at the end: who loses power loses an hour of learning.
    func saveHabits(isEnd: Bool = false) {
        let now = now
        guard isEnd || now - habitsSaved >= Self.habitsPause else { return }
        habitsSaved = now
        let memory = system.fetch.planner.memory
        guard !memory.apps.isEmpty else { return }
        let habits = Habits(
            memory: memory, apps: memory.apps.map { system.app($0)?.manifest.identifier.rawValue ?? "" })
        let store = store
        workers.run(.storage) {
            guard let json = try? JSONEncoder().encode(habits) else { return }
            try? store.set(Self.habitsKey, to: String(decoding: json, as: UTF8.self))
        }
    }

    func restoreHabits() {
        guard let text = try? store.setting(Self.habitsKey), !text.isEmpty,
            let habits = try? JSONDecoder().decode(Habits.self, from: Data(text.utf8))
        else { return }
        let names = Dictionary(zip(habits.memory.apps, habits.apps)) { first, _ in first }
        post(
            .habitsRestored(
                habits.memory.renumbered { app in names[app].flatMap { AppIdentifier($0) }.flatMap(system.index(of:)) })
        )
    }

    // MARK: Wishes

    func restoreWishes() {
        guard let text = try? store.setting(Self.wishesKey), !text.isEmpty,
            let all = try? JSONDecoder().decode([String: WakeWishes].self, from: Data(text.utf8))
        else { return }
        for app in system.installedApps {
            guard let wishes = all[app.manifest.identifier.rawValue] else { continue }
            post(.wishesRestored(app.index, wishes))
        }
    }
}
