package import AudioModel
package import DBus
package import Dispatch
internal import LinuxSystem

/// An app's player as MPRIS has it: desktops, keyboards and headsets find it on the user's bus, show what it plays and
/// send it commands.
///
/// It has a connection of its own: clients tell players apart by the connection that a change comes from. The bus may
/// come and go; the player is there again with the next one.
///
/// Unchecked: used on its queue only, where its functions are called as well.
package final class PublishedPlayer: @unchecked Sendable {
    package let app: PublishedApp
    /// Its name on the bus.
    package let name: String
    private let queue: DispatchQueue
    private let connection: DBusConnection
    private var object: DBusObject?
    private var ownership: DBusRegistration?

    private var face = PlayerFace(state: PublishedState(saidAt: 0), trackNumber: 0)
    /// The state as it was given.
    private var said = PublishedState(saidAt: 0)
    /// What clients have been told, by the names of the properties.
    private var told: [String: DBusValue] = [:]

    /// A control asks for something. Its program waits until it is answered, once.
    package var onCommand: (AudioCommand, @escaping (PublishedAnswer) -> Void) -> Void = { _, answer in
        answer(.failed(.noActionableItem))
    }
    /// The app is to come to the front.
    package var onRaise: () -> Void = {}
    /// The volume is to be this; without it, controls cannot set it.
    package var onVolume: ((Double) -> Void)?
    /// Whether it has its name. It has none for a while after another process of this program.
    package var onClaim: (DBusClaim) -> Void = { _ in }

    package init(_ app: PublishedApp, at address: DBusAddress = .user, queue: DispatchQueue) {
        self.app = app
        self.queue = queue
        name = MPRIS.name(of: app.identifier)
        connection = DBusConnection(address, queue: queue)
    }

    package func begin(_ state: PublishedState) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard object == nil else { return update(state) }
        (said, face) = (state, PlayerFace(state: state, trackNumber: 1))
        told = values
        object = connection.export(MPRIS.path, interfaces)
        ownership = connection.own(name) { [weak self] in self?.onClaim($0) }
        connection.begin()
    }

    /// Clients hear of what has changed, all at once.
    package func update(_ state: PublishedState) {
        dispatchPrecondition(condition: .onQueue(queue))
        let now = Clock.boot()
        let next = state.continuing(face.state, said: said, at: now)
        let isNew = next.track != face.state.track
        let jumps = next.jumps(after: face.state)
        (said, face) = (state, PlayerFace(state: next, trackNumber: face.trackNumber + (isNew ? 1 : 0)))
        let values = values
        let changed = PlayerFace.properties.map(\.name).filter { values[$0] != told[$0] }
        do throws(DBusError) {
            if !changed.isEmpty { try object?.changed(changed, of: MPRIS.player) }
            told = values
            if jumps { try object?.emit("Seeked", of: MPRIS.player, [.int64(next.position(at: now))]) }
        } catch {
            // The bus does not read: what it was not told is told with the next update.
        }
    }

    /// It goes from the bus. Calls without an answer fail.
    package func end() {
        dispatchPrecondition(condition: .onQueue(queue))
        (object, ownership) = (nil, nil)
        connection.close()
    }

    private var values: [String: DBusValue] {
        Dictionary(uniqueKeysWithValues: PlayerFace.properties.map { ($0.name, $0.value(face)) })
    }

    // MARK: What it offers

    private typealias Interface = DBusInterface

    private var interfaces: [DBusInterface] {
        [
            DBusInterface(MPRIS.root, methods: rootMethods, properties: rootProperties),
            DBusInterface(
                MPRIS.player, methods: controlMethods + positionMethods, properties: playerProperties,
                signals: [.init("Seeked", carries: ["Position": .int64])]),
        ]
    }

    private var rootMethods: [Interface.Method] {
        [
            .init("Raise") { [weak self] call in
                self?.onRaise()
                call.answer()
            },
            .init("Quit") { [weak self] in self?.refuse($0, "Quit") },
        ]
    }

    private var rootProperties: [Interface.Property] {
        func constant(_ name: String, _ value: DBusValue) -> Interface.Property {
            .init(name, value.type, change: .constant) { value }
        }
        let entry = app.desktopEntry.map { constant("DesktopEntry", .string(Texts.clean($0, NowPlaying.longestText))) }
        return [
            constant("Identity", .string(Texts.clean(app.name, NowPlaying.longestText))),
            constant("CanRaise", .boolean(true)), constant("CanQuit", .boolean(false)),
            constant("HasTrackList", .boolean(false)), constant("SupportedUriSchemes", .strings([])),
            constant("SupportedMimeTypes", .strings([])),
        ] + (entry.map { [$0] } ?? [])
    }

    private var playerProperties: [Interface.Property] {
        let announced = PlayerFace.properties.map { property in
            let initial = property.value(face)
            return Interface.Property(
                property.name, property.type, get: { [weak self] in self.map { property.value($0.face) } ?? initial },
                set: setter(of: property.name))
        }
        let position = Interface.Property("Position", .int64, change: .nothing) { [weak self] in
            .int64(self?.face.state.position(at: Clock.boot()) ?? 0)
        }
        return announced + [position]
    }

    private func setter(of property: String) -> ((DBusValue) throws(DBusError) -> Void)? {
        switch property {
        case "LoopStatus":
            return { [weak self] value throws(DBusError) in
                guard let repeats = value.string.flatMap(PlayerFace.repeats) else { throw Self.invalid(property) }
                try self?.set(.loop(repeats))
            }
        case "Shuffle":
            return { [weak self] value throws(DBusError) in try self?.set(.shuffle(value.bool ?? false)) }
        case "Rate":
            return { [weak self] value throws(DBusError) in try self?.set(.rate(value.number ?? 1)) }
        case "Volume":
            return { [weak self] value throws(DBusError) in
                guard let volume = value.number, volume.isFinite else { throw Self.invalid(property) }
                guard let self, let onVolume else { throw PublishedFailure.unsupported(property, self?.app).asError }
                onVolume(min(max(0, volume), 1))
            }
        default: return nil
        }
    }

    private static func invalid(_ property: String) -> DBusError {
        .refused(name: DBusError.Name.invalidArgs, message: "\(property) cannot be that.")
    }

    private var controlMethods: [Interface.Method] {
        [Control.next, .previous, .pause, .playPause, .stop, .play].map { control in
            .init(control.name) { [weak self] in self?.perform(control, $0) }
        }
    }

    private var positionMethods: [Interface.Method] {
        [
            .init("Seek", takes: ["Offset": .int64]) { [weak self] call in
                guard case .int64(let offset) = call.arguments[0] else { return }
                self?.perform(.seek(offset), call)
            },
            .init("SetPosition", takes: ["TrackId": .objectPath, "Position": .int64]) { [weak self] call in
                guard case .objectPath(let track) = call.arguments[0], case .int64(let position) = call.arguments[1]
                else { return }
                self?.move(to: position, of: track, call)
            },
            .init("OpenUri", takes: ["Uri": .string]) { [weak self] in self?.refuse($0, "OpenUri") },
        ]
    }

    // MARK: What controls ask for

    /// A control that has yet to hear of a new track must not move within that.
    private func move(to position: Int64, of track: DBusObjectPath, _ call: DBusInvocation) {
        if track == face.trackPath { perform(.move(position), call) } else { call.answer() }
    }

    private func perform(_ control: Control, _ call: DBusInvocation) {
        switch face.state.translate(control, at: Clock.boot()) {
        case .nothing: call.answer()
        case .refused: refuse(call, control.name)
        case .command(let command):
            let app = app
            onCommand(command) { answer in
                switch answer {
                case .done, .failed(.success, _): call.answer()
                case .failed(let status, let why): PublishedFailure.failed(status, app, why: why).answer(call)
                }
            }
        }
    }

    private func refuse(_ call: DBusInvocation, _ what: String) {
        PublishedFailure.unsupported(what, app).answer(call)
    }

    /// What sets a property is answered at once: whether the app obeyed shows in the property.
    private func set(_ control: Control) throws(DBusError) {
        switch face.state.translate(control, at: Clock.boot()) {
        case .nothing: return
        case .refused: throw PublishedFailure.unsupported(control.name, app).asError
        case .command(let command): onCommand(command) { _ in }
        }
    }
}

