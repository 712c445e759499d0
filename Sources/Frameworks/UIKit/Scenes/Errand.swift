internal import Foundation
internal import Wire

/// What an app is opened for.
@MainActor
enum Errand {
    case url(UIOpenURLContext)
    case activity(NSUserActivity)
    case shortcut(UIApplicationShortcutItem)

    /// - Parameter url: what came from the system: a URL of the app's, one of a site, or an invitation.
    /// - Returns: `nil` for an invitation that this version knows nothing of.
    init?(_ url: URL, sourceApplication: String?, _ application: UIApplication) {
        if url.scheme?.lowercased() == Invitation.scheme {
            switch Invitation(url: url.absoluteString) {
            case .shortcut(let type): self = .shortcut(application.shortcuts.item(type))
            case .activity(let type, let info):
                let activity = NSUserActivity(activityType: type)
                if let info {
                    let data = Data(JSONValue.object(info).encoded)
                    activity.userInfo = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
                }
                self = .activity(activity)
            case nil:
                ApplicationLauncher.complain("\(url) is nothing that this version of UIKit knows, and is ignored")
                return nil
            }
        } else if url.isOfSite {
            self = .activity(.visit(of: url))
        } else {
            self = .url(UIOpenURLContext(url: url, sourceApplication: sourceApplication))
        }
    }

    /// Of an app without scenes. With scenes they are in the options of the scene's connection.
    var launchOptions: [UIApplication.LaunchOptionsKey: Any] {
        switch self {
        case .url(let context):
            var options: [UIApplication.LaunchOptionsKey: Any] = [.url: context.url]
            options[.sourceApplication] = context.options.sourceApplication
            return options
        case .shortcut(let shortcut): return [.shortcutItem: shortcut]
        case .activity(let activity):
            // Apple names no constant for the key of the activity itself.
            let fields: [AnyHashable: Any] = [
                UIApplication.LaunchOptionsKey.userActivityType: activity.activityType,
                "UIApplicationLaunchOptionsUserActivityKey": activity,
            ]
            return [.userActivityDictionary: fields]
        }
    }
}
