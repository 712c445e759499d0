internal import LocationModel
internal import Model

/// Who is registered for what, so that nobody looks through all records at each fix.
struct Registrations: Equatable, Sendable {
    /// Regions or visits, and may be told.
    private(set) var watching: Set<AppIdentifier> = []
    private(set) var visiting: Set<AppIdentifier> = []
    /// Significant changes.
    private(set) var listening: Set<AppIdentifier> = []
    /// Anything, or something that is to be heard.
    private(set) var all: Set<AppIdentifier> = []
    /// Another service has yet to hear of a crossing.
    private(set) var crossed: Set<AppIdentifier> = []
    /// Another one whenever other apps are watching.
    private(set) var version = 0

    init() {}

    init(_ records: [AppIdentifier: AppRecord]) {
        for (app, record) in records { note(record, for: app) }
    }

    mutating func note(_ record: AppRecord?, for app: AppIdentifier) {
        let isAlways = record?.authorization == .always
        if Self.set(&watching, app, record?.isWatching == true) { version += 1 }
        _ = Self.set(&visiting, app, isAlways && record?.visits != nil)
        _ = Self.set(&listening, app, isAlways && record?.significant != nil)
        _ = Self.set(&crossed, app, record?.places?.crossings.isEmpty == false)
        _ = Self.set(&all, app, record?.isRegistered == true)
    }

    /// Whether that is another one.
    private static func set(_ members: inout Set<AppIdentifier>, _ app: AppIdentifier, _ isMember: Bool) -> Bool {
        isMember ? members.insert(app).inserted : members.remove(app) != nil
    }

    static func == (a: Registrations, b: Registrations) -> Bool {
        a.watching == b.watching && a.visiting == b.visiting && a.listening == b.listening && a.crossed == b.crossed
            && a.all == b.all
    }
}
