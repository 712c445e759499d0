internal import Model
package import Simulation

// The phrases of scenarios. `docs/SCENARIOS.md` holds these tables; a test compares them.

extension Language<Input> {
    /// After `do`: the tool's own words where it has them.
    package static let inputs = Language(
        what: "input",
        forms: [
            Form("open APP [as ROLE]", "open radio", "The user opens an app.") {
                .open($0.app, role: $0.role ?? .primary)
            },
            Form("open URL", "open notes://1", "The user opens a URL.") { .openURL($0.url) },
            Form("home", "home", "The user presses Home.") { _ in .home },
            Form("lock", "lock", "The user locks the device.") { _ in .lock },
            Form("unlock", "unlock", "The user unlocks it.") { _ in .unlock },
            Form("switcher", "switcher", "The user opens the switcher.") { _ in .switcher(isOpen: true) },
            Form("switcher close", "switcher close", "The user leaves the switcher.") { _ in .switcher(isOpen: false) },
            Form("close APP", "close radio", "The user ends an app in the switcher.") { .close($0.app) },
            Form("restart APP", "restart radio", "The user ends an app and opens it again.") { .restart($0.app) },
            Form("exempt APP [off]", "exempt radio", "The user exempts an app from suspension, or no longer.") {
                .exempt($0.app, !$0.isOff)
            },
            Form("install APP", "install radio", "An app is installed again, after it was uninstalled.") {
                .install($0.app)
            },
            Form("uninstall APP", "uninstall radio", "The user uninstalls an app.") { .uninstall($0.app) },
            Form("call", "call", "A call comes in.") { _ in .interrupt(.call) },
            Form("sms", "sms", "An SMS is shown.") { _ in .interrupt(.sms) },
            Form("alert", "alert", "An alert is shown.") { _ in .interrupt(.alert) },
            Form("accept INTERRUPTION", "accept call", "The user takes the call, or opens the SMS.") {
                .accept($0.interruption)
            },
            Form("dismiss INTERRUPTION", "dismiss call", "The user declines or dismisses it.") {
                .dismiss($0.interruption)
            },
            Form("end call", "end call", "The call that was accepted ends.") { _ in .endCall },
            Form("sleep", "sleep", "The device goes to sleep.") { _ in .sleep },
            Form("wake", "wake", "The device wakes.") { _ in .wake },
            Form("reboot", "reboot", "The device restarts.") { _ in .reboot },
            Form("down", "down", "The system is taken down, and stays so.") { _ in .shutDown },
            Form("up", "up", "The system starts again after `down`.") { _ in .boot },
            Form("memory warning", "memory warning", "Every app that runs is warned of low memory.") { _ in
                .memoryWarning
            },
            Form("memory pressure", "memory pressure", "The device acts as if memory were short, until it is over.") {
                _ in .memoryPressure(.warning)
            },
            Form("memory pressure critical", "memory pressure critical", "As if it were very short.") { _ in
                .memoryPressure(.critical)
            },
            Form("memory pressure over", "memory pressure over", "What was pretended is over.") { _ in
                .memoryPressure(.normal)
            },
            Form("let APP ACTION", "let radio use audio.playing", "An app does something by itself, if it runs.") {
                .app($0.app, $0.action)
            },
            Form("clock forward TIME", "clock forward 1h", "The wall clock is set forward.") {
                .setClock(by: $0.time)
            },
            Form("clock back TIME", "clock back 1h", "The wall clock is set back.") {
                .setClock(by: Span(nanoseconds: -$0.time.nanoseconds))
            },
            Form(
                "clock midnight", "clock midnight", "The wall clock is set forward to where the next day begins."
            ) { _ in .newDay },
            Form(
                "connect to APP for TIME", "connect to radio for 2s",
                "A client connects to the app where it listens, and leaves that long after the answer."
            ) { .connect($0.app, lasting: $0.time) },
            Form(
                "call method of APP", "call method of radio", "Another process calls it over the message bus."
            ) { .callMethod($0.app) },
        ] + surroundings + waking + scenes)

