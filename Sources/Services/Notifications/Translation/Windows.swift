internal import Model
package import NotificationsCore
internal import NotificationsWire
internal import Wire

// What the daemon is asked for when an app is to be woken or opened, by the windows of `notifications.json`.

/// Bytes that the daemon passes on.
private let longestPayload = 8192

extension WakeOrder {
    /// `nil`: nobody is woken for that.
    package var payload: String? {
        switch telling.kind {
        // With its number: told again after a death the app knows it.
        case .push(let push):
            NotificationPush(
                seq: Int64(clamping: telling.id.number), payload: push.payload, silent: push.isSilent
            ).windowText
        case .didReceive(let response): Self.payload(telling.id, response)
        // Only an app on screen is asked for that.
        case .willPresent: nil
        }
    }

    /// What is too long for a window comes by the app's connection alone.
    private static func payload(_ id: TellingID, _ response: NotificationResponse) -> String {
        let seq = Int64(clamping: id.number)
        let whole = NotificationDidReceive(seq: seq, response: NotificationResponseInfo(response)).json.description
        guard whole.utf8.count > longestPayload else { return whole }
        return NotificationDidReceive(seq: seq, response: nil).json.description
    }
}

extension OpenOrder {
    package var window: String {
        switch option {
        case .remoteNotification: "opened-push"
        case .localNotification: "opened"
        }
    }

    /// The app's launch option; one that is too long is left out, and the app is told by its connection.
    package var payload: String {
        let notification = response.notification
        let payload =
            switch option {
            case .remoteNotification: notification.request.content.userInfo
            case .localNotification: NotificationInfo(notification).json.description
            }
        return payload.utf8.count <= longestPayload ? payload : ""
    }
}
