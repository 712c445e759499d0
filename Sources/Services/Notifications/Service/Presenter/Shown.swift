package import DBus

/// A notification as a person sees it.
package struct Shown: Hashable, Sendable {
    /// How much it may interrupt.
    package enum Level: String, Hashable, Sendable, CaseIterable {
        case passive, active, timeSensitive, critical
    }

    package enum Sound: Hashable, Sendable {
        case none
        /// The sound that all notifications have.
        case standard
        /// One of the theme of sounds, by its name.
        case named(String)
        case file(String)
    }

    /// A button.
    package struct Action: Hashable, Sendable {
        package var id: String
        package var title: String
        /// It asks for a text, and shows this until there is one.
        package var placeholder: String?

        package init(id: String, title: String, placeholder: String? = nil) {
            self.id = id
            self.title = title
            self.placeholder = placeholder
        }
    }

    /// Another one with the same takes its place.
    package var id: String
    /// The app's name for people.
    package var app: String
    /// The name of the app's desktop entry, without its ending.
    package var desktopEntry: String?
    /// The app's picture: a path, or a name of the theme of icons.
    package var icon: String?
    package var title: String
    package var subtitle: String
    package var body: String
    package var level: Level
    package var sound: Sound
    /// The path of a picture that belongs to the notification.
    package var image: String?
    package var actions: [Action]

    package init(
        id: String, app: String, desktopEntry: String? = nil, icon: String? = nil, title: String,
        subtitle: String = "", body: String = "", level: Level = .active, sound: Sound = .none,
        image: String? = nil, actions: [Action] = []
    ) {
        self.id = id
        self.app = app
        self.desktopEntry = desktopEntry
        self.icon = icon
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.level = level
        self.sound = sound
        self.image = image
        self.actions = actions
    }
}

/// What a person did with a notification, other than to dismiss it.
package struct ShownAnswer: Hashable, Sendable {
    /// The action that was chosen; `nil` is the notification itself.
    package var action: String?
    /// What was typed, where the action asked for it.
    package var text: String?
    /// By which the app's window may come to the front, where the desktop says so (XDG activation).
    package var token: String?

    package init(action: String? = nil, text: String? = nil, token: String? = nil) {
        self.action = action
        self.text = text
        self.token = token
    }
}

/// Where a notification is displayed, for a program that starts again: by it the notification is found on the screen
/// that another process of the program has left there.
package struct ShownHandle: Hashable, Sendable, Codable {
    package var bus: String
    package var owner: String
    package var number: UInt32

    package init(bus: String, owner: String, number: UInt32) {
        self.bus = bus
        self.owner = owner
        self.number = number
    }
}

/// The program that displays notifications, as it describes itself.
package struct NotificationDaemon: Hashable, Sendable {
    package var name: String
    package var vendor: String
    package var version: String
    /// The version of the specification that it follows.
    package var specification: String
    package var capabilities: Set<String>

    package init(name: String, vendor: String, version: String, specification: String, capabilities: Set<String>) {
        self.name = name
        self.vendor = vendor
        self.version = version
        self.specification = specification
        self.capabilities = capabilities
    }

    /// What it may be asked for here; others do not matter.
    static let known: Set<String> = ["actions", "body", "body-markup", "sound", "inline-reply"]

    package var hasActions: Bool { capabilities.contains("actions") }
    package var hasBody: Bool { capabilities.contains("body") }
    package var hasMarkup: Bool { capabilities.contains("body-markup") }
    /// It plays sounds itself.
    package var hasSounds: Bool { capabilities.contains("sound") }
    /// It asks for texts.
    package var hasReplies: Bool { capabilities.contains("inline-reply") }
}

/// Whether notifications are shown, and what is missing.
package enum PresenterStatus: Hashable, Sendable, CustomStringConvertible {
    case noBus(DBusError?)
    /// The bus, or the daemon, has yet to answer.
    case asking
    /// Nothing on the bus displays notifications; why, where starting or asking it failed.
    case noDaemon(DBusError?)
    case ready(NotificationDaemon)

    package var description: String {
        switch self {
        case .noBus(let error): "Notifications are kept, not shown: there is no D-Bus session bus\(Self.reason(error))."
        case .asking: "The notification daemon has yet to answer."
        case .noDaemon(nil): "Notifications are kept, not shown: no notification daemon runs."
        case .noDaemon(let error?):
            "Notifications are kept, not shown: the notification daemon does not answer (\(error))."
        case .ready(let daemon): "Notifications are shown by \(daemon.name) \(daemon.version)."
        }
    }

    private static func reason(_ error: DBusError?) -> String { error.map { " (\($0))" } ?? "" }
}
