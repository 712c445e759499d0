/// The answer of `memory`: what there is and who has it, in bytes.
package struct MemoryInfo: WireRecord {
    package struct App: Hashable, Sendable {
        package var app: String
        package var state: String
        package var dirty: Int64
        package var purgeable: Int64
        package var clean: Int64
        /// Dirty bytes that it may have where it is; `nil` while it is suspended.
        package var limit: Int64?
        /// Its place among those that would end for memory, from 1; `nil` on screen.
        package var next: Int?
        /// Mappings of files below 16 KB in one process; `nil` while nobody has counted.
        package var tinyMappings: Int?

        package init(
            app: String, state: String, dirty: Int64, purgeable: Int64, clean: Int64, limit: Int64?, next: Int?,
            tinyMappings: Int? = nil
        ) {
            self.app = app
            self.state = state
            self.dirty = dirty
            self.purgeable = purgeable
            self.clean = clean
            self.limit = limit
            self.next = next
            self.tinyMappings = tinyMappings
        }
    }

    /// One way from the crossing to the last kill.
    package struct Passage: Hashable, Sendable {
        package var kills: Int
        package var nanoseconds: Int64
        package var allocations: Int64
        package var pageFaults: Int64

        package init(kills: Int, nanoseconds: Int64, allocations: Int64, pageFaults: Int64) {
            self.kills = kills
            self.nanoseconds = nanoseconds
            self.allocations = allocations
            self.pageFaults = pageFaults
        }
    }

    /// How ready the daemon is for a shortage.
    package struct KillPath: Hashable, Sendable {
        /// Apps that could be ended without a look.
        package var ready: Int
        package var rehearsals: Int
        package var rehearsal: Passage
        /// The last real one.
        package var last: Passage?

        package init(ready: Int, rehearsals: Int, rehearsal: Passage, last: Passage?) {
            self.ready = ready
            self.rehearsals = rehearsals
            self.rehearsal = rehearsal
            self.last = last
        }
    }

    package var budget: Int64
    package var available: Int64
    /// `normal`, `warning` or `critical`.
    package var level: String
    /// The level that somebody simulates.
    package var simulated: String?
    package var apps: [App]
    package var killPath: KillPath?

    package init(
        budget: Int64, available: Int64, level: String, simulated: String?, apps: [App], killPath: KillPath?
    ) {
        self.budget = budget
        self.available = available
        self.level = level
        self.simulated = simulated
        self.apps = apps
        self.killPath = killPath
    }

    package init(json: JSONValue) throws(RPCError) {
        budget = try json.integer("budget")
        available = try json.integer("available")
        level = try json.string("level")
        simulated = try json.optionalString("simulated")
        killPath = try json["killPath"].map { json throws(RPCError) in try KillPath(json: json) }
        apps = []
        guard case .array(let list) = json["apps"] ?? .null else {
            throw .invalidParameter("apps", "apps must be a list")
        }
        for one in list {
            apps.append(
                App(
                    app: try one.string("app"), state: try one.string("state"), dirty: try one.integer("dirty"),
                    purgeable: try one.integer("purgeable"), clean: try one.integer("clean"),
                    limit: try one.optionalInt("limit").map(Int64.init), next: try one.optionalInt("next"),
                    tinyMappings: try one.optionalInt("tinyMappings")))
        }
    }

    package var json: JSONValue {
        [
            "budget": .int(budget), "available": .int(available), "level": .string(level),
            "simulated": JSONValue(simulated),
            "apps": .array(
                apps.map { app in
                    [
                        "app": .string(app.app), "state": .string(app.state), "dirty": .int(app.dirty),
                        "purgeable": .int(app.purgeable), "clean": .int(app.clean),
                        "limit": JSONValue(app.limit.map { Int($0) }), "next": JSONValue(app.next),
                        "tinyMappings": JSONValue(app.tinyMappings),
                    ]
                }),
            "killPath": killPath?.json ?? .null,
        ]
    }
}

extension MemoryInfo.KillPath {
    fileprivate init(json: JSONValue) throws(RPCError) {
        self.init(
            ready: try json.int("ready"), rehearsals: try json.int("rehearsals"),
            rehearsal: try MemoryInfo.Passage(json: json["rehearsal"] ?? .null),
            last: try json["last"].map { json throws(RPCError) in try MemoryInfo.Passage(json: json) })
    }

    fileprivate var json: JSONValue {
        [
            "ready": .int(Int64(ready)), "rehearsals": .int(Int64(rehearsals)), "rehearsal": rehearsal.json,
            "last": last?.json ?? .null,
        ]
    }
}

extension MemoryInfo.Passage {
    fileprivate init(json: JSONValue) throws(RPCError) {
        self.init(
            kills: try json.int("kills"), nanoseconds: try json.integer("nanoseconds"),
            allocations: try json.integer("allocations"), pageFaults: try json.integer("pageFaults"))
    }

    fileprivate var json: JSONValue {
        [
            "kills": .int(Int64(kills)), "nanoseconds": .int(nanoseconds), "allocations": .int(allocations),
            "pageFaults": .int(pageFaults),
        ]
    }
}
