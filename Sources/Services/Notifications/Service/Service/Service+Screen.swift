internal import DBus
internal import LinuxSystem
internal import Model
internal import NotificationsCore
internal import NotificationsWire

// What people see, and what they do with it.
extension Service: Presenter.Client {
    func present(_ presentation: Presentation) {
        // It goes to the list alone; what was on the screen in its place is out of date.
        guard presentation.hasBanner else { return withdraw(presentation.id) }
        prepare(presentation) { [weak self] in self?.presenter.show($0) }
    }

    /// Its sound may have to be converted first. Meanwhile it may be withdrawn, or another takes its place.
    private func prepare(_ presentation: Presentation, _ then: @escaping (Shown) -> Void) {
        let (app, id) = (presentation.app, presentation.id)
        guard let name = presentation.sound.flatMap({ NotificationSoundInfo(text: $0).name }),
            let source = apps[app]?.sound(name)
        else {
            preparing[id] = nil
            return then(shown(presentation, standIn(presentation.sound)))
        }
        nextPreparation += 1
        let number = nextPreparation
        preparing[id] = number
        sounds.playable(source) { [weak self] sound in
            guard let self, preparing[id] == number else { return }
            preparing[id] = nil
            then(shown(presentation, sound))
        }
    }

    /// What is stored of one that is about to be shown; `nil`: nothing that was not stored already.
    func willPresent(_ presentation: Presentation) -> ScreenRecord? {
        guard presentation.hasBanner else { return nil }
        let record = ScreenRecord(handle: displayed[presentation.id]?.handle, sound: presentation.sound, isHeard: false)
        guard displayed[presentation.id] != record else { return nil }
        displayed[presentation.id] = record
        return record
    }

    func withdraw(_ id: NotificationID) {
        preparing[id] = nil
        presenter.withdraw(id.name)
        isNowhere(id)
    }

    /// What the process before this one has left on the screen, or was about to show.
    func recoverDisplayed() {
        for (id, record) in displayed.sorted(by: { $0.key < $1.key }) {
            if var presentation = system.presentation(of: id) {
                presentation.sound = record.isHeard ? nil : record.sound
                prepare(presentation) { [weak self] in
                    self?.presenter.recover($0, as: record.handle, isSilent: record.isHeard)
                }
            } else {
                // It was withdrawn while nobody could do it.
                presenter.recover(Shown(id: id.name, app: "", title: ""), as: record.handle)
                withdraw(id)
            }
        }
    }

    private func isNowhere(_ id: NotificationID) {
        guard displayed.removeValue(forKey: id) != nil else { return }
        enqueue(Batch(changes: [.displayed(id, nil)], effects: []))
    }

    private func shown(_ presentation: Presentation, _ sound: Shown.Sound) -> Shown {
        let content = presentation.notification.request.content
        let app = presentation.app
        let info = apps[app]
        return Shown(
            id: presentation.id.name, app: info.flatMap { $0.name.isEmpty ? nil : $0.name } ?? app.shortName,
            desktopEntry: app.rawValue, icon: info.flatMap(\.picture), title: content.title, subtitle: content.subtitle,
            body: content.body, level: Shown.Level(rawValue: presentation.level.rawValue) ?? .active,
            sound: sound,
            image: info?.image(content.attachments.first(where: \.isPicture)?.path),
            actions: presentation.actions.map {
                Shown.Action(id: $0.identifier, title: $0.title, placeholder: $0.textInput?.placeholder)
            })
    }

    /// What is heard where there is no file.
    private func standIn(_ text: String?) -> Shown.Sound {
        guard let text else { return .none }
        guard let name = NotificationSoundInfo(text: text).name else { return .standard }
        // As on Apple's systems the standard one in place of a file that is not there.
        return Self.isOfTheme(name) ? .named(name) : .standard
    }

    /// The specification of sound themes has names such as `bell` and `phone-incoming-call`.
    private static func isOfTheme(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
    }