    /// What apps are woken for.
    private static let waking: [Form<Input>] = [
        Form("fetch APP", "fetch radio", "The app is fetched in the background now, whatever the plan is.") {
            .fetch($0.app, launches: false)
        },
        Form("launch APP to fetch", "launch radio to fetch", "The same in a new process.") {
            .fetch($0.app, launches: true)
        },
        Form("refresh APP [off]", "refresh radio off", "The user lets it refresh in the background, or no longer.") {
            .allowRefresh($0.app, !$0.isOff)
        },
        Form(
            "transfers of APP end in TEXT", "transfers of radio end in \"music\"",
            "All transfers of its background URL session of this identifier have come to an end."
        ) { .sessionEvents($0.app, session: $0.text ?? "", authentication: false) },
        Form(
            "transfers of APP ask in TEXT", "transfers of radio ask in \"music\"",
            "A server wants to know who asks for one of the session's transfers."
        ) { .sessionEvents($0.app, session: $0.text ?? "", authentication: true) },
        Form("wake APP by PART", "wake radio by steps.goal", "A service has something to say to the app.") {
            .wakeByService($0.app, $0.part)
        },
        Form(
            "tell KEY TEXT", "tell notifications \"push radio silent\"",
            "A person or another machine says something to a service that decides as the real one does (`runs`)."
        ) { .tellService($0.key, $0.text ?? "") },
    ]

    /// Of apps that may have several.
    private static let scenes: [Form<Input>] = [
        Form("open scene COUNT of APP [as ROLE]", "open scene 2 of radio", "The user opens one of its scenes.") {
            .openScene($0.app, $0.scene, role: $0.role ?? .primary)
        },
        Form("open new scene of APP [as ROLE]", "open new scene of radio", "The user opens another one.") {
            .openScene($0.app, nil, role: $0.role ?? .primary)
        },
        Form("close scene COUNT of APP", "close scene 2 of radio", "The user closes a scene for good.") {
            .closeScene($0.app, $0.scene)
        },
    ]

    /// What the machine tells of itself.
    private static let surroundings: [Form<Input>] = [
        Form("network NETWORK", "network wifi", "The device has this network from now on.") { .network($0.network) },
        Form("battery COUNT [CHARGE]", "battery 20 charging", "So many percent, `unplugged` where nothing is said.") {
            .battery(BatteryReading($0.charge ?? .unplugged, percent: $0.count))
        },
        Form("locale TEXT", "locale \"de_DE\"", "The user's language and region.") { .locale($0.text ?? "") },
        Form("time zone TEXT east TIME", "time zone \"Asia/Tokyo\" east 9h", "The device is in this zone.") {
            .timeZone($0.text ?? "", offset: $0.time.zoneOffset)
        },
        Form("time zone TEXT west TIME", "time zone \"America/Bogota\" west 5h", "The same, west of Greenwich.") {
            .timeZone($0.text ?? "", offset: -$0.time.zoneOffset)
        },
        Form("brightness COUNT", "brightness 40", "The screen has this brightness, in percent.") {
            .brightness(min($0.count, 100))
        },
        Form("screens COUNT", "screens 1", "So many screens are connected, beside the device's own.") {
            .screens(min($0.count, 16))
        },
        Form("low power [off]", "low power", "The user switches low-power mode on, or off.") { .lowPower(!$0.isOff) },
        Form("thermal state WARMTH", "thermal state serious", "The device is that warm.") {
            .thermalState($0.warmth)
        },
        Form("orientation ORIENTATION", "orientation landscape-left", "The device is held that way.") {
            .orientation($0.orientation)
        },
        Form("screenshot", "screenshot", "The user takes a picture of the screen.") { _ in .screenshot },
        Form("change store TEXT", "change store \"contacts\"", "What apps share under this name is changed.") {
            .changeStore($0.text ?? "")
        },
        Form("set KEY of APP to TEXT", "set quality of radio to \"high\"", "The user sets one of the app's settings.") {
            .setting($0.app, key: $0.key, value: $0.text ?? "")
        },
        Form("reset KEY of APP", "reset quality of radio", "The setting is the app's own default again.") {
            .setting($0.app, key: $0.key, value: nil)
        },
    ]
}

