/// One key of a mapping in a scenario's file.
package struct Key: Hashable, Sendable {
    package let name: String
    /// What its value is, for `docs/SCENARIOS.md`.
    package let value: String
    package let meaning: String
    package let isRequired: Bool

    init(_ name: String, _ value: String, _ meaning: String, isRequired: Bool = false) {
        self.name = name
        self.value = value
        self.meaning = meaning
        self.isRequired = isRequired
    }
}

/// The keys of one kind of mapping.
package struct KeyTable: Hashable, Sendable {
    package let what: String
    package let keys: [Key]

    var names: Names { Names("key", keys.map(\.name)) }
}

// `docs/SCENARIOS.md` holds these tables; a test compares them.
extension KeyTable {
    package static let scenario = KeyTable(
        what: "scenario",
        keys: [
            Key("name", "text", "What it shows, in one sentence.", isRequired: true),
            Key("rows", "list", "Requirements that it shows, for example `[L4]`."),
            Key(
                "device", "a profile's name, or a mapping", "The device ([PROFILES.md](PROFILES.md)).", isRequired: true
            ),
            Key("seed", "number", "Seed of everything that is random: 1 where it is left out."),
            Key("memory", "SIZE", "What apps have of memory together; where it is left out, memory does not matter."),
            Key(
                "disk", "SIZE",
                "What the disk of the apps' files has; where it is left out, room on it does not matter."),
            Key("duration", "TIME", "How long it runs, at least to its last step."),
            Key("apps", "mapping", "The installed apps, each by the name that the scenario uses for it."),
            Key("services", "mapping", "Services that apps use, each by its name."),
            Key("rates", "mapping", "Faults that come by themselves."),
            Key("timeline", "list", "What happens, in the order of its moments."),
            Key("expect", "list", "What must be true of the whole run."),
        ])

    package static let device = KeyTable(
        what: "device",
        keys: [
            Key("profile", "a profile's name", "The device that it is, but for what follows.", isRequired: true),
            Key("name", "text", "What it is called."),
            Key("hasMultitasking", "true or false", "Whether apps that leave the screen live on."),
            Key("locking", "leavesInactive or sendsToBackground", "What locking does to the app in front."),
            Key("expirationThread", "anyThread or mainThread", "Where expiration handlers run."),
            Key("launchLimit", "TIME", "From the start of the process to the return of `didFinishLaunching`."),
            Key("callbackLimits", "mapping from CALLBACK to TIME", "How long delegate methods may take."),
            Key("mainThreadLimit", "TIME", "How long the main thread may stay blocked."),
            Key("checkInterval", "TIME", "How often a running app is looked at."),
            Key("processLimit", "COUNT", "More processes than this in one app end it."),
            Key("freezeLimit", "TIME", "How long one attempt to freeze may take."),
            Key("freezeAttempts", "COUNT", "How many attempts to freeze follow each other before a report."),
            Key("hasSplitScreen", "true or false", "Whether secondary and picture-in-picture apps exist."),
            Key("taskLimit", "TIME", "How long background tasks may take after the screen is left."),
            Key("taskWindowLimit", "TIME", "The same for an app that was woken for an event."),
            Key("taskVerdict", "watchdog or runningBoard", "The code of an end for a task that was not ended in time."),
            Key("taskNotice", "TIME", "How long before that the expiration handlers are called."),
            Key("fetchLimit", "TIME", "How long an app has for a background fetch."),
            Key("transferEventsLimit", "TIME", "How long it has for the events of a background URL session."),
            Key("refreshLimit", "TIME", "How long it has for a refresh task."),
            Key("processingLimit", "TIME", "How long it has for a processing task."),
            Key("windowNotice", "TIME", "How long before their end tasks are told to hurry."),
            Key("closingEndsTransfers", "true or false", "Whether closing an app in the switcher ends its transfers."),
            Key("windowOverrun", "suspends or terminates", "What becomes of an app that takes longer."),
            Key("tasksReplaceFetch", "true or false", "Whether an app that names tasks is fetched no more."),
            Key("lowPowerAt", "PERCENT", "From so much of an unplugged battery down it saves power; 0: never."),
            Key("protectsDataAfter", "TIME", "How long protected files can be read when it is locked; `0s`: always."),
            Key("cellular", "3g, lte or wifi", "The radio of its cellular network."),
            Key("connectionLimit", "TIME", "How long connections of a suspended app stand; `0s`: for ever."),
            Key("listenGrace", "TIME", "How long a server of the mode `listen` goes on after its last peer has left."),
        ])

