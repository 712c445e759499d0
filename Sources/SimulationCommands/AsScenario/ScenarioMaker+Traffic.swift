internal import Model
internal import PolicyCore
internal import Simulation

extension ScenarioMaker {
    /// What an app that runs moved, it moves when that was seen; what moved for one that does not run, nobody can
    /// replay.
    mutating func noteTraffic(_ app: AppIndex?, bytes: Int64) {
        guard let app, let place = place(app), apps[place].isConnected, bytes > 0 else { return }
        add(.input(.app(apps[place].name, .transfer(bytes: bytes))), at: lastEvent)
    }
}