/// Why a player did not do what a control asked for, as the control hears it.
private struct PublishedFailure {
    let name: String
    let sentence: String

    private init(_ name: String, _ sentence: String) {
        self.name = MPRIS.player + ".Error." + name
        self.sentence = sentence
    }

    static func unsupported(_ what: String, _ app: PublishedApp?) -> PublishedFailure {
        PublishedFailure("NotSupported", "\(shown(app)) does not obey \(what) now.")
    }

    static func failed(_ status: AudioCommandStatus, _ app: PublishedApp, why: String?) -> PublishedFailure {
        let (name, usual) =
            switch status {
            case .noSuchContent: ("NoSuchContent", "does not have what it was asked for.")
            case .noActionableItem: ("NoActionableItem", "has nothing to do that with now.")
            case .deviceNotFound: ("DeviceNotFound", "did not find the device.")
            case .success, .failed: ("Failed", "did not do what it was asked for.")
            }
        return PublishedFailure(name, why.map { Texts.clean($0, 1024) } ?? "\(shown(app)) \(usual)")
    }

    private static func shown(_ app: PublishedApp?) -> String {
        app.map { "“\(Texts.clean($0.name, NowPlaying.longestText))”" } ?? "The app"
    }

    var asError: DBusError { .refused(name: name, message: sentence) }

    func answer(_ call: DBusInvocation) { call.fail(name, sentence) }
}
