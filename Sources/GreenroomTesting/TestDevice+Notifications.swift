public import Foundation
internal import Model
internal import NotificationsWire
internal import Simulation
public import UserNotifications
internal import Wire

// Notifications and pushes: what providers send, and what a person sees of them and does about them. They come to the
// app's code through `UNUserNotificationCenter` and the delegate of `UIApplication`, as on a device.
extension TestDevice {
    /// How a push comes to the device.
    public enum PushSender: Hashable, Sendable {
        /// Straight into it, as `greenroom push` and `simctl push` do it. No network is needed.
        case tool
        /// Through a gateway and the device's network. The app has to be registered for remote notifications, and have
        /// its token by now.
        case provider
    }

    /// A push for an app; returns when the app has been told, or woken, or what it says is shown, or it waits.
    ///
    ///     try await device.push(["aps": ["content-available": 1], "episode": 7], to: podcasts)
    ///
    /// - Parameters:
    ///   - payload: what goes into JSON.
    ///   - app: whose it is.
    ///   - sender: by which way it comes.
    /// - Throws: `TestDeviceError.refused` if the payload is not JSON, or with the gateway's reason.
    public func push(
        _ payload: [String: Any], to app: InstalledApp, from sender: PushSender = .tool
    ) async throws(TestDeviceError) {
        guard JSONSerialization.isValidJSONObject(payload),
            let data = try? JSONSerialization.data(withJSONObject: payload, options: [.sortedKeys])
        else { throw .refused("the payload cannot be written as JSON") }
        try await push(String(decoding: data, as: UTF8.self), to: app, from: sender)
    }

    /// A push for an app, as its provider writes it.
    ///
    /// - Parameters:
    ///   - payload: JSON.
    ///   - collapse: `apns-collapse-id`; one that is shown takes the place of an earlier one.
    public func push(
        _ payload: String, to app: InstalledApp, from sender: PushSender = .tool, collapse: String? = nil
    ) async throws(TestDeviceError) {
        let identifier = self.identifier(app)
        let line = payload.split(whereSeparator: \.isNewline).joined(separator: " ")
        switch sender {
        case .tool: try await tell(NotificationService.self, "deliver \(identifier) \(line)")
        case .provider:
            let options = collapse.map { "collapse \($0) " } ?? ""
            try await tell(NotificationService.self, "push \(identifier) \(options)\(line)")
            let answers = simulated.answer(of: NotificationService.name, to: "sent \(identifier)") ?? ""
            let last = answers.split(separator: ",").last.map(String.init) ?? ""
            let status = last.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
            guard status == "200" else { throw .refused("the gateway answers \(status)") }
        }
    }

    /// A push that is written in a file, as `simctl push` takes it: its member `Simulator Target Bundle` says for whom
    /// it is.
    ///
    /// - Parameter file: JSON.
    /// - Throws: `TestDeviceError.refused` if there is no such file or no such app.
    public func push(contentsOf file: URL, from sender: PushSender = .tool) async throws(TestDeviceError) {
        guard let data = try? Data(contentsOf: file),
            let payload = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { throw .refused("\(file.path) is not a file with a JSON object in it") }
        guard let target = payload["Simulator Target Bundle"] as? String else {
            throw .refused("\(file.path) names no app: add \"Simulator Target Bundle\": \"org.example.app\"")
        }
        guard
            let place = simulated.apps.firstIndex(where: { $0.script.manifest.identifier.rawValue == target })
        else { throw .refused("no app \(target) is installed") }
        let app = InstalledApp(self, place: place, name: simulated.apps[place].script.name)
        try await push(String(decoding: data, as: UTF8.self), to: app, from: sender)
    }

    /// A notification of an app, as if the app had asked for it: shown at once without a trigger, and otherwise when
    /// that says so.
    ///
    /// - Throws: `TestDeviceError.refused` if it cannot be written down, for example for what is in its user info.
    public func deliver(_ notification: UNNotificationRequest, of app: InstalledApp) async throws(TestDeviceError) {
        let record: NotificationRequestInfo
        do {
            record = try notification.record()
        } catch {
            throw .refused(error.localizedDescription)
        }
        try await tell(NotificationService.self, "show \(identifier(app)) \(record.json.description)")
    }

