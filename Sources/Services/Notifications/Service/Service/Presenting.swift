internal import NotificationsCore
internal import NotificationsWire

/// What shows notifications to people. All of it is called on the service's queue.
protocol Presenting: AnyObject {
    /// One of a number that is shown already replaces that.
    func present(_ presentation: Presentation)
    /// It may be gone already.
    func withdraw(_ id: NotificationID)
    func playSound(_ sound: String, for app: String)
    func setBadge(_ count: Int, of app: String)
    var status: NotificationPresenterStatus { get }
    /// Something is shown that a person may act on: what hears of that has to stay.
    var isShowing: Bool { get }
    func end()
}

/// Where nothing can be shown, what is to be shown is kept and listed.
final class NoPresenter: Presenting {
    let status: NotificationPresenterStatus

    init(trouble: String) { status = NotificationPresenterStatus(name: nil, trouble: trouble) }

    func present(_ presentation: Presentation) {}
    func withdraw(_ id: NotificationID) {}
    func playSound(_ sound: String, for app: String) {}
    func setBadge(_ count: Int, of app: String) {}
    var isShowing: Bool { false }
    func end() {}
}