    // MARK: What people do

    func acted(_ id: String, _ answer: ShownAnswer) {
        left(id) { .acted($0, answer.action.map { .custom(identifier: $0, text: answer.text) } ?? .open) }
    }

    func dismissed(_ id: String) { left(id) { .acted($0, .dismiss) } }
    func gone(_ id: String) { left(id) { .expired($0) } }

    /// What it led to is durable before it is forgotten that it was on the screen.
    private func left(_ id: String, _ event: (NotificationID) -> NotificationEvent) {
        guard let id = NotificationID(name: id) else { return }
        post(event(id))
        isNowhere(id)
    }

    func displayed(_ id: String, as handle: ShownHandle) {
        // One that is not known any more is about to be withdrawn.
        guard let id = NotificationID(name: id), var record = displayed[id] else { return }
        (record.handle, record.isHeard) = (handle, true)
        guard displayed[id] != record else { return }
        displayed[id] = record
        enqueue(Batch(changes: [.displayed(id, record)], effects: []))
    }

    func refused(_ id: String, _ error: DBusError) {
        note("\(id) is listed, and not shown: \(error)")
        if let id = NotificationID(name: id) { isNowhere(id) }
    }

    func statusChanged(_ status: PresenterStatus) { armIdle() }
}

extension NotificationContent.Attachment {
    /// What daemons draw.
    fileprivate var isPicture: Bool {
        [".png", ".jpg", ".jpeg", ".gif"].contains { path.lowercased().hasSuffix($0) }
    }
}

extension NotificationID {
    /// As tools and the screen have it.
    var name: String { "n\(rawValue)" }

    init?(name: String) {
        guard name.hasPrefix("n"), let number = UInt64(name.dropFirst()) else { return nil }
        self.init(number)
    }
}

extension AppIdentifier {
    fileprivate var shortName: String { rawValue.split(separator: ".").last.map(String.init) ?? rawValue }
}

// Files of apps, for what displays notifications: no name leads out of the app's own folders, and no link does.
extension AppInfo {
    /// What the bundle says, which may leave the ending out; else what is called as icons are; else a name of the
    /// theme.
    fileprivate var picture: String? {
        let named = icon.map { [$0, $0 + ".png", $0 + ".svg"] } ?? []
        let file = (named + ["Icon.png", "Icon.svg"]).first { place in
            bundle.hasPrefix("/") && !place.hasPrefix("/") && !place.split(separator: "/").contains("..")
                && FileSystem.realPath("\(bundle)/\(place)").hasPrefix(FileSystem.realPath(bundle) + "/")
                && FileSystem.exists("\(bundle)/\(place)")
        }
        return file.map { "\(bundle)/\($0)" } ?? icon.flatMap { $0.contains("/") ? nil : $0 }
    }

    /// The first that is there: the app's own, or one that came with it.
    fileprivate func sound(_ name: String) -> SoundSource? {
        guard !name.contains("/"), !name.hasPrefix(".") else { return nil }
        return ["\(container)/Library/Sounds", bundle].first { folder in
            folder.hasPrefix("/") && Self.isFile(name, in: folder)
        }.map { SoundSource(app: app, user: user, folder: $0, name: name) }
    }

    private static func isFile(_ name: String, in folder: String) -> Bool {
        guard let directory = try? Directory(opening: folder),
            let file = try? directory.open(name, .path)
        else { return false }
        return (try? file.identity().isRegular) ?? false
    }

    fileprivate func image(_ path: String?) -> String? {
        guard let path, !path.split(separator: "/").contains("..") else { return nil }
        let isOwn = [container, bundle].contains { folder in
            folder.hasPrefix("/") && path.hasPrefix(folder + "/")
                && FileSystem.realPath(path) == FileSystem.realPath(folder) + path.dropFirst(folder.count)
        }
        return isOwn ? path : nil
    }
}
