public import Foundation

/// A site that the user visits, in an activity's `webpageURL`.
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"

/// What the user does in an app, so that it can go on with it later. In Apple's SDK it belongs to Foundation; here
/// UIKit has it. Use it on the main thread.
///
/// What is in `userInfo` is kept if it is made of property lists and URLs.
@preconcurrency @MainActor
open class NSUserActivity: NSObject {
    /// What kind of activity, for example `org.example.journal.edit`.
    public let activityType: String

    /// What the user does, in words.
    open var title: String?

    /// What is needed to go on with it.
    open var userInfo: [AnyHashable: Any]?

    /// What of it is needed; `nil`: everything.
    open var requiredUserInfoKeys: Set<String>?

    /// The page that does the same.
    open var webpageURL: URL?

    /// What it is about, so that the right scene goes on with it.
    open var targetContentIdentifier: String?

    /// A name for the system to find it again.
    open var persistentIdentifier: String?

    /// Words by which the user may look for it.
    open var keywords: Set<String> = []

    /// Whether other devices may go on with it. None hears of it here.
    open var isEligibleForHandoff = true

    /// Whether the user may find it by searching. Nothing looks for it here.
    open var isEligibleForSearch = false

    /// Whether `userInfo` is out of date: the delegate's `userActivityWillSave(_:)` is called before it is kept.
    open var needsSave = false

    /// The object that brings it up to date.
    open weak var delegate: (any NSUserActivityDelegate)?

    /// Creates an activity.
    public init(activityType: String) {
        self.activityType = activityType
        super.init()
    }

    /// Adds to `userInfo`.
    open func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
        userInfo = (userInfo ?? [:]).merging(otherDictionary) { $1 }
    }

    /// The user does it from now on. Nobody else goes on with it here.
    open func becomeCurrent() {}

    /// The user does it no longer.
    open func resignCurrent() {}

    /// Nobody goes on with it.
    open func invalidate() {}
}

/// Brings an activity up to date.
@preconcurrency @MainActor
public protocol NSUserActivityDelegate: AnyObject {
    /// The activity is about to be kept.
    func userActivityWillSave(_ userActivity: NSUserActivity)
}

extension NSUserActivityDelegate {
    /// Does nothing.
    public func userActivityWillSave(_ userActivity: NSUserActivity) {}
}

extension NSUserActivity {
    /// A URL of a site is an activity that goes on here.
    static func visit(of url: URL) -> NSUserActivity {
        let activity = NSUserActivity(activityType: NSUserActivityTypeBrowsingWeb)
        activity.webpageURL = url
        return activity
    }
}

extension NSUserActivity {
    private enum Key {
        static let type = "activityType"
        static let title = "title"
        static let userInfo = "userInfo"
        static let webpage = "webpageURL"
        static let target = "targetContentIdentifier"
        static let persistent = "persistentIdentifier"
        static let url = "greenroom.url"
    }

    /// What can be kept of it.
    var propertyList: [String: Any] {
        var fields: [String: Any] = [Key.type: activityType]
        fields[Key.title] = title
        fields[Key.webpage] = webpageURL?.absoluteString
        fields[Key.target] = targetContentIdentifier
        fields[Key.persistent] = persistentIdentifier
        let kept = userInfo?.compactMap { key, value -> (String, Any)? in
            guard let key = key.base as? String, let value = Self.kept(value) else { return nil }
            return (key, value)
        }
        fields[Key.userInfo] = kept.map { Dictionary($0) { $1 } }
        return fields
    }

    convenience init?(propertyList fields: [String: Any]) {
        guard let type = fields[Key.type] as? String else { return nil }
        self.init(activityType: type)
        title = fields[Key.title] as? String
        webpageURL = (fields[Key.webpage] as? String).flatMap { URL(string: $0) }
        targetContentIdentifier = fields[Key.target] as? String
        persistentIdentifier = fields[Key.persistent] as? String
        userInfo = (fields[Key.userInfo] as? [String: Any]).map { kept in
            Dictionary(uniqueKeysWithValues: kept.map { (AnyHashable($0), Self.restored($1)) })
        }
    }

    /// A property list knows no URL.
    private static func kept(_ value: Any) -> Any? {
        if let url = value as? URL { return [Key.url: url.absoluteString] }
        return PropertyListSerialization.propertyList(value, isValidFor: .binary) ? value : nil
    }

    private static func restored(_ value: Any) -> Any {
        guard let fields = value as? [String: Any], fields.count == 1, let text = fields[Key.url] as? String,
            let url = URL(string: text)
        else { return value }
        return url
    }
}
