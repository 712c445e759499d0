internal import AppRuntime
public import Foundation
internal import Wire

/// What a background fetch came to.
public enum UIBackgroundFetchResult: UInt, Sendable {
    /// There was something new.
    case newData
    /// There was nothing new.
    case noData
    /// It could not be found out.
    case failed
}

/// Whether the app may refresh itself in the background.
public enum UIBackgroundRefreshStatus: Int, Sendable {
    /// Not on this device.
    case restricted
    /// The user does not want it.
    case denied
    /// It may.
    case available
}

extension UIApplication {
    /// As often as the system sees fit.
    public class var backgroundFetchIntervalMinimum: TimeInterval { 0 }
    /// Not at all: what holds until an interval is set.
    public class var backgroundFetchIntervalNever: TimeInterval { .greatestFiniteMagnitude }

    /// How often the app wants to be fetched at most ("Multitasking in iOS 7", objc.io 5). Without a call it never is.
    ///
    /// The system learns when the user opens the app and calls `application(_:performFetchWithCompletionHandler:)`
    /// before that, together with other apps, never sooner than after this interval. It needs `fetch` in
    /// `UIBackgroundModes`.
    ///
    /// - Parameter minimumBackgroundFetchInterval: seconds, or one of the two constants.
    public func setMinimumBackgroundFetchInterval(_ minimumBackgroundFetchInterval: TimeInterval) {
        let isNever = !(minimumBackgroundFetchInterval < UIApplication.backgroundFetchIntervalNever)
        let seconds: JSONValue = isNever ? .null : .double(max(0, minimumBackgroundFetchInterval))
        connection?.request(.setFetchInterval, ["seconds": seconds]) { result in
            if case .failure(let error) = result { ApplicationLauncher.complain(error.message) }
        }
    }

    /// Whether the app may refresh itself in the background.
    public var backgroundRefreshStatus: UIBackgroundRefreshStatus {
        guard connection?.greeting?["options"]?["multitasking"]?.bool != false else { return .restricted }
        return systemChanges?.known["backgroundRefresh"]?.bool == false ? .denied : .available
    }

    /// The user allowed or forbade it. The object is the app.
    public nonisolated static let backgroundRefreshStatusDidChangeNotification = Notification.Name(
        "UIApplicationBackgroundRefreshStatusDidChangeNotification")
}

extension UIBackgroundFetchResult {
    var name: String {
        switch self {
        case .newData: "newData"
        case .noData: "noData"
        case .failed: "failed"
        }
    }
}
