internal import Model
internal import NotificationsCore

/// What the service owes to apps and providers, kept beside it: what an app is to be told is there until the app has
/// dealt with it, or the log says why not, whatever dies in between; and no app deals with a push twice.
struct Ledger: Sendable {
    /// By what was shown of it: an app that was told by its connection has heard it.
    private var heard: Set<TellingID> = []
    private var answered: Set<TellingID> = []
    private var owed: [TellingID: Telling] = [:]
    /// Pushes that an app has dealt with, by their identifiers.
    private var finished: Set<PushID> = []
    private var windowed: Set<TellingID> = []
    /// Windows that have just ended.
    private var ending: (app: AppIdentifier, window: WakeWindow)?
    private var arrivals: Set<PushID> = []
    private var accepts = 0
    private(set) var broken: [String] = []

    mutating func accepted(_ id: String, _ collapse: String?) { accepts += 1 }
    mutating func arrived(_ id: PushID) { arrivals.insert(id) }
    mutating func heard(_ telling: Telling) { heard.insert(telling.id) }
    mutating func answered(_ telling: Telling) { answered.insert(telling.id) }

    /// The app is done with what it was woken for.
    mutating func ended(_ app: AppIdentifier, _ window: WakeWindow) { ending = (app, window) }

    mutating func forget(_ app: AppIdentifier) { owed = owed.filter { $0.key.app != app } }

    mutating func note(_ effects: [NotificationEffect]) {
        defer { ending = nil }
        let forgotten = effects.compactMap { effect -> AppIdentifier? in
            if case .erase(.app(let app)) = effect { app } else { nil }
        }
        for effect in effects {
            switch effect {
            case .store(.telling(let record)): owed[record.telling.id] = record.telling
            case .erase(.telling(let id)):
                guard let telling = owed.removeValue(forKey: id), !forgotten.contains(id.app) else { break }
                settle(telling, effects)
            default: break
            }
        }
    }

    private mutating func settle(_ telling: Telling, _ effects: [NotificationEffect]) {
        let id = telling.id
        let window: WakeWindow? =
            switch telling.kind {
            case .push: .push
            case .didReceive: .response
            case .willPresent: nil
            }
        let isWindow = window != nil && ending.map { $0.app == id.app && $0.window == window } ?? false
        let isDealtWith = answered.contains(id) || heard.contains(id) || isWindow
        switch telling.kind {
        // What its app does not decide is shown or reported; that is the Core's own affair.
        case .willPresent: break
        case .didReceive:
            if !isDealtWith, !effects.contains(where: { $0.explains(telling) }) {
                broken.append("\(id.app) is never told what its user did (\(id.number))")
            }
        case .push(let push):
            if !isDealtWith, !effects.contains(where: { $0.explains(telling) }) {
                broken.append("\(id.app) never gets the push \(push.push), and nobody is told why")
            }
            guard isDealtWith else { break }
            if !finished.insert(push.push).inserted { broken.append("\(id.app) gets the push \(push.push) twice") }
        }
    }
}

extension NotificationEffect {
    /// Why an app is not told something.
    fileprivate func explains(_ telling: Telling) -> Bool {
        switch (self, telling.kind) {
        case (.report(.untold(telling.id, _)), _): true
        case (.report(.pushDropped(_, let push, _)), .push(let delivery)): push == delivery.push
        default: false
        }
    }
}