extension Span {
    /// In seconds, as far as there is such a zone.
    fileprivate var zoneOffset: Int32 { Int32(min(nanoseconds / 1_000_000_000, 86_400)) }
}

extension Language<AppAction> {
    /// After `let APP`, and in the lists of `on`.
    package static let actions = Language(
        what: "action",
        forms: [
            Form("begin task TEXT", "begin task \"upload\"", "It begins a background task of this name.") {
                .beginTask($0.text ?? "")
            },
            Form("end task TEXT", "end task \"upload\"", "It ends the task of this name that it has had longest.") {
                .endTask($0.text ?? "")
            },
            Form("end invalid task", "end invalid task", "It ends `UIBackgroundTaskIdentifier.invalid`.") { _ in
                .endInvalidTask
            },
            Form("ask background time", "ask background time", "It reads `backgroundTimeRemaining`.") { _ in
                .askBackgroundTime
            },
            Form("open URL", "open notes://1", "It calls `UIApplication.open(_:)`.") { .openURL($0.url) },
            Form("can open URL", "can open notes://1", "It calls `canOpenURL(_:)`.") { .canOpenURL($0.url) },
            Form("exit STATUS", "exit 3", "Its first process ends with this status.") { .exit($0.status) },
            Form("crash [SIGNAL]", "crash SIGABRT", "It crashes; of SIGSEGV where no signal is named.") {
                .crash(signal: $0.signal ?? 11)
            },
            Form("block TIME", "block 12s", "Its main thread does nothing else for so long.") { .block($0.time) },
            Form("fork COUNT", "fork 600", "It has so many processes from now on.") { .fork($0.count) },
            Form("work TIME", "work 2s", "It uses a processor for so long, beside the main thread.") { .work($0.time) },
            Form("transfer SIZE", "transfer 3MB", "It sends or receives so much.") { .transfer(bytes: $0.size) },
            Form("allocate SIZE", "allocate 100MB", "It takes so much memory.") { .allocate(bytes: $0.size) },
            Form("write SIZE", "write 300MB", "It writes so much to the disk.") {
                .write(bytes: $0.size, isCache: false)
            },
            Form("cache SIZE", "cache 300MB", "It writes so much into `Library/Caches`.") {
                .write(bytes: $0.size, isCache: true)
            },
            Form("lock FILE", "lock shared.db", "It locks a file for itself alone, or waits until it can.") {
                .lock($0.file)
            },
            Form("unlock FILE", "unlock shared.db", "It lets go of that, or waits no more.") { .unlock($0.file) },
            Form("listen at TEXT", "listen at \"port 8080\"", "It waits for others to connect there.") {
                .listen($0.text ?? "")
            },
            Form(
                "grab input [off]", "grab input", "It takes the keyboard of its X display for itself, or gives it back."
            ) { .grabInput(!$0.isOff) },
            Form(
                "provide snapshots [off]", "provide snapshots", "It gives pictures of itself from now on, or no longer."
            ) {
                .provideSnapshots(!$0.isOff)
            },
            Form("refresh snapshot", "refresh snapshot", "It has another picture than when it left the screen.") { _ in
                .refreshSnapshot
            },
            Form("draw", "draw", "It draws a picture with the GPU.") { _ in .useGPU },
            Form("use PART", "use steps.counting", "It asks a service to do something for it.") { .use($0.part) },
            Form("leave PART", "leave steps.counting", "It asks it to end that.") { .leave($0.part) },
            Form(
                "ask KEY TEXT", "ask transfers \"download 20MB in photos\"",
                "It says something to a service that decides as the real one does (`runs`), which knows what it may say."
            ) { .ask($0.key, $0.text ?? "") },
            Form("after TIME ACTION", "after 90s leave audio.playing", "It does something later, on a timer.") {
                .after($0.time, $0.action)
            },
        ] + waking + scenes)

