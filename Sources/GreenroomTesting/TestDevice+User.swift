public import Foundation
internal import Model
internal import PolicyCore
internal import Simulation
public import UIKit
internal import Wire

// What people do. Each throws `TestDeviceError.refused` with the system's sentence if it cannot be done.
extension TestDevice {
    /// Opens an app from the home screen; it becomes active.
    public func open(_ app: InstalledApp) async throws(TestDeviceError) {
        try await perform(.open(app.name, role: .primary))
    }

    /// Opens a URL with the app that is registered for its scheme, the one installed last.
    public func open(_ url: URL) async throws(TestDeviceError) { try await perform(.openURL(url.absoluteString)) }

    /// Opens an app for one of its shortcuts, as the user does who holds its icon. The app is given the shortcut; it
    /// need not be among its `shortcutItems`, as those of its `Info.plist` are not.
    public func open(_ app: InstalledApp, shortcut: UIApplicationShortcutItem) async throws(TestDeviceError) {
        SavedShortcuts.given = [shortcut]
        defer { SavedShortcuts.given = [] }
        try await invite(.shortcut(type: shortcut.type), to: app)
    }

    /// Opens an app to go on with an activity, as one that was begun on another device.
    ///
    /// - Throws: `TestDeviceError.unsupported` if its `userInfo` has what JSON cannot carry.
    public func open(_ app: InstalledApp, toContinue activity: NSUserActivity) async throws(TestDeviceError) {
        if activity.activityType == NSUserActivityTypeBrowsingWeb, let page = activity.webpageURL {
            return try await open(page)
        }
        var info: JSONObject?
        if let given = activity.userInfo {
            guard let fields = given as? [String: Any], JSONSerialization.isValidJSONObject(fields),
                let data = try? JSONSerialization.data(withJSONObject: fields),
                let object = (try? JSONValue(parsing: Array(data)))?.object
            else { throw .unsupported("the activity's userInfo has something that is not text, a number or a list") }
            info = object
        }
        try await invite(.activity(type: activity.activityType, info: info), to: app)
    }

    private func invite(_ invitation: Invitation, to app: InstalledApp) async throws(TestDeviceError) {
        try await perform(.openURL(invitation.url(for: simulated.apps[app.place].script.manifest.identifier.rawValue)))
    }

    /// Presses Home. The app in front leaves the screen, and is suspended if nothing entitles it to run.
    public func home() async throws(TestDeviceError) { try await perform(.home) }

    /// Locks the screen. The app in front goes to the background, or under profiles of 2010 stays inactive.
    public func lock() async throws(TestDeviceError) { try await perform(.lock) }

    /// Unlocks the screen.
    public func unlock() async throws(TestDeviceError) { try await perform(.unlock) }

    /// Opens the switcher; the app in front becomes inactive.
    public func openSwitcher() async throws(TestDeviceError) { try await perform(.switcher(isOpen: true)) }

    /// Leaves the switcher for the app that was in front.
    public func closeSwitcher() async throws(TestDeviceError) { try await perform(.switcher(isOpen: false)) }

    /// Closes an app in the switcher: its process ends. A suspended app hears nothing, as when the system needs its
    /// memory; a running one hears `applicationWillTerminate(_:)`.
    public func close(_ app: InstalledApp) async throws(TestDeviceError) { try await perform(.close(app.name)) }

    /// Closes an app and opens it again.
    public func restart(_ app: InstalledApp) async throws(TestDeviceError) { try await perform(.restart(app.name)) }

    /// Exempts an app from suspension, or ends that.
    public func exempt(_ app: InstalledApp, _ isExempt: Bool = true) async throws(TestDeviceError) {
        try await perform(.exempt(app.name, isExempt))
    }

    /// Removes an app.
    public func uninstall(_ app: InstalledApp) async throws(TestDeviceError) { try await perform(.uninstall(app.name)) }

    /// A call rings, a message or an alert appears; the app in front becomes inactive.
    public func interrupt(by interruption: Interruption) async throws(TestDeviceError) {
        try await perform(.interrupt(interruption.kind))
    }

    /// The call is declined, the message or alert is put away.
    public func dismiss(_ interruption: Interruption) async throws(TestDeviceError) {
        try await perform(.dismiss(interruption.kind))
    }

    /// The call is taken, or the message opened: the app in front goes to the background.
    public func accept(_ interruption: Interruption) async throws(TestDeviceError) {
        try await perform(.accept(interruption.kind))
    }

    /// The call that was taken ends.
    public func endCall() async throws(TestDeviceError) { try await perform(.endCall) }

    /// The device goes to sleep, which locks it.
    public func sleep() async throws(TestDeviceError) { try await perform(.sleep) }

    /// The device wakes; it is still locked.
    public func wake() async throws(TestDeviceError) { try await perform(.wake) }

    /// The device is started again; every app ends.
    public func reboot() async throws(TestDeviceError) { try await perform(.reboot) }
}

// What the system does by itself, now.
extension TestDevice {
    /// The app is fetched in the background: it is thawed, or launched into the background, and
    /// `application(_:performFetchWithCompletionHandler:)` is called. Returns when it has called the completion
    /// handler, or its time is over.
    ///
    /// - Parameter launches: in a new process: one that is there is ended first.
    /// - Throws: `TestDeviceError.refused` if it lacks the background mode `fetch`, is on screen, or was closed by the
    ///   user and not opened since.
    public func fetch(_ app: InstalledApp, launching launches: Bool = false) async throws(TestDeviceError) {
        try await perform(.fetch(app.name, launches: launches))
    }

    /// The user lets an app refresh in the background, or no longer.
    public func setBackgroundRefresh(of app: InstalledApp, _ isAllowed: Bool) async throws(TestDeviceError) {
        try await perform(.allowRefresh(app.name, isAllowed))
    }

    /// All transfers of a background URL session of the app have come to an end, or a server wants to know who asks.
    public func endTransfers(
        of app: InstalledApp, session: String, needsAuthentication: Bool = false
    ) async throws(TestDeviceError) {
        try await perform(.sessionEvents(app.name, session: session, authentication: needsAuthentication))
    }
}