    package static let app = KeyTable(
        what: "app",
        keys: [
            Key("identifier", "text", "Its bundle identifier; its name in the scenario where it is left out."),
            Key("title", "text", "What people call it; its name in the scenario where it is left out."),
            Key("plain", "true or false", "A Linux program that knows nothing of Greenroom: no callbacks."),
            Key("modes", "list", "Its `UIBackgroundModes`: those of Apple, `listen`, and those that services guard."),
            Key("exitsOnSuspend", "true or false", "`UIApplicationExitsOnSuspend`."),
            Key(
                "connectionLimit", "TIME",
                "The limit of its connections while it is suspended. `0s` is no limit. The profile has the default."),
            Key("schemes", "list", "The URL schemes that it is registered for."),
            Key("tasks", "list", "`BGTaskSchedulerPermittedIdentifiers`."),
            Key("scenes", "one or several", "`UIApplicationSceneManifest`; no scenes where it is left out."),
            Key("freezable", "true or false", "False for a graphical program that must not be frozen."),
            Key("startup", "TIME", "From the birth of its process to its first word: 120ms where it is left out."),
            Key("callbacks", "mapping from CALLBACK to TIME", "How long its delegate methods take; a few ms else."),
            Key(
                "on", "mapping from CALLBACK to a list of ACTION",
                "What it does in a delegate method; `expiration`: in its expiration handlers."),
            Key("hears", "mapping from words to a list of ACTION", "What it does when a service tells it just that."),
            Key("memory", "mapping", "What it has in memory when it runs."),
            Key("manners", "mapping", "How it behaves towards the system."),
        ])

    package static let memory = KeyTable(
        what: "memory",
        keys: [
            Key("dirty", "SIZE", "Dirty memory: 20MB where it is left out."),
            Key("purgeable", "SIZE", "Purgeable memory: none where it is left out."),
            Key("clean", "SIZE", "Clean memory: 10MB where it is left out."),
            Key("releases", "SIZE", "Dirty memory that it frees at a memory warning: none where it is left out."),
        ])

    package static let manners = KeyTable(
        what: "manners",
        keys: [
            Key("connects", "true or false", "False: it never says hello."),
            Key("hangsIn", "list of CALLBACK", "Delegate methods that do not return."),
            Key("answersPings", "true or false", "False: its main thread never answers when it is asked."),
            Key("traced", "true or false", "A debugger is attached."),
            Key("ignoresTermination", "true or false", "It does not end of SIGTERM."),
            Key("leavesOthers", "true or false", "Other processes of it live on when the first one ends."),
            Key("processes", "COUNT", "How many processes it has."),
            Key("ignoresPeers", "true or false", "It listens, and never accepts a connection."),
            Key("freezes", "true or false", "False: the kernel cannot freeze it."),
            Key("launchFailure", "mapping", "It cannot be launched."),
            Key("replyDelay", "TIME", "Its replies come so much later."),
        ])

    package static let service = KeyTable(
        what: "service",
        keys: [
            Key(
                "runs", "a name",
                "It decides as the real service of this name does; then nothing but times is said of it."),
            Key("mode", "a word", "The word of `UIBackgroundModes` that it guards; without one every app may use it."),
            Key("foreground", "true or false", "Whether an app without the key may use it on screen: true."),
            Key("holds", "mapping to TIME", "What it does for apps, each with its limit; `0s`: as long as it likes."),
            Key("activities", "mapping", "What an app's own traffic is charged to while one of them is held."),
            Key(
                "priorities", "mapping",
                "How much of the machine an app has for each of them, `background` where it is left out."),
            Key(
                "launchesAtBoot", "true or false",
                "Whether apps with the mode are launched when the device boots: false."),
            Key(
                "relaunches", "true or false",
                "Whether apps with the mode are launched again when they end, unless the user ended them: false."),
            Key("windows", "mapping to TIME", "What it wakes apps for, each with the time that they have."),
            Key("startup", "TIME", "From its start to its first word: 60ms where it is left out."),
            Key("stopTime", "TIME", "How long it takes to stop: 5ms where it is left out."),
            Key("forgets", "true or false", "True: after its death it knows nothing of what it held."),
        ])