    /// The user lets an app show notifications, or no longer: in the settings, or when the app asks.
    public func allowNotifications(of app: InstalledApp, _ isAllowed: Bool = true) async throws(TestDeviceError) {
        try await tell(NotificationService.self, "\(isAllowed ? "allow" : "deny") \(identifier(app))")
    }

    // MARK: What a person does

    /// Taps a notification, which brings its app to the screen.
    ///
    /// - Parameter identifier: the request's; the newest of the app unless given.
    /// - Throws: `TestDeviceError.refused` if there is none on the screen or in the list.
    public func tapNotification(
        _ identifier: String? = nil, of app: InstalledApp
    ) async throws(TestDeviceError) {
        try requireNotification(identifier, app)
        try await tell(NotificationService.self, "tap \(self.identifier(app))" + (identifier.map { " \($0)" } ?? ""))
    }

    /// Puts a notification away.
    public func dismissNotification(
        _ identifier: String? = nil, of app: InstalledApp
    ) async throws(TestDeviceError) {
        try requireNotification(identifier, app)
        try await tell(
            NotificationService.self, "dismiss \(self.identifier(app))" + (identifier.map { " \($0)" } ?? ""))
    }

    /// Chooses one of the actions of the newest notification of an app.
    ///
    /// - Parameters:
    ///   - action: the action's identifier.
    ///   - text: what is written, where the action asks for a text.
    public func answerNotification(
        of app: InstalledApp, with action: String, text: String? = nil
    ) async throws(TestDeviceError) {
        try requireNotification(nil, app)
        try await tell(
            NotificationService.self, "answer \(identifier(app)) \(action)" + (text.map { " with \($0)" } ?? ""))
    }

    private func requireNotification(_ identifier: String?, _ app: InstalledApp) throws(TestDeviceError) {
        let all = notifications(of: app)
        let isThere = identifier.map { identifier in all.contains { $0.identifier == identifier } } ?? !all.isEmpty
        guard isThere else {
            let name = identifier.map { " \($0)" } ?? ""
            throw .refused("no notification\(name) of \(app.name) is on the screen or in the list")
        }
    }

    // MARK: What a person sees

    /// A notification on the screen or in the list.
    public struct ShownNotification: Hashable, Sendable {
        /// The request's.
        public let identifier: String
        /// Its title; empty without one.
        public let title: String
        /// Its text; empty without one.
        public let body: String
        /// It came with a banner, and not only to the list.
        public let hadBanner: Bool
        /// The name of its sound.
        public let sound: String?
    }

    /// The notifications of an app that are on the screen or in the list, the oldest first.
    public func notifications(of app: InstalledApp) -> [ShownNotification] {
        shown("visible \(identifier(app))")
    }

    /// All that were ever shown of an app, the first one first.
    public func shownNotifications(of app: InstalledApp) -> [ShownNotification] {
        shown("history \(identifier(app))")
    }

    /// The number on the app's icon.
    public func badge(of app: InstalledApp) -> Int {
        let answer = simulated.answer(of: NotificationService.name, to: "badge \(identifier(app))") ?? ""
        return answer.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }

    /// Where the app stands with silent pushes: how many came, and what one waits for.
    public func pushStatus(of app: InstalledApp) -> String {
        simulated.answer(of: NotificationService.name, to: "why \(identifier(app))") ?? ""
    }

    private func shown(_ question: String) -> [ShownNotification] {
        guard let answer = simulated.answer(of: NotificationService.name, to: question),
            let list = try? JSONValue(parsing: answer).array
        else { return [] }
        return list.map { entry in
            ShownNotification(
                identifier: entry["identifier"]?.string ?? "", title: entry["title"]?.string ?? "",
                body: entry["body"]?.string ?? "", hadBanner: entry["banner"]?.bool ?? false,
                sound: entry["sound"]?.string)
        }
    }
}