    /// Of apps that may have several.
    private static let scenes: [Form<AppAction>] = [
        Form("activate scene COUNT", "activate scene 2", "It wants one of its scenes to be shown.") {
            .activateScene($0.scene)
        },
        Form("activate new scene", "activate new scene", "It wants another scene.") { _ in .activateScene(nil) },
        Form("destroy scene COUNT", "destroy scene 2", "It closes one of its scenes for good.") {
            .destroyScene($0.scene)
        },
    ]

    /// What it does with what it is woken for.
    private static let waking: [Form<AppAction>] = [
        Form("complete WINDOW RESULT", "complete fetch newData", "It calls the completion handler.") {
            .complete($0.window, $0.result)
        },
        Form("fetch every TIME", "fetch every 1h", "`setMinimumBackgroundFetchInterval`; `0s`: as often as possible.") {
            .setFetchInterval($0.time)
        },
        Form("fetch never", "fetch never", "It is fetched no more.") { _ in .setFetchInterval(nil) },
        Form("submit TASK TEXT", "submit refresh \"radio.refresh\"", "It asks `BGTaskScheduler` for a task.") {
            .submitTask($0.task, $0.text ?? "", after: nil, needs: nil)
        },
        Form("submit TASK TEXT after TIME", "submit refresh \"radio.refresh\" after 1h", "Not before that time.") {
            .submitTask($0.task, $0.text ?? "", after: $0.time, needs: nil)
        },
        Form(
            "submit TASK TEXT with NEED", "submit processing \"radio.index\" with power",
            "Only while there is a network, or a charger."
        ) { .submitTask($0.task, $0.text ?? "", after: nil, needs: $0.need) },
        Form(
            "submit TASK TEXT after TIME with NEED", "submit processing \"radio.index\" after 1h with network",
            "Both."
        ) { .submitTask($0.task, $0.text ?? "", after: $0.time, needs: $0.need) },
        Form("cancel task TEXT", "cancel task \"radio.refresh\"", "It takes that back.") {
            .cancelTask($0.text ?? "")
        },
        Form("cancel all tasks", "cancel all tasks", "It takes all of that back.") { _ in .cancelTask(nil) },
    ]
}

