internal import Model
internal import TransferSimulation

/// Twenty apps with hourly work, each at its own minute, and waiting for each other.
struct Together {
    var text: String {
        let rows = [("1 B", Int64(1)), ("30 kB", 30_000)].flatMap { name, bytes in
            [("apart", false), ("can wait", true)].map { how, canWait in
                var work = HourlyTransfers()
                (work.bytes, work.canWait) = (bytes, canWait)
                let outcome = work.run()
                return [
                    name, how, String(work.apps * work.hours), String(outcome.wakings), Text.joules(outcome.total),
                    Text.joules(outcome.perApp.min() ?? .zero) + " – " + Text.joules(outcome.perApp.max() ?? .zero),
                ]
            }
        }
        return "20 apps with hourly downloads, a day of a simulated device on 3G\n"
            + Text.table([["each", "when", "downloads", "wakings", "J", "J an app"]] + rows)
    }
}
