public import Foundation

/// What can show an activity that is continued.
@preconcurrency @MainActor
public protocol UIUserActivityRestoring: NSObjectProtocol {
    /// Shows it.
    func restoreUserActivityState(_ activity: NSUserActivity)
}

extension UIUserActivityRestoring {
    /// Does nothing.
    public func restoreUserActivityState(_ activity: NSUserActivity) {}
}

extension UIResponder: UIUserActivityRestoring {}

extension URL {
    /// Whether it is of a site, so that an app continues it as a page.
    var isOfSite: Bool { ["http", "https"].contains(scheme?.lowercased()) }
}
