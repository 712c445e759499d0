package import Model

/// What a person sees and hears.
package struct NotificationContent: Hashable, Sendable, Codable {
    package enum InterruptionLevel: String, Sendable, Codable, CaseIterable {
        case passive, active, timeSensitive, critical
    }

    package struct Attachment: Hashable, Sendable, Codable {
        package var name: String
        package var path: String

        package init(name: String, path: String) {
            self.name = name
            self.path = path
        }
    }

    package var title = ""
    package var subtitle = ""
    package var body = ""
    /// `nil`: the badge stays as it is; zero takes it away.
    package var badge: Int?
    /// A name, or `default`; `nil`: no sound.
    package var sound: String?
    /// Which actions are offered; empty: none.
    package var category = ""
    /// What belongs together in a list.
    package var thread = ""
    /// A JSON object, as text.
    package var userInfo = "{}"
    package var interruption = InterruptionLevel.active
    package var relevance = 0.0
    package var launchImage = ""
    package var targetContent: String?
    package var attachments: [Attachment] = []

    package init(title: String = "", body: String = "", badge: Int? = nil, sound: String? = nil) {
        self.title = title
        self.body = body
        self.badge = badge
        self.sound = sound
    }

    /// Something to see or hear: without it only the badge changes.
    package var hasAlert: Bool { !title.isEmpty || !subtitle.isEmpty || !body.isEmpty }
}

/// When a notification is shown.
package enum NotificationTrigger: Hashable, Sendable, Codable {
    /// At once.
    case now
    /// So long from now on, by the clock that no setting of the time changes.
    case after(seconds: Span, repeats: Bool)
    /// When wall clock and time zone say so.
    case matching(CalendarComponents, repeats: Bool)
    /// When the service that knows where the device is says so (`placeCrossed`).
    case region(RegionTrigger, repeats: Bool)
    /// It came from a provider: no app asks for that.
    case push

    package var repeats: Bool {
        switch self {
        case .now, .push: false
        case .after(_, let repeats), .matching(_, let repeats), .region(_, let repeats): repeats
        }
    }
}

package struct RegionTrigger: Hashable, Sendable, Codable {
    package var identifier: String
    package var latitude: Double
    package var longitude: Double
    /// Metres.
    package var radius: Double
    package var onEntry: Bool
    package var onExit: Bool

    package init(
        identifier: String, latitude: Double, longitude: Double, radius: Double, onEntry: Bool = true,
        onExit: Bool = true
    ) {
        self.identifier = identifier
        self.latitude = latitude
        self.longitude = longitude
        self.radius = radius
        self.onEntry = onEntry
        self.onExit = onExit
    }
}

package struct NotificationRequest: Hashable, Sendable, Codable {
    /// The app's own; a second request of the same identifier replaces the first.
    package var identifier: String
    package var content: NotificationContent
    package var trigger: NotificationTrigger

    package init(identifier: String, content: NotificationContent, trigger: NotificationTrigger = .now) {
        self.identifier = identifier
        self.content = content
        self.trigger = trigger
    }
}

/// A request whose time has come.
package struct ArrivedNotification: Hashable, Sendable, Codable {
    package var request: NotificationRequest
    /// When it was due, or when the provider's message came.
    package var date: WallTime
    /// The machine was off, or its clock jumped: it is shown that much after its date.
    package var isLate: Bool

    package init(request: NotificationRequest, date: WallTime, isLate: Bool = false) {
        self.request = request
        self.date = date
        self.isLate = isLate
    }
}

/// What a person may do with a notification.
package struct NotificationCategory: Hashable, Sendable, Codable {
    package var identifier: String
    package var actions: [NotificationAction]
    package var intents: [String] = []
    package var hiddenPreviewsPlaceholder: String?
    package var options: CategoryOptions

    package init(identifier: String, actions: [NotificationAction], options: CategoryOptions = []) {
        self.identifier = identifier
        self.actions = actions
        self.options = options
    }
}

