internal import PushPayload

extension NotificationContent {
    /// What a push shows, with its payload as user info; `nil` if that is nothing.
    init?(_ payload: ProviderPayload, userInfo: String) {
        guard payload.hasAlert else { return nil }
        self.init(title: payload.alert.title, body: payload.alert.body, badge: payload.badge, sound: payload.sound)
        subtitle = payload.alert.subtitle
        launchImage = payload.alert.launchImage
        category = payload.category
        thread = payload.thread
        targetContent = payload.targetContent
        relevance = payload.relevance
        self.userInfo = userInfo
        interruption =
            switch payload.interruption {
            case .passive: .passive
            case .active: .active
            case .timeSensitive: .timeSensitive
            case .critical: .critical
            }
    }
}
