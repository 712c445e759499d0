internal import Model
internal import NotificationsCore

extension NotificationSystem {
    func categories(of app: AppIdentifier) -> [NotificationCategory] { [] }
    func token(of app: AppIdentifier) -> String? { nil }
}