extension Language<Fault> {
    /// After `fault`.
    package static let faults = Language(
        what: "fault",
        forms: [
            Form("crash APP [SIGNAL]", "crash radio", "The app crashes; of SIGSEGV where no signal is named.") {
                .crash($0.app, signal: $0.signal ?? 11)
            },
            Form("starve APP", "starve radio", "The kernel ends the app's first process, since no memory is left.") {
                .starve($0.app)
            },
            Form("exit APP STATUS", "exit radio 3", "The app's first process ends with this status.") {
                .exit($0.app, status: $0.status)
            },
            Form(
                "hang APP [in CALLBACK]", "hang radio in didEnterBackground",
                "That delegate method does not return from now on; without one, the main thread does nothing any more."
            ) { arguments in
                if let callback = arguments.callback {
                    .hang(arguments.app, callback)
                } else {
                    .freezeMainThread(arguments.app)
                }
            },
            Form("recover APP", "recover radio", "The app behaves again; what hung, returns.") { .recover($0.app) },
            Form("disconnect APP", "disconnect radio", "Its connection breaks; it comes back at once.") {
                .disconnect($0.app)
            },
            Form("lose reply of APP", "lose reply of radio", "Its next reply is lost with its connection.") {
                .loseReply($0.app)
            },
            Form("delay replies of APP by TIME", "delay replies of radio by 3s", "Its replies come so much later.") {
                .delayReplies($0.app, $0.time)
            },
            Form("unfreezable APP [off]", "unfreezable radio", "The kernel cannot freeze it; or it can again.") {
                .unfreezable($0.app, !$0.isOff)
            },
            Form("ignore termination APP [off]", "ignore termination radio", "It does not end of SIGTERM.") {
                .ignoreTermination($0.app, !$0.isOff)
            },
            Form(
                "leave others APP [off]", "leave others radio", "Other processes of it live on when its first one ends."
            ) { .leaveOthers($0.app, !$0.isOff) },
            Form("end others APP", "end others radio", "Those that its first process left behind end.") {
                .endOthers($0.app)
            },
            Form("ignore peers APP [off]", "ignore peers radio", "It no longer accepts connections; or does again.") {
                .ignorePeers($0.app, !$0.isOff)
            },
            Form("debugger APP [off]", "debugger radio", "A debugger is attached, or gone.") {
                .debugger($0.app, !$0.isOff)
            },
            Form("fork APP COUNT", "fork radio 600", "It has so many processes from now on.") {
                .fork($0.app, $0.count)
            },
            Form("thaw APP", "thaw radio", "It is thawed, and the system does not know.") { .thaw($0.app) },
            Form("disk full [off]", "disk full", "Nothing can be written, so that no app can be launched.") {
                .diskFull(!$0.isOff)
            },
            Form("launch fails APP [off]", "launch fails radio", "Its executable is gone, or back.") {
                .launchFails($0.app, !$0.isOff)
            },
            Form("network down [off]", "network down", "The network is dead, or back.") { .networkDown(!$0.isOff) },
            Form("kill service KEY", "kill service steps", "The process of a service is killed.") {
                .killService($0.key)
            },
            Form("stall service KEY [off]", "stall service steps", "It does not stop when it is told to.") {
                .stallService($0.key, !$0.isOff)
            },
            Form("kill daemon for TIME", "kill daemon for 2s", "The daemon is killed, and is back after so long.") {
                .killDaemon(downFor: $0.time)
            },
            Form(
                "kill daemon within COUNT effects for TIME", "kill daemon within 2 effects for 1s",
                "The daemon is killed within its next event, after so many effects."
            ) { .killDaemonWithin(effects: Int($0.count), downFor: $0.time) },
        ])
}

extension Language<Expectation> {
    /// After `expect`, and in the list `expect`.
    package static let expectations = Language(
        what: "expectation",
        forms: [
            Form("accepted", "accepted", "The last command was answered with success.") { _ in .accepted },
            Form(
                "refused [TEXT]", "refused \"the device is locked\"",
                "The last command was refused, or could no longer come true; the answer contains the text."
            ) { .refused($0.text ?? "") },
            Form("unanswered", "unanswered", "The last command is not answered yet.") { _ in .unanswered },
            Form("no reports", "no reports", "There is no report so far.") { _ in .noReports },
            Form(
                "at rest", "at rest",
                "Nothing is under way: no command waits, and every app is where it belongs."
            ) { _ in .atRest },
            Form("APP STATE", "radio suspended", "The state of an app.") { .state($0.app, $0.state) },
            Form("scene COUNT of APP PLACE", "scene 2 of radio background", "Where a scene is, as the app has heard.") {
                .scene($0.app, $0.scene, $0.place)
            },
            Form("APP visible", "radio visible", "It is on screen, whether or not something lies over it.") {
                .visible($0.app, true)
            },
            Form("APP hidden", "radio hidden", "It is not.") { .visible($0.app, false) },
        ])
}

extension Language<LogPattern> {
    /// Entries of the log.
    package static let patterns = Language(
        what: "log entry",
        forms: [
            Form("EVENT [because TEXT]", "homePressed", "An entry about the device.") {
                LogPattern(event: $0.event, reason: $0.text)
            },
            Form(
                "APP EVENT [because TEXT]", "radio terminated because \"watchdog\"",
                "An entry about an app; its sentence contains the text."
            ) { LogPattern(app: $0.app, event: $0.event, reason: $0.text) },
        ])
}
