package import DBus
package import Dispatch
internal import LinuxSystem
internal import LocationModel

/// The compass, by iio-sensor-proxy. It says where magnetic north is, and corrects for a device that is tilted.
///
/// The sensor is claimed only while this is on: iio-sensor-proxy reads it for as long as someone has claimed it.
///
/// Unchecked: used on its queue only; its client is called there.
package final class HeadingSource: LocationSource, @unchecked Sendable {
    static let name = "net.hadess.SensorProxy"
    private static let path: DBusObjectPath = "/net/hadess/SensorProxy/Compass"
    private static let interface = "net.hadess.SensorProxy.Compass"

    private let queue: DispatchQueue
    private let bus: DBusConnection
    private weak var client: (any LocationSourceClient)?
    private var told = ToldState()
    private var nameWatch: DBusRegistration?
    private var changes: DBusRegistration?
    private var owner: String?
    private var hasCompass = false

    package init(queue: DispatchQueue, bus: DBusConnection) { (self.queue, self.bus) = (queue, bus) }

    package func begin(_ client: any LocationSourceClient) {
        dispatchPrecondition(condition: .onQueue(queue))
        self.client = client
        tell(.present)
    }

    package func end() {
        dispatchPrecondition(condition: .onQueue(queue))
        client = nil
        isOn = false
    }

    package var isOn = false {
        didSet {
            dispatchPrecondition(condition: .onQueue(queue))
            guard isOn != oldValue else { return }
            if isOn {
                if !bus.isConnected { tell(.absent(SystemService.noBus)) }
                nameWatch = bus.watch(Self.name) { [weak self] in self?.ownerChanged($0) }
            } else {
                if let owner { bus.call(call("ReleaseCompass", owner)) }
                (nameWatch, changes, owner, hasCompass) = (nil, nil, nil, false)
            }
        }
    }

    private func tell(_ state: SourceState) {
        if told.set(state) { client?.compass(is: state) }
    }

    private func call(_ method: String, _ owner: String) -> DBusCall {
        DBusCall(method, of: Self.interface, at: Self.path, to: owner, startsDestination: false)
    }

    private func ownerChanged(_ new: String?) {
        guard isOn else { return }
        (owner, changes, hasCompass) = (new, nil, false)
        guard let new else {
            let advice =
                "iio-sensor-proxy does not run: on a device with a compass install it (Debian: iio-sensor-proxy)"
            return tell(.absent(bus.isConnected ? advice : SystemService.noBus))
        }
        let match = DBusMatch(
            sender: new, path: Self.path, interface: SystemService.properties, member: "PropertiesChanged")
        changes = bus.subscribe(match) { [weak self] signal in
            if let self, let changes = SystemService.changes(signal, of: Self.interface) { read(changes) }
        }
        bus.call(call("ClaimCompass", new)) { [weak self] result in
            guard let self, owner == new, case .failure(let error) = result else { return }
            refused(error)
        }
        bus.call(SystemService.getAll(Self.interface, at: Self.path, of: new)) { [weak self] result in
            guard let self, owner == new else { return }
            switch result {
            case .success(let values):
                if let properties = values.first { read(properties) }
                if !hasCompass { tell(.absent("iio-sensor-proxy has no compass")) }
            case .failure(let error): refused(error)
            }
        }
    }

    private func refused(_ error: DBusError) {
        guard error.isDenial else {
            return tell(.absent("iio-sensor-proxy does not give its compass (\(error.plainText)): restart it"))
        }
        tell(
            .absent(
                "The message bus lets only GeoClue use the compass: allow \(Self.name) to Greenroom's user in a file "
                    + "in /etc/dbus-1/system.d, as /usr/share/dbus-1/system.d/\(Self.name).conf does for GeoClue"))
    }

    private func read(_ properties: DBusValue) {
        if let has = properties["HasCompass"]?.bool {
            hasCompass = has
            tell(has ? .present : .absent("iio-sensor-proxy has no compass"))
        }
        // Before the first reading it says a negative number.
        if hasCompass, let degrees = properties["CompassHeading"]?.number?.asCourse {
            client?.turned(to: Heading(magnetic: degrees, time: Double(Clock.wall()) / 1e9))
        }
    }
}