    package static let launchFailure = KeyTable(
        what: "launch failure",
        keys: [
            Key("stage", "text", "The step that fails, for example `execve`.", isRequired: true),
            Key("errorNumber", "number", "The machine's number of the error.", isRequired: true),
            Key("message", "text", "What the machine calls it.", isRequired: true),
        ])

    package static let rates = KeyTable(
        what: "rates",
        keys: [
            Key("crash", "0 to 1000", "Of a thousand callbacks, so many crash the app."),
            Key("hang", "0 to 1000", "Of a thousand callbacks, so many do not return."),
            Key("lateReply", "0 to 1000", "Of a thousand callbacks, so many are answered late."),
            Key("lostReply", "0 to 1000", "Of a thousand callbacks, the answers to so many are lost."),
            Key("repeatedReply", "0 to 1000", "Of a thousand callbacks, so many are answered once more a while later."),
            Key("lastWord", "0 to 1000", "Of a thousand freezes, so many find the app asking for something."),
            Key("launchFailure", "0 to 1000", "Of a thousand launches, so many fail."),
            Key("daemonCrash", "0 to 1000", "After so many of a thousand events the daemon dies."),
        ])

    package static let step = KeyTable(
        what: "step",
        keys: [
            Key("at", "TIME", "When, since the device booted.", isRequired: true),
            Key("do", "an input, or a list", "What people, apps and surroundings do."),
            Key("fault", "a fault, or a list", "What goes wrong."),
            Key("expect", "an expectation, or a list", "What must be true then."),
        ])
}

/// An expectation that is a mapping: its first key names it.
package struct ExpectationForm: Hashable, Sendable {
    package let keys: KeyTable
    /// For `docs/SCENARIOS.md`: an example that is read by a test, and what it means.
    package let example: String
    package let meaning: String

    var name: String { keys.keys[0].name }

    private init(_ what: String, _ example: String, _ meaning: String, _ keys: [Key]) {
        self.keys = KeyTable(what: what, keys: keys)
        self.example = example
        self.meaning = meaning
    }
}

extension ExpectationForm {
    private static func app(_ name: String) -> Key { Key(name, "APP", "", isRequired: true) }
    private static func entry(_ name: String) -> Key { Key(name, "a log entry", "", isRequired: true) }

