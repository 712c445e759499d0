internal import LocationModel
internal import Wire

/// The domain of `CLError`.
public let kCLErrorDomain = "kCLErrorDomain"
/// In an error's user information: a `CLRegion` that is larger than what can be monitored now.
public let kCLErrorUserInfoAlternateRegionKey = "kCLErrorUserInfoAlternateRegionKey"

/// Why something about the location did not work. Its description is the system's own sentence, where it said one.
///
/// From Apple's *CLError*.
public struct CLError: CustomNSError, LocalizedError, Hashable, @unchecked Sendable {  // All is only read.
    /// Apple's numbers.
    public enum Code: Int, Sendable, Hashable {
        /// There is no location now; the service goes on trying.
        case locationUnknown = 0
        /// The user does not let the app know, or the system has no location service.
        case denied
        /// There is no network, or nothing behind it.
        case network
        /// There is no heading.
        case headingFailure
        /// The user does not let the app monitor regions.
        case regionMonitoringDenied
        /// The region cannot be monitored, or no further one.
        case regionMonitoringFailure
        /// The region cannot be monitored yet.
        case regionMonitoringSetupDelayed
        /// What happens at the region is told late.
        case regionMonitoringResponseDelayed
        /// No place is called that.
        case geocodeFoundNoResult
        /// A part of it is known only.
        case geocodeFoundPartialResult
        /// The app has ended it.
        case geocodeCanceled
        /// Updates cannot be deferred.
        case deferredFailed
        /// There are no updates to be deferred.
        case deferredNotUpdatingLocation
        /// Only the most exact updates can be deferred.
        case deferredAccuracyTooLow
        /// Only updates without a filter can be deferred.
        case deferredDistanceFiltered
        /// The app has ended it.
        case deferredCanceled
        /// This device does not hear beacons.
        case rangingUnavailable
        /// Beacons were not heard.
        case rangingFailure
        /// The user was not asked, or has declined.
        case promptDeclined
        /// The location of that time is not known.
        case historicalLocationError

        /// So that `catch CLError.denied` finds it, also an `NSError` of the domain.
        public static func ~= (code: Code, error: any Error) -> Bool { CLError(anything: error)?.code == code }
    }

    /// Which it is.
    public let code: Code
    /// What `NSError` calls its user information.
    public let userInfo: [String: Any]

