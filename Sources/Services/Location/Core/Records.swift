package import LocationModel
package import Model
package import ServiceCore

/// What outlives the process of the service, and the machine's power.
package enum LocationRecord: Hashable, Sendable, Codable {
    case device(DeviceRecord)
    case app(AppRecord)

    package var key: LocationRecordKey {
        switch self {
        case .device: .device
        case .app(let record): .app(record.app)
        }
    }
}

package enum LocationRecordKey: Hashable, Sendable {
    case device
    case app(AppIdentifier)
}

package struct DeviceRecord: Hashable, Sendable, Codable {
    package var lastFix: Fix?
    package var towers: [LearnedTower] = []

    package init() {}
}

/// Where a tower seems to stand, by fixes that were had in its cell.
package struct LearnedTower: Hashable, Sendable, Codable {
    package var name: String
    package var coordinate: Coordinate
    /// Metres from there to the fix that was farthest.
    package var reach: Double
    package var fixes: Int
}

package struct AppRecord: Hashable, Sendable, Codable {
    package var app: AppIdentifier
    package var name = ""
    package var hasKey = false
    package var authorization = LocationAuthorization.notDetermined
    package var isReduced = false
    package var significant: Significant?
    package var visits: Visits?
    package var regions: [MonitoredRegion] = []
    /// What another service acts on in its place.
    package var places: Places?
    /// What it has yet to deal with, in order.
    package var news: [Item] = []
    package var nextNews: NewsNumber = 1
    /// What the system holds for it, and for which of its processes.
    package var holds: Set<LocationHold> = []
    package var process: Int64 = 0

    package init(_ app: AppIdentifier) { self.app = app }

    package struct Significant: Hashable, Sendable, Codable {
        /// What it was told last.
        package var last: Fix?
    }

    package struct Visits: Hashable, Sendable, Codable {
        /// Its arrival was told.
        package var current: Visit?
    }

    package struct MonitoredRegion: Hashable, Sendable, Codable {
        package var region: Region
        package var state: RegionState
        /// It may have been entered or left.
        package var candidate: Candidate?
    }

    /// A crossing that is not sure yet: a process of the service after this one goes on waiting for it.
    package struct Candidate: Hashable, Sendable, Codable {
        package var state: RegionState
        /// Seconds since 1970.
        package var since: Double
    }

    /// Regions that another service watches for the app. The app itself is neither told of them nor woken.
    package struct Places: Hashable, Sendable, Codable {
        /// The service that is told.
        package var asker: String
        package var regions: [MonitoredRegion] = []
        /// What it has yet to be told, in order.
        package var crossings: [Crossing] = []
        package var lastNumber: Int64 = 0

        package init(asker: String) { self.asker = asker }
    }

    package struct Crossing: Hashable, Sendable, Codable {
        package var number: Int64
        package var place: String
        package var isEntry: Bool
    }

    package struct Item: Hashable, Sendable, Codable {
        package var number: NewsNumber
        package var news: LocationNews
    }

    /// It may be told of something while it does not run.
    package var isRegistered: Bool {
        significant != nil || visits != nil || !regions.isEmpty || !news.isEmpty || isServed
    }

    package var isWatching: Bool {
        authorization == .always && (visits != nil || !regions.isEmpty)
            || mayWatchPlaces && places?.regions.isEmpty == false
    }

    /// Another service watches something for it, or has yet to hear of it.
    package var isServed: Bool { places.map { !$0.regions.isEmpty || !$0.crossings.isEmpty } ?? false }

    /// The user sees what comes of it: leave for while it is used is enough.
    package var mayWatchPlaces: Bool { authorization.allows && !isReduced }

    package subscript(list: RegionList) -> [MonitoredRegion] {
        get { list == .own ? regions : places?.regions ?? [] }
        set { if list == .own { regions = newValue } else { places?.regions = newValue } }
    }

    func mayHear(_ list: RegionList) -> Bool { list == .own ? authorization == .always : mayWatchPlaces }
}

/// Who is told of a region.
package enum RegionList: Int, Hashable, Comparable, Sendable, CaseIterable {
    /// The app that monitors it.
    case own
    /// Another service, in the app's place.
    case places

    package static func < (a: RegionList, b: RegionList) -> Bool { a.rawValue < b.rawValue }
}