    package static let all: [ExpectationForm] = [
        ExpectationForm(
            "callbacks", "{callbacks: radio, are: [willResignActive, didEnterBackground]}",
            "The delegate methods called since the last such expectation about the app: exactly these, in this order.",
            [app("callbacks"), Key("are", "list of CALLBACK", "", isRequired: true)]),
        ExpectationForm(
            "order", "{order: [homePressed, radio didEnterBackground, radio suspended]}",
            "The log holds these entries, in this order, perhaps with others between.",
            [Key("order", "list of log entries", "", isRequired: true)]),
        ExpectationForm(
            "never", "{never: radio terminated}", "The log holds no such entry so far.", [entry("never")]),
        ExpectationForm(
            "count", "{count: radio launched, is: 1}", "The log holds so many such entries so far.",
            [entry("count"), Key("is", "COUNT", "", isRequired: true)]),
        ExpectationForm(
            "from", "{from: homePressed, to: radio suspended, atLeast: 0s, atMost: 1s}",
            "After the last entry of the first kind, the first one of the second kind comes in that time.",
            [
                entry("from"), entry("to"), Key("atLeast", "TIME", "0s where it is left out."),
                Key("atMost", "TIME", "", isRequired: true),
            ]),
        ExpectationForm(
            "reports", "{reports: radio, are: [0x8badf00d]}",
            "The codes of the reports about the app so far: exactly these ([TERMINATION.md](TERMINATION.md)).",
            [app("reports"), Key("are", "list of codes", "", isRequired: true)]),
        ExpectationForm(
            "report", "{report: radio, says: didEnterBackground}", "The last report about the app contains the text.",
            [app("report"), Key("says", "text", "", isRequired: true)]),
        ExpectationForm(
            "why", "{why: radio, through: [didEnterBackground, homePressed]}",
            "From the app's last log entry back through its causes, these come in this order.",
            [app("why"), Key("through", "list of EVENT", "", isRequired: true)]),
        ExpectationForm(
            "assertions", "{assertions: radio, are: [service]}",
            "What lets the app run in the background: exactly these.",
            [app("assertions"), Key("are", "list of assertions", "", isRequired: true)]),
        ExpectationForm(
            "request", "{request: radio, refused: UIBackgroundModes}",
            "The last request of the app was refused with a sentence that contains the text.",
            [app("request"), Key("refused", "text", "", isRequired: true)]),
        ExpectationForm(
            "expirations", "{expirations: radio, are: [upload]}",
            "The names of the background tasks whose expiration handlers were called so far: exactly these, in this order.",
            [app("expirations"), Key("are", "list of names", "", isRequired: true)]),
        ExpectationForm(
            "changes", "{changes: radio, are: [locale, network]}",
            "What of the device the app was told has changed, since the last such expectation about it: exactly these, in "
                + "this order.",
            [app("changes"), Key("are", "list of changes", "", isRequired: true)]),
        ExpectationForm(
            "priority", "{priority: radio, is: background}",
            "What it has of the machine while others want it too: background, timed or foreground ([PRIORITY.md](PRIORITY.md)).",
            [app("priority"), Key("is", "a priority", "", isRequired: true)]),
        ExpectationForm(
            "heard", "{heard: radio, are: [completed photos, events done photos]}",
            "What services have told the app since the last such expectation about it: exactly this, in this order.",
            [app("heard"), Key("are", "list of texts", "", isRequired: true)]),
        ExpectationForm(
            "payload", "{payload: radio, says: \"a goal\"}",
            "What a service had to say when it called the app last contains the text.",
            [app("payload"), Key("says", "text", "", isRequired: true)]),
        ExpectationForm(
            "asked", "{asked: notifications, question: pending radio, says: \"1 pending\"}",
            "What a service that decides as the real one does (`runs`) would answer a tool contains the text.",
            [
                Key("asked", "a service", "", isRequired: true), Key("question", "text", "", isRequired: true),
                Key("says", "text", "", isRequired: true),
            ]),
        ExpectationForm(
            "snapshots", "{snapshots: radio, are: 2}", "How many pictures of itself the app gave so far.",
            [app("snapshots"), Key("are", "COUNT", "", isRequired: true)]),
        ExpectationForm(
            "launches", "{launches: radio, are: 2}", "How many processes of the app were started so far.",
            [app("launches"), Key("are", "COUNT", "", isRequired: true)]),
        ExpectationForm(
            "energy", "{energy: radio, for: fetch, atMost: 12J}",
            "What an app has cost so far on the account of `greenroom energy` ([FETCH.md](FETCH.md)), between bounds.",
            [
                Key("energy", "APP, `the system` or `the device`", "", isRequired: true),
                Key("for", "an activity", "All where it is left out."),
                Key("by", "cellular, wifi, gps or processor", "All where it is left out."),
                Key("atLeast", "JOULES", "0J where it is left out."), Key("atMost", "JOULES", "No limit else."),
            ]),
        ExpectationForm(
            "launchOptions", "{launchOptions: radio, service: voip}",
            "What its last launch was told: exactly these options; what a notification said contains the text.",
            [
                app("launchOptions"), Key("url", "URL", "The URL that it was launched for."),
                Key("source", "text", "The identifier of the app that opened the URL."),
                Key("service", "a background mode, or a list", "The service that launched it into the background."),
                Key("localNotification", "text", "What the notification said that the user opened."),
                Key("remoteNotification", "text", "What a provider's said, as the provider wrote it."),
                Key("location", "text", "It was launched since the device is elsewhere."),
            ]),
        ExpectationForm(
            "opened", "{opened: radio, url: \"radio://1\", source: journal}",
            "The URL of the last `openURL` that the app heard, and who opened it; without a source, the user.",
            [app("opened"), Key("url", "URL", "", isRequired: true), Key("source", "text", "An app's identifier.")]),
    ]

    static func named(_ name: String) -> ExpectationForm? { all.first { $0.name == name } }
}
