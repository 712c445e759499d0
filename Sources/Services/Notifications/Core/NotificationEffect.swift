package import Model

/// What the shell is to do, in this order. `store` and `erase` always come first: the shell commits them in one
/// transaction before it does any of the others.
package enum NotificationEffect: Hashable, Sendable {
    case store(NotificationStored)
    case erase(NotificationStoredKey)

    // People.
    /// One of a number that is on the screen already replaces that.
    case present(Presentation)
    /// It may be gone already.
    case withdraw(NotificationID)
    /// A sound, and nothing to see.
    case playSound(AppIdentifier, String)
    /// What the app's icon shows; zero: nothing.
    case badge(AppIdentifier, Int)

    // Apps.
    case reply(RequestID, NotificationReply)
    case refuse(RequestID, NotificationRefusal)
    /// Answered by `answered`. On a new connection the same number may come again.
    case tell(ConnectionID, Telling)
    /// The connection's notification of the same name.
    case tellBadge(ConnectionID, Int)

    // The system. Both are answered by `woken`.
    /// - For a push, the app gets it by the window, and `windowEnded` says that it has.
    /// - For a response, the app is told by its connection (`tell`) once it runs and has said hello.
    case wake(WakeOrder)
    /// The app comes to the screen. It is told of the response by its connection, as above.
    case open(OpenOrder)

    // Providers.
    /// A helper of the app may change it; answered by `mutated`. Comes again after a restart.
    case mutate(MutationOrder)
    /// What the message led to is durable.
    case acknowledge(sequence: UInt64)
    /// Answered by `token` or `tokenRefused`; while the link is down, it comes again with `up`.
    case register(topic: String)
    case unregister(topic: String)
    /// Answered by `keepAliveAnswered`.
    case sendKeepAlive
    /// How the gateway keeps back the silent pushes of a topic on this connection.
    case hold(topic: String, GatewayHold)
    /// So long the gateway may keep back any silent push on this connection, until something else is sent.
    case patience(Span)
    /// Nothing comes any more: the shell connects anew.
    case linkIsDead

    /// The service that knows where the device is watches these for the app, in place of those before. Answered by
    /// `watched`.
    case watch(AppIdentifier, [WatchedPlace])

    /// For the log, and for those who ask.
    case report(NotificationReport)
}

package enum GatewayHold: Hashable, Sendable {
    /// Each is sent at once.
    case never
    /// For so long, unless something else is sent before.
    case lasts(Span)
    /// As the patience of the connection has it.
    case ordinary
}

package struct Presentation: Hashable, Sendable {
    package var id: NotificationID
    package var app: AppIdentifier
    package var notification: ArrivedNotification
    /// What of its content's it may have.
    package var level: NotificationContent.InterruptionLevel
    /// Shown at once; otherwise it goes to the list alone.
    package var hasBanner: Bool
    package var sound: String?
    /// What is offered, by the category.
    package var actions: [NotificationAction]
    /// The dismissal is told to the app.
    package var tellsDismissal: Bool
}

/// What an app is told, and by which number.
package struct Telling: Hashable, Sendable, Codable {
    package enum Kind: Hashable, Sendable, Codable {
        case willPresent(ArrivedNotification)
        case didReceive(NotificationResponse)
        case push(PushDelivery)
    }

    package var id: TellingID
    package var kind: Kind

    package init(id: TellingID, kind: Kind) {
        self.id = id
        self.kind = kind
    }
}

/// `application(_:didReceiveRemoteNotification:fetchCompletionHandler:)`.
package struct PushDelivery: Hashable, Sendable, Codable {
    package var push: PushID
    package var type: PushType
    /// The whole of it, as the provider wrote it.
    package var payload: String
    /// Nothing of it was shown.
    package var isSilent: Bool
    package var received: WallTime
}

package struct WakeOrder: Hashable, Sendable {
    package var telling: Telling
    package var window: WakeWindow
    /// For people.
    package var because: String
}

package struct OpenOrder: Hashable, Sendable {
    package enum Option: String, Sendable, Codable, CaseIterable { case localNotification, remoteNotification }

    package var telling: Telling
    package var response: NotificationResponse
    package var option: Option
    package var because: String
}

package struct MutationOrder: Hashable, Sendable {
    package var id: MutationID
    package var app: AppIdentifier
    package var request: NotificationRequest
}

package enum NotificationReply: Hashable, Sendable {
    case done
    case hello(Hello)
    case authorized(Bool)
    case settings(NotificationSettings)
    /// What it pushed out of the 64.
    case added(dropped: [String])
    case pending([PendingView])
    case delivered([DeliveredView])
    case categories([NotificationCategory])
    /// Hexadecimal.
    case token(String)
    /// Always of the kind `didReceive`.
    case opening(Telling?)
    /// How many of the app's requests waited for that.
    case crossed(notifications: Int)
    /// What became of a tool's push.
    case outcome(String, isDropped: Bool)
}

package struct Hello: Hashable, Sendable {
    package var settings: NotificationSettings
    package var badge: Int
    package var token: String?
}

package struct PendingView: Hashable, Sendable {
    package var request: NotificationRequest
    /// `nil`: nobody knows when.
    package var due: WallTime?
}

package struct DeliveredView: Hashable, Sendable {
    package var id: NotificationID
    package var notification: ArrivedNotification
}

/// Why a request was refused.
package enum NotificationRefusal: Error, Hashable, Sendable {
    case notAttached
    /// The person has not allowed it.
    case notAllowed
    /// The name of the parameter, and what is wrong with it.
    case invalid(parameter: String, String)
    /// 64 wait already, and all of them are due sooner.
    case tooManyPending
    /// What there is too much of.
    case tooMuch(String)
    /// Its time has passed and does not come again, or never comes.
    case noDate
    case noSuchNotification
    case noSuchApp
    case noGateway
    case notRegistered(String)
}

/// What a person may want to know, and no one asked for.
package enum NotificationReport: Hashable, Sendable {
    /// 64 wait: this one was due last.
    case overflow(AppIdentifier, dropped: String)
    case notShown(AppIdentifier, identifier: String, NotShown)
    case pushDropped(app: String, PushID, PushDrop)
    /// What of its payload is left out, or taken for what it stands for.
    case pushOdd(app: String, PushID, [String])
    /// It was told so often, or so long ago, and never answered.
    case untold(TellingID, String)
    /// It came so much after its time.
    case late(AppIdentifier, identifier: String, by: Span)
    /// No service says when the device is at the places that its requests wait for.
    case unwatched(AppIdentifier, String)
}

package enum NotShown: String, Sendable, Codable, CaseIterable {
    case notAuthorized, declinedByApp, noAnswer
}

package enum PushDrop: Hashable, Sendable {
    case duplicate
    case unknownApp
    case notRegistered
    case unreadable(String)
    case closedByUser
    /// The app lacks the key.
    case missingMode
    /// A newer one of the app waits in its place.
    case superseded
    case expired
    /// The system does not wake the app for it.
    case notWoken
}
