/// Where a system keeps what: everything lies below `GREENROOM_HOME`.
package struct Home: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    package var controlSocket: String { path + "/control" }
    /// In a directory of its own, which is bound into every app's view of the file system.
    package var wireDirectory: String { path + "/wire" }
    package var appSocket: String { wireDirectory + "/app" }
    /// The name that apps are told: a link that is the same inside and outside.
    package var appSocketLink: String { path + "/app" }
    package var database: String { path + "/state.sqlite" }
    package var journal: String { path + "/journal" }
    /// How far a starting daemon has come (`RestoreGuard`).
    package var restoring: String { path + "/restoring" }
    package var timeline: String { path + "/timeline" }
    package var snapshots: String { path + "/snapshots" }
    /// Declarations of services, and a folder for each (docs/SERVICES.md).
    package var services: String { path + "/services" }
    package var serviceSocket: String { path + "/service" }
    package func serviceFolder(_ name: String) -> String { services + "/" + name }
    package var reports: String { path + "/reports" }
    package var cgroupFile: String { path + "/cgroup" }
    package var daemonPID: String { path + "/daemon.pid" }
    /// Left by an end without the daemon: what the journal says lived is gone.
    package var endedMarker: String { path + "/ended" }
    package var staging: String { path + "/staging" }
    /// What is being removed: out of everybody's way, and of every app's reach.
    package var trash: String { path + "/trash" }
    /// Room for what must be written when the disk is full.
    package var reserve: String { path + "/reserve" }

    package func container(_ app: String) -> String { path + "/containers/" + app }
    package func bundle(_ app: String) -> String { path + "/bundles/" + app }
    package func run(_ app: String) -> String { path + "/run/" + app }
    package func output(_ app: String) -> String { run(app) + "/output" }
    package func terminal(_ app: String) -> String { run(app) + "/tty" }
    /// What its threads were before they got less of the machine.
    package func priority(_ app: String) -> String { run(app) + "/priority" }
    package func birth(_ app: String) -> String { run(app) + "/birth" }
}
