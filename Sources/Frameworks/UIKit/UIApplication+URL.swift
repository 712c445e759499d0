internal import AppRuntime
public import Foundation
internal import Wire

extension UIApplication {
    /// Seconds that `canOpenURL` waits for the daemon, which answers in microseconds unless it is being restarted.
    private static let answerTime = 2.0

    /// Opens the app that is registered for the URL's scheme. This app goes to the background and is found again as it
    /// was left.
    ///
    /// - Parameter completionHandler: called on the main thread with whether the other app is being opened. It is not
    ///   if there is none, or if this app is not in the foreground.
    public func open(
        _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {
        guard let connection else {
            if let completionHandler {
                DispatchQueue.main.async { MainActor.assumeIsolated { completionHandler(false) } }
            }
            return
        }
        connection.request(.openURL, ["url": .string(url.absoluteString)]) { result in
            completionHandler?((try? result.get())?["opened"]?.bool ?? false)
        }
    }

    /// Opens the app that is registered for the URL's scheme.
    ///
    /// - Returns: whether the other app is being opened.
    @discardableResult
    public func open(_ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:]) async -> Bool {
        await withCheckedContinuation { continuation in
            open(url, options: options) { continuation.resume(returning: $0) }
        }
    }

    /// Whether an app is registered for the URL's scheme.
    public func canOpenURL(_ url: URL) -> Bool {
        let answer = connection?.requestAndWait(
            .canOpenURL, ["url": .string(url.absoluteString)], seconds: Self.answerTime)
        return (try? answer?.get())?["canOpen"]?.bool ?? false
    }
}

extension UIApplication {
    /// Opens the app's page in the settings, where something answers such URLs.
    public class var openSettingsURLString: String { "app-settings:" }
    /// Opens the app's notification settings, where something answers such URLs.
    public class var openNotificationSettingsURLString: String { "app-settings:notifications" }
}
