public import Foundation

/// What an app wants to do in the background, and when. `@unchecked Sendable` as Apple's: it is filled in where it is
/// made, and only read by whoever gets it afterwards.
open class BGTaskRequest: NSObject, @unchecked Sendable {
    /// One of `BGTaskSchedulerPermittedIdentifiers` in `Info.plist`.
    open var identifier: String { name }
    private let name: String

    /// Not before. `nil`: as soon as the system sees fit.
    open var earliestBeginDate: Date?

    init(name: String) {
        self.name = name
        super.init()
    }

    var kind: String { "refresh" }
}

/// Asks for half a minute in which the app brings its content up to date. Needs `fetch` in `UIBackgroundModes`; one
/// such request may be waiting.
open class BGAppRefreshTaskRequest: BGTaskRequest, @unchecked Sendable {
    /// Creates a request.
    ///
    /// - Parameter identifier: one of `BGTaskSchedulerPermittedIdentifiers` in `Info.plist`.
    public init(identifier: String) { super.init(name: identifier) }
}

/// Asks for some minutes, when the device has the time for it. Needs `processing` in `UIBackgroundModes`; ten such
/// requests may be waiting.
open class BGProcessingTaskRequest: BGTaskRequest, @unchecked Sendable {
    /// Only with a network.
    open var requiresNetworkConnectivity = false
    /// Only with a charger.
    open var requiresExternalPower = false

    /// Creates a request.
    ///
    /// - Parameter identifier: one of `BGTaskSchedulerPermittedIdentifiers` in `Info.plist`.
    public init(identifier: String) { super.init(name: identifier) }

    override var kind: String { "processing" }
}
