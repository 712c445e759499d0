import Foundation
import UserNotifications

/// Changes an app's pushes before they are shown, as a notification service extension does on Apple's systems: a title
/// in capitals, and a file in the app's container that is shown with it.
@main
final class Headline: UNNotificationServiceExtension {
    override func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        guard let content = request.content.mutableCopy() as? UNMutableNotificationContent else {
            return contentHandler(request.content)
        }
        content.title = content.title.uppercased()
        if let word = (content.userInfo["headline"] as? String) { content.body = word }
        let picture = URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent("picture.png")
        try? Data([0x89, 0x50, 0x4E, 0x47]).write(to: picture)
        if let attachment = try? UNNotificationAttachment(identifier: "picture", url: picture) {
            content.attachments = [attachment]
        }
        contentHandler(content)
    }
}
