/// Changes pushes of the app with `mutable-content` before they are shown. It is a program of its own in the app's
/// bundle: put `@main` on the subclass.
///
/// The system uses it on the main thread.
open class UNNotificationServiceExtension: NSObject {
    /// Creates an extension; the system does it, for each push.
    public required override init() { super.init() }

    /// A push is about to be shown.
    ///
    /// - Parameters:
    ///   - request: the push, as it is shown without the extension.
    ///   - contentHandler: to be called once, on any thread, with what is shown in its place.
    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping @Sendable (UNNotificationContent) -> Void
    ) {
        contentHandler(request.content)
    }

    /// The 30 seconds are almost over: the extension calls the content handler with the best that it has, or the push
    /// is shown as it was sent.
    open func serviceExtensionTimeWillExpire() {}

    /// Serves the system until it needs the extension no more. Never returns.
    public class func main() {
        ExtensionHost.serveStandardStreams(self)
        while true { RunLoop.main.run() }
    }
}