    /// Creates an error.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        self.userInfo = userInfo
    }

    /// The same as an `NSError` of the domain says; `nil`: of another one, or with a number that is none of Apple's.
    public init?(_nsError error: NSError) {
        guard error.domain == kCLErrorDomain, let code = Code(rawValue: error.code) else { return nil }
        self.init(code, userInfo: error.userInfo)
    }

    private init?(anything error: any Error) {
        if let error = error as? CLError { self = error } else { self.init(_nsError: error as NSError) }
    }

    /// `kCLErrorDomain`.
    public static var errorDomain: String { kCLErrorDomain }
    /// Apple's number.
    public var errorCode: Int { code.rawValue }
    /// What the system says, for people.
    public var errorDescription: String? { userInfo[NSLocalizedDescriptionKey] as? String ?? code.sentence }
    /// As `NSError` has it.
    public var errorUserInfo: [String: Any] {
        userInfo.merging([NSLocalizedDescriptionKey: errorDescription ?? ""]) { given, _ in given }
    }
    /// Of an error about a region: one that can be monitored instead.
    public var alternateRegion: CLRegion? { userInfo[kCLErrorUserInfoAlternateRegionKey] as? CLRegion }

    /// Whether they are of the same kind and say the same.
    public static func == (one: CLError, other: CLError) -> Bool {
        one.code == other.code && one.errorDescription == other.errorDescription
    }

    /// Fits `==`.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension CLError {
    /// There is no location now; the service goes on trying.
    public static var locationUnknown: Code { .locationUnknown }
    /// The user does not let the app know, or the system has no location service.
    public static var denied: Code { .denied }
    /// There is no network, or nothing behind it.
    public static var network: Code { .network }
    /// There is no heading.
    public static var headingFailure: Code { .headingFailure }
    /// The user does not let the app monitor regions.
    public static var regionMonitoringDenied: Code { .regionMonitoringDenied }
    /// The region cannot be monitored, or no further one.
    public static var regionMonitoringFailure: Code { .regionMonitoringFailure }
    /// The region cannot be monitored yet.
    public static var regionMonitoringSetupDelayed: Code { .regionMonitoringSetupDelayed }
    /// What happens at the region is told late.
    public static var regionMonitoringResponseDelayed: Code { .regionMonitoringResponseDelayed }
    /// No place is called that.
    public static var geocodeFoundNoResult: Code { .geocodeFoundNoResult }
    /// A part of it is known only.
    public static var geocodeFoundPartialResult: Code { .geocodeFoundPartialResult }
    /// The app has ended it.
    public static var geocodeCanceled: Code { .geocodeCanceled }
    /// Updates cannot be deferred.
    public static var deferredFailed: Code { .deferredFailed }
    /// There are no updates to be deferred.
    public static var deferredNotUpdatingLocation: Code { .deferredNotUpdatingLocation }
    /// Only the most exact updates can be deferred.
    public static var deferredAccuracyTooLow: Code { .deferredAccuracyTooLow }
    /// Only updates without a filter can be deferred.
    public static var deferredDistanceFiltered: Code { .deferredDistanceFiltered }
    /// The app has ended it.
    public static var deferredCanceled: Code { .deferredCanceled }
    /// This device does not hear beacons.
    public static var rangingUnavailable: Code { .rangingUnavailable }
    /// Beacons were not heard.
    public static var rangingFailure: Code { .rangingFailure }
    /// The user was not asked, or has declined.
    public static var promptDeclined: Code { .promptDeclined }
    /// The location of that time is not known.
    public static var historicalLocationError: Code { .historicalLocationError }
}

extension CLError.Code {
    fileprivate var sentence: String {
        switch self {
        case .locationUnknown: "The location is not known now"
        case .denied: "The app may not know the location"
        case .network: "There is no network, or nothing answers"
        case .headingFailure: "The heading is not known"
        case .regionMonitoringDenied: "The app may not monitor regions"
        case .regionMonitoringFailure: "The region cannot be monitored"
        case .regionMonitoringSetupDelayed: "The region cannot be monitored yet"
        case .regionMonitoringResponseDelayed: "What happens at the region is reported late"
        case .geocodeFoundNoResult: "No place was found"
        case .geocodeFoundPartialResult: "Only a part of the place was found"
        case .geocodeCanceled: "The search for the place was ended"
        case .deferredFailed: "Updates cannot be deferred"
        case .deferredNotUpdatingLocation: "There are no updates to defer"
        case .deferredAccuracyTooLow: "Only the most exact updates can be deferred"
        case .deferredDistanceFiltered: "Only updates without a filter can be deferred"
        case .deferredCanceled: "Deferred updates were ended"
        case .rangingUnavailable: "This device does not hear beacons"
        case .rangingFailure: "Beacons could not be heard"
        case .promptDeclined: "The user was not asked, or has declined"
        case .historicalLocationError: "The location of that time is not known"
        }
    }
}

extension CLError {
    init(_ code: Code, _ sentence: String) { self.init(code, userInfo: [NSLocalizedDescriptionKey: sentence]) }

    init(failure: LocationFailure, _ sentence: String) {
        let code: Code =
            switch failure {
            case .locationUnknown: .locationUnknown
            case .denied: .denied
            case .network: .network
            case .headingFailure: .headingFailure
            case .regionMonitoringDenied: .regionMonitoringDenied
            case .regionMonitoringFailure: .regionMonitoringFailure
            case .regionMonitoringSetupDelayed: .regionMonitoringSetupDelayed
            }
        self.init(code, sentence)
    }
}