package struct NotificationAction: Hashable, Sendable, Codable {
    package struct TextInput: Hashable, Sendable, Codable {
        package var buttonTitle: String
        package var placeholder: String

        package init(buttonTitle: String, placeholder: String) {
            self.buttonTitle = buttonTitle
            self.placeholder = placeholder
        }
    }

    package var identifier: String
    package var title: String
    package var options: ActionOptions
    /// It asks for a text.
    package var textInput: TextInput?

    package init(identifier: String, title: String, options: ActionOptions = [], textInput: TextInput? = nil) {
        self.identifier = identifier
        self.title = title
        self.options = options
        self.textInput = textInput
    }
}

// The numbers are Apple's.

package struct ActionOptions: OptionSet, Hashable, Sendable, Codable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let authenticationRequired = ActionOptions(rawValue: 1)
    package static let destructive = ActionOptions(rawValue: 2)
    package static let foreground = ActionOptions(rawValue: 4)
}

package struct CategoryOptions: OptionSet, Hashable, Sendable, Codable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let customDismissAction = CategoryOptions(rawValue: 1)
    package static let allowInCarPlay = CategoryOptions(rawValue: 2)
    package static let hiddenPreviewsShowTitle = CategoryOptions(rawValue: 4)
    package static let hiddenPreviewsShowSubtitle = CategoryOptions(rawValue: 8)
    package static let allowAnnouncement = CategoryOptions(rawValue: 16)
}

package struct AuthorizationOptions: OptionSet, Hashable, Sendable, Codable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let badge = AuthorizationOptions(rawValue: 1)
    package static let sound = AuthorizationOptions(rawValue: 2)
    package static let alert = AuthorizationOptions(rawValue: 4)
    package static let carPlay = AuthorizationOptions(rawValue: 8)
    package static let criticalAlert = AuthorizationOptions(rawValue: 16)
    package static let providesSettings = AuthorizationOptions(rawValue: 32)
    package static let provisional = AuthorizationOptions(rawValue: 64)
    package static let announcement = AuthorizationOptions(rawValue: 128)
    package static let timeSensitive = AuthorizationOptions(rawValue: 256)
}

package struct PresentationOptions: OptionSet, Hashable, Sendable, Codable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package static let badge = PresentationOptions(rawValue: 1)
    package static let sound = PresentationOptions(rawValue: 2)
    /// Deprecated by Apple: banner and list.
    package static let alert = PresentationOptions(rawValue: 4)
    package static let list = PresentationOptions(rawValue: 8)
    package static let banner = PresentationOptions(rawValue: 16)
}

package enum AuthorizationStatus: String, Sendable, Codable, CaseIterable {
    case notDetermined, denied, authorized, provisional

    /// Notifications of the app are shown, if only in the list.
    package var shows: Bool { self == .authorized || self == .provisional }
}

/// What an app may do now, as it is told.
package struct NotificationSettings: Hashable, Sendable, Codable {
    package var status: AuthorizationStatus
    /// What the app has asked for and was granted.
    package var options: AuthorizationOptions

    package init(status: AuthorizationStatus = .notDetermined, options: AuthorizationOptions = []) {
        self.status = status
        self.options = options
    }

    package var showsAlerts: Bool { status.shows && options.contains(.alert) }
    package var playsSounds: Bool { status == .authorized && options.contains(.sound) }
    package var showsBadge: Bool { status == .authorized && options.contains(.badge) }
}

/// What a person did with a notification.
package enum ResponseAction: Hashable, Sendable, Codable {
    /// Tapped it.
    case open
    case dismiss
    /// One of the category's actions, with what was written where it asks for a text.
    case custom(identifier: String, text: String?)
}

package struct NotificationResponse: Hashable, Sendable, Codable {
    package var notification: ArrivedNotification
    package var action: ResponseAction
    package var date: WallTime

    package init(notification: ArrivedNotification, action: ResponseAction, date: WallTime) {
        self.notification = notification
        self.action = action
        self.date = date
    }
}
