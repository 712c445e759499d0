package import LocationModel
package import Model
package import ServiceCore

/// What the location service hears, says and keeps.
package enum LocationWords: ServiceWords {
    package typealias Request = LocationRequest
    package typealias Command = LocationCommand
    package typealias Inquiry = LocationInquiry
    package typealias Reply = LocationReply
    package typealias Refusal = LocationRefusal
    package typealias News = LocationNews
    package typealias Answer = Nothing
    package typealias Notice = LocationNotice
    package typealias Hold = LocationHold
    package typealias Window = LocationWindow
    package typealias Question = CrossingQuestion
    package typealias Record = LocationRecord
    package typealias RecordKey = LocationRecordKey

    /// What the receivers say.
    package enum Event: Hashable, Sendable {
        case source(FixSource, SourceState)
        case fix(Fix)
        case tower(CellTower?)
        case heading(Heading)
        /// There is a compass, or none.
        case compass(isThere: Bool)
    }

    /// What the receivers are to do.
    package enum Effect: Hashable, Sendable {
        /// Whether an app needs it now.
        case power(FixSource, Bool)
        /// For whom the satellites' receiver is on: those share what it costs. Empty: it is off, or on for no app.
        case users([AppIdentifier])
        case compass(Bool)
    }

    package static func key(of record: LocationRecord) -> LocationRecordKey { record.key }

    /// The last position may be lost.
    package static func durability(of key: LocationRecordKey) -> RecordDurability {
        key == .device ? .process : .power
    }
}

package typealias LocationEvent = ServiceEvent<LocationWords>
package typealias LocationEffect = ServiceEffect<LocationWords>

/// What a tool asks for.
package enum LocationCommand: Hashable, Sendable {
    case permit(AppIdentifier, LocationAuthorization, isReduced: Bool)
}

/// What another service asks for.
package enum LocationInquiry: Hashable, Sendable {
    /// It watches these places for the app, in place of those before.
    case places(AppIdentifier, [Region])
}

/// What the service that watches places is asked to hear.
package struct CrossingQuestion: Hashable, Sendable {
    package var app: AppIdentifier
    package var crossing: AppRecord.Crossing

    package init(app: AppIdentifier, crossing: AppRecord.Crossing) {
        self.app = app
        self.crossing = crossing
    }
}

/// What an app is told and does not answer.
package enum LocationNotice: Hashable, Sendable {
    /// What standard updates bring.
    case fixes([Fix])
    case failed(LocationFailure, String)
    case heading(Heading)
    case surroundings(LocationSurroundings)
}

/// What an app asks for.
package enum LocationRequest: Hashable, Sendable {
    /// First of all on each connection: how its side stands, for a service that may be a new one.
    case hello(updates: UpdateSettings?, heading: Bool, running: Set<NewsNumber>)
    case update(UpdateSettings)
    case stopUpdates
    /// One fix. Answered by `fix`.
    case once(UpdateSettings)
    case significantChanges(Bool)
    case visits(Bool)
    case heading(Bool)
    case monitor(Region)
    case unmonitor(String)
    case state(String)
    case authorize(Authorize)

    package enum Authorize: Hashable, Sendable { case whenInUse, always, fullAccuracy }
}
